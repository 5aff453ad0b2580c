"""Days off and public holidays of a country, from the `holidays` library, which is loaded at the first question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import count, takewhile
from typing import TYPE_CHECKING

from bot.calendars import Holiday

if TYPE_CHECKING:
    from holidays import HolidayBase

_DAY = timedelta(days=1)
_ARRANGED_YEARLY = frozenset({"BY", "CN"})
"""Where the government announces each year, late in the one before, on which weekend days people work (调休)."""

_LANGUAGE, _FALLBACK = "zh_CN", "en_US"


class UnknownCountryError(ValueError):
    """The library knows no such country, or no such part of it: one English line."""


@dataclass(frozen=True, slots=True)
class Country:
    """The calendar of a country; fulfils `bot.calendars.Calendar`.

    `code` is that of ISO 3166, with a part of the country where its holidays differ: `CN`, `DE-BY`. Public holidays,
    the country's weekend, and weekend days on which people work in exchange. The methods raise UnknownCountryError.
    """

    code: str

    def is_day_off(self, day: date) -> bool:
        """Whether people are off: on a holiday or the weekend, unless they work on that day in exchange."""
        return day in _year(self.code, day.year).off

    def holiday(self, day: date) -> Holiday | None:
        """The holiday in whose days off in a row the day lies; None for a working day and an ordinary weekend."""
        if not self.is_day_off(day):
            return None
        days = (*reversed(self._off_from(day - _DAY, -_DAY)), *self._off_from(day, _DAY))
        names = {one: named for one in days if (named := _year(self.code, one.year).named.get(one))}
        if not names:
            return None
        own = dict.fromkeys(name for named in names.values() for name in named.own)
        return Holiday(
            tuple(own) or tuple(name for named in names.values() for name in named.whole),
            first=days[0],
            last=days[-1],
            days=tuple(names),
        )

    def _off_from(self, day: date, step: timedelta) -> tuple[date, ...]:
        return tuple(takewhile(self.is_day_off, (day + step * n for n in count())))

    def is_arranged(self, year: int) -> bool:
        """Whether it is known which weekend days of a year are worked; the library learns it with each release."""
        return self.code.partition("-")[0] not in _ARRANGED_YEARLY or _year(self.code, year).arranged


def require_known(code: str) -> None:
    """Raises UnknownCountryError for a country, or a part of one, whose holidays are not known."""
    _loaded(code)


@dataclass(frozen=True, slots=True)
class _Named:
    """What a listed day is called; `own` are names of holidays, without words that it stands in for another day."""

    whole: tuple[str, ...]
    own: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Year:
    off: frozenset[date]
    named: Mapping[date, _Named]
    arranged: bool


@lru_cache(maxsize=256)
def _year(code: str, year: int) -> _Year:
    # The library adds years to its objects as it is asked, which threads may not share; this is built once and stays.
    found = _loaded(code, year)
    days = (date(year, 1, 1) + n * _DAY for n in range((date(year, 12, 31) - date(year, 1, 1)).days + 1))
    return _Year(
        off=frozenset(day for day in days if not found.is_working_day(day)),
        named={day: _named(day, found) for day in found},
        arranged=any(day.year == year for day in found.weekend_workdays),
    )


def _loaded(code: str, *years: int) -> HolidayBase:
    from holidays import country_holidays  # noqa: PLC0415 - most installations never ask

    country, _, part = code.partition("-")
    try:
        known = country_holidays(country).supported_languages
        return country_holidays(
            country,
            subdiv=part or None,
            years=years,
            expand=False,
            language=_LANGUAGE if _LANGUAGE in known else _FALLBACK,
        )
    except NotImplementedError as error:
        raise UnknownCountryError(f"no holidays are known of {code!r}") from error


def _named(day: date, found: HolidayBase) -> _Named:
    whole = tuple(found.get_list(day))
    return _Named(whole, tuple(own for name in whole if (own := _own(name, found))))


def _own(name: str, found: HolidayBase) -> str:
    """The holiday's name without "observed"; "" for a day that is off because another one is worked."""
    substituted, observed = (_label(found, kind) for kind in ("substituted_label", "observed_label"))
    if substituted and substituted.fullmatch(name):
        return ""
    match = observed and observed.fullmatch(name)
    return match[1] if match else name


def _label(found: HolidayBase, kind: str) -> re.Pattern[str] | None:
    """How the library words such a day, in the language of its names."""
    label = getattr(found, kind, None)
    return re.compile(re.escape(found.tr(label)).replace("%s", "(.+)")) if label else None
