"""What a digest says of holidays: those of its period, and how many days were worked in it and in the one before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from bot.calendars import Calendar, Holiday
from bot.digest.view import View
from bot.figures import Claim, Count, Word
from bot.models import Period

_SHORTLY = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class Named:
    """A holiday of the period; `days_off` are its days off in a row, None where they are not known for sure."""

    names: tuple[Word, ...]
    days_off: Word | None
    several: bool


@dataclass(frozen=True, slots=True)
class Days:
    """For the template: the holidays, the days worked, and the year whose make-up working days are not known yet."""

    holidays: tuple[Named, ...]
    worked: Count | None
    previous: Count | None
    unarranged: Word | None


def days_of(view: View) -> Days | None:
    """None: the channel names no country, or the days are as in any other week."""
    calendar, period = view.week.reading.calendar, view.week.period
    if calendar is None:
        return None
    compared = view.figures.previous is not None
    found = tuple(_holidays(calendar, period))
    unknown = _unarranged(calendar, period, found, compared=compared)
    worked = len(_worked(calendar, period))
    before = len(_worked(calendar, period.before())) if compared else worked
    if not found and (unknown is not None or worked == before):
        return None
    return Days(
        tuple(_named(one, period, certain=unknown is None) for one in found),
        Count(worked, Claim.about("working_days")) if unknown is None else None,
        Count(before, Claim.about("working_days", span=1)) if unknown is None and compared else None,
        None if unknown is None else Word(str(unknown), Claim.about("unarranged")),
    )


def _holidays(calendar: Calendar, period: Period) -> Iterator[Holiday]:
    """Each once. One that only its weekend reaches into the period with is the neighbouring week's."""
    days = _days(period)
    found = dict.fromkeys(holiday for day in days if (holiday := calendar.holiday(day)) is not None)
    return (one for one in found if set(one.days) & set(days))


def _unarranged(calendar: Calendar, period: Period, found: tuple[Holiday, ...], *, compared: bool) -> int | None:
    """The first year that the figures would need and of which it is not known which weekend days are worked."""
    # A weekend shortly before New Year may be worked for a holiday of the next year, whose days are announced together.
    days = [*_days(period), *(end for one in found for end in (one.first, one.last)), period.until.date() + _SHORTLY]
    if compared:
        days += _days(period.before())
    return next((year for year in sorted({day.year for day in days}) if not calendar.is_arranged(year)), None)


def _named(one: Holiday, period: Period, *, certain: bool) -> Named:
    day = next(day for day in one.days if day in _days(period)).isoformat()
    several = one.first != one.last
    span = f"{one.first:%m-%d}～{one.last:%m-%d}" if several else f"{one.first:%m-%d}"
    return Named(
        tuple(Word(name, Claim.about("holiday", day=day)) for name in one.names),
        Word(span, Claim.about("days_off", day=day)) if certain else None,
        several,
    )


def _worked(calendar: Calendar, period: Period) -> list[date]:
    return [day for day in _days(period) if not calendar.is_day_off(day)]


def _days(period: Period) -> list[date]:
    return [period.since.date() + timedelta(days=number) for number in range(period.days)]
