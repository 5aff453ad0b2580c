"""Checks what a digest says of holidays and working days: asks the calendar again, day by day."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from bot.calendars import Calendar
from bot.digest.recount import Filters, Recount
from bot.text import shown

_DAY = timedelta(days=1)


def _calendar(recount: Recount) -> Calendar | None:
    return recount.week.reading.calendar


def _day(recount: Recount, filters: Filters) -> date | None:
    """The day that a claim names, where it lies in the period."""
    day, period = date.fromisoformat(str(filters["day"])), recount.week.period
    return day if period.since.date() <= day < period.until.date() else None


def _holiday(recount: Recount, text: str, filters: Filters) -> bool:
    calendar, day = _calendar(recount), _day(recount, filters)
    holiday = None if calendar is None or day is None else calendar.holiday(day)
    return holiday is not None and any(text == shown(name) for name in holiday.names)


def _days_off(recount: Recount, text: str, filters: Filters) -> bool:
    """Every day from the first to the last is off, those around them are not."""
    calendar, day = _calendar(recount), _day(recount, filters)
    if calendar is None or day is None or not calendar.is_day_off(day):
        return False
    first = last = day
    while calendar.is_day_off(first - _DAY):
        first -= _DAY
    while calendar.is_day_off(last + _DAY):
        last += _DAY
    return text == "～".join(f"{end:%m-%d}" for end in dict.fromkeys((first, last)))


def _working_days(recount: Recount, text: str, filters: Filters) -> bool:
    calendar, period = _calendar(recount), recount.week.period
    span = filters.get("span", 0)
    if calendar is None or not isinstance(span, int):
        return False
    period = period.before(span) if span else period
    day, worked = period.since.date(), 0
    while day < period.until.date():
        worked += not calendar.is_day_off(day)
        day += _DAY
    return text == str(worked)


def _unarranged(recount: Recount, text: str, filters: Filters) -> bool:
    del filters
    calendar = _calendar(recount)
    return calendar is not None and not calendar.is_arranged(int(text))


QUOTES: Mapping[str, Callable[[Recount, str, Filters], bool]] = {
    "holiday": _holiday,
    "days_off": _days_off,
    "working_days": _working_days,
    "unarranged": _unarranged,
}
"""What a text that carries a claim of this kind is held to."""
