"""Periods from what people write: dates, ISO weeks, 上周. `now` is an argument; nothing here reads the clock."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.models import Period
from bot.timezones import suggestions

PeriodErrorCode = Literal[
    "unknown-zone",
    "unreadable-date",
    "no-such-date",
    "out-of-range",
    "one-date",
    "reversed",
    "empty",
    "not-begun",
    "unreadable-week",
    "no-such-week",
]

_WORDING: Mapping[PeriodErrorCode, str] = {
    "unknown-zone": "unknown time zone {zone!r}: {hint}",
    "unreadable-date": "{date!r} is not a date: write it as 2026-04-05",
    "no-such-date": "{date!r} is not in the calendar: no such month or day",
    "out-of-range": "{date!r} is out of range: expected a year from {first} to {last}",
    "one-date": "since and until go together: give both, or neither for the last whole week",
    "reversed": "the period ends before it begins: since {since} is after until {until}",
    "empty": "since and until are both {since}, which leaves no day: until is the day after the last one",
    "not-begun": "the period from {since} has not begun: today is {today} in {timezone}",
    "unreadable-week": "{week!r} is not a week: write 2026-W14, W14, last, 04-06 or 2026-04-06",
    "no-such-week": "there is no week {week!r}: ISO weeks run from W01 to W52, in some years to W53",
}
_FIRST_YEAR, _LAST_YEAR = 1970, 2100
_LONGEST_SHOWN = 80

_DATE = re.compile(r"([0-9]{4})[-/.年]([0-9]{1,2})[-/.月]([0-9]{1,2})日?")
_MONTH_DAY = re.compile(r"([0-9]{1,2})[-/.月]([0-9]{1,2})日?")
_ISO_WEEK = re.compile(r"(?:([0-9]{4})-?)?w([0-9]{1,2})")
_CHINESE_WEEK = re.compile(r"(?:([0-9]{4})年)?第?([0-9]{1,2})周")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_WEEKS_BACK = {
    **dict.fromkeys(("下周", "下星期", "下个星期", "next", "next week"), -1),
    **dict.fromkeys(("本周", "这周", "本星期", "这个星期", "this", "this week", "current"), 0),
    **dict.fromkeys(("上周", "上星期", "上个星期", "last", "last week", "previous"), 1),
    **dict.fromkeys(("上上周", "上上星期", "上上个星期"), 2),
}
# The zone database also holds copies that count leap seconds, and the machine's own setting; neither is a zone to name.
_NOT_ZONES = frozenset({"posix", "right", "localtime", "posixrules", "Factory"})


class PeriodError(ValueError):
    """What was written names no period. The message is one English line; `code` and `values` let others word it."""

    def __init__(self, code: PeriodErrorCode, /, **values: str) -> None:
        self.code: PeriodErrorCode = code
        self.values: Mapping[str, str] = {name: _short(value) for name, value in values.items()}
        super().__init__(_WORDING[code].format(**self.values))


def zone(name: str) -> ZoneInfo:
    """The IANA time zone `name`. Raises PeriodError ("unknown-zone") with the names that were probably meant."""
    found = None if name.partition("/")[0] in _NOT_ZONES else _named_zone(name)
    if found is not None:
        return found
    near = " or ".join(suggestions(name))
    hint = f"did you mean {near}?" if near else "expected an IANA name such as Asia/Shanghai"
    raise PeriodError("unknown-zone", zone=name, nearest=near, hint=hint)


def _named_zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: "Asia" is a folder, ValueError: "../x"
        return None


def last_week(now: datetime, timezone: str) -> Period:
    """The last whole week, Monday 00:00 to Monday 00:00 in `timezone`, as of the aware instant `now`.

    Raises PeriodError when the zone is unknown.
    """
    where = zone(timezone)
    return _week(_monday(_today(now, where)) - timedelta(weeks=1), where)


def parse_period(since: str | None, until: str | None, timezone: str, now: datetime) -> Period:
    """The days from `since` up to, but not including, `until`, from local midnight to local midnight in `timezone`.

    Both dates or neither; neither gives the last whole week. The end may lie in the future, the beginning may not.
    Raises PeriodError when a date cannot be read or does not exist, when the dates leave no day, when the period has
    not begun at the aware instant `now`, and when the zone is unknown.
    """
    where = zone(timezone)
    if since is None and until is None:
        return last_week(now, timezone)
    if since is None or until is None:
        raise PeriodError("one-date")
    first, end = _date(since), _date(until)
    if first == end:
        raise PeriodError("empty", since=str(first))
    if first > end:
        raise PeriodError("reversed", since=str(first), until=str(end))
    return _begun(_days(first, end, where), now)


def parse_week(text: str, timezone: str, now: datetime) -> Period:
    """The week, Monday to Monday in `timezone`, that `text` names.

    Understood are `2026-W14`, `W14` (the most recent), 上周, 本周, 上上周, `last`, `this`, and a day whose week is
    meant: `2026-04-06`, or `04-06` (the most recent). The current week ends at the coming Monday. Raises PeriodError
    when `text` names no week or one that has not begun at the aware instant `now`, and when the zone is unknown.
    """
    where = zone(timezone)
    this_monday = _monday(_today(now, where))
    words = _normal(text)
    if words in _WEEKS_BACK:
        monday = this_monday - timedelta(weeks=_WEEKS_BACK[words])
    elif found := _ISO_WEEK.fullmatch(words) or _CHINESE_WEEK.fullmatch(words):
        monday = _iso_monday(text, found[1], int(found[2]), this_monday)
    elif found := _MONTH_DAY.fullmatch(words):
        monday = _recent_monday(text, int(found[1]), int(found[2]), this_monday)
    elif _DATE.fullmatch(words):
        monday = _monday(_date(words))
    else:
        raise PeriodError("unreadable-week", week=text)
    return _begun(_week(monday, where), now)


def _today(now: datetime, where: ZoneInfo) -> date:
    if now.tzinfo is None:
        raise TypeError("now needs a time zone")
    return now.astimezone(where).date()


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _week(monday: date, where: ZoneInfo) -> Period:
    return _days(monday, monday + timedelta(weeks=1), where)


def _days(first: date, end: date, where: ZoneInfo) -> Period:
    # A midnight that summer time skips is written as 00:00 all the same: Python reads it as the first instant that day.
    since, until = (datetime(day.year, day.month, day.day, tzinfo=where) for day in (first, end))
    return Period(since, until, where.key)


def _begun(period: Period, now: datetime) -> Period:
    # Instants in one zone object compare by wall clock, which is wrong around a clock change; UTC forces the instants.
    if period.since > now.astimezone(UTC):
        today = str(_today(now, period.zone))
        raise PeriodError("not-begun", since=str(period.since.date()), today=today, timezone=period.timezone)
    return period


def _date(text: str) -> date:
    found = _DATE.fullmatch(_normal(text))
    if found is None:
        raise PeriodError("unreadable-date", date=text)
    year, month, day = (int(part) for part in found.groups())
    _in_range(text, year)
    try:
        return date(year, month, day)
    except ValueError:
        raise PeriodError("no-such-date", date=text) from None


def _iso_monday(text: str, year: str | None, week: int, this_monday: date) -> date:
    if year is not None:
        _in_range(text, int(year))
        years: Iterable[int] = (int(year),)
    else:
        years = _years_back(this_monday.isocalendar().year)
    for candidate in years:
        try:
            monday = date.fromisocalendar(candidate, week, 1)
        except ValueError:  # W53 in a year of 52 weeks
            continue
        if year is not None or monday <= this_monday:
            return monday
    raise PeriodError("no-such-week", week=text)


def _recent_monday(text: str, month: int, day: int, this_monday: date) -> date:
    for year in _years_back(this_monday.year + 1):  # around New Year this week reaches into the next year
        try:
            monday = _monday(date(year, month, day))
        except ValueError:  # 29 February in a year without one
            continue
        if monday <= this_monday:
            return monday
    raise PeriodError("no-such-date", date=text)


def _years_back(year: int) -> Iterable[int]:
    """Far enough for the rarest week (W53) and the rarest day (29 February, across a century) to come round."""
    return range(year, year - 10, -1)


def _in_range(text: str, year: int) -> None:
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        raise PeriodError("out-of-range", date=text, first=str(_FIRST_YEAR), last=str(_LAST_YEAR))


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_DASHES).casefold().strip()


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
