"""Which deliveries are due: pure functions of now, the subscriptions, their calendars and what the ledger knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import count, islice
from typing import Protocol
from zoneinfo import ZoneInfo

from bot.calendars import Calendar, OnHoliday
from bot.models import Period

LATE_AFTER = timedelta(hours=1)
"""A digest that is posted later than this says that it is late."""

TOO_LATE = timedelta(days=6, hours=12)
"""Later than this a digest is not posted any more: the next one is nearer."""

CLOCK_AHEAD = timedelta(days=366)
"""A clock further ahead of the last plan than this is not believed."""

_WEEK = timedelta(weeks=1)
_OLDEST = 53  # weeks; a longer gap is a clock that is not believed
_FARTHEST = 28  # days that a digest is moved at most: a calendar without a working day in them is not believed
_HALF = 2


class Weekly(Protocol):
    """What a subscription tells the schedule: weekly on `day` (0 is Monday) at `time` in the zone `timezone`."""

    @property
    def day(self) -> int:
        """0 is Monday."""

    @property
    def time(self) -> time:
        """On the wall clock."""

    @property
    def timezone(self) -> str:
        """An IANA name."""

    @property
    def added_at(self) -> datetime:
        """From when on digests are owed."""

    @property
    def on_holiday(self) -> OnHoliday:
        """What becomes of a digest whose day is a holiday in the calendar, where there is one."""


class Settled(Protocol):
    """A period of one subscription that the ledger has an entry for, whatever became of it."""

    @property
    def since(self) -> datetime:
        """Begin of the period."""

    @property
    def until(self) -> datetime:
        """End of the period."""

    @property
    def expired_at(self) -> datetime | None:
        """When it was given up as too old; None: it was not."""


@dataclass(frozen=True, slots=True)
class Due:
    """A digest that is owed since `due_at`, or was and is too old to be posted (`expired`), or is left out (`skipped`).

    `holiday` is the day on which it would have come, where that is one: it was moved from there, or left out.
    """

    period: Period
    due_at: datetime
    expired: bool = False
    skipped: bool = False
    holiday: date | None = None


@dataclass(frozen=True, slots=True)
class Coming:
    """The next delivery: its instant (UTC), the holiday that it was moved from, and those left out before it."""

    at: datetime
    moved_from: date | None = None
    skipped: tuple[date, ...] = ()


class ClockAheadError(Exception):
    """The clock is too far ahead of what was last written: one English line with the fix."""


def due(now: datetime, weekly: Weekly, settled: Iterable[Settled], calendar: Calendar | None = None) -> tuple[Due, ...]:
    """What one subscription is owed at `now` beyond what is settled, newest first.

    A digest is owed from the subscription's day and time on, counted from `added_at`, and reports the whole week
    (Monday to Monday) before the one that the day lies in; a holiday in the calendar moves the digest to the next
    working day or leaves it out, the period stays. Periods that overlap by more than half are the same, so a change of
    zone, day, time or calendar posts no week twice. Of several that were missed the latest is owed, unless it is later
    than `TOO_LATE`; the older ones are expired. Two are owed where a long holiday moved both to one day. Raises
    ZoneInfoNotFoundError for an unknown zone, and what the calendar raises.
    """
    standing = [one for one in settled if not _from_a_clock_ahead(one, now)]
    begins = _begins(now, weekly)
    found: list[Due] = []
    for one in _occurrences(now, weekly, calendar):
        period = _week_before(one.day, ZoneInfo(weekly.timezone))
        if one.at < begins or len(found) == _OLDEST or any(_same(period, other) for other in standing):
            break
        newer = any(other.due_at > one.at for other in found if not other.skipped)
        expired = not one.skipped and (newer or now - one.at > TOO_LATE)
        found.append(Due(period, one.at, expired, one.skipped, one.day if one.holiday else None))
    return tuple(found)


def first(now: datetime, weekly: Weekly, settled: Iterable[Settled]) -> Due | None:
    """The last whole week as of `now`, owed at once to who just subscribed; None when it is settled already."""
    zone = ZoneInfo(weekly.timezone)
    period = _week_before(now.astimezone(zone).date(), zone)
    settled_already = any(_same(period, one) for one in settled if not _from_a_clock_ahead(one, now))
    return None if settled_already else Due(period, now.astimezone(UTC))


def comes_by_itself(now: datetime, weekly: Weekly, calendar: Calendar | None = None) -> bool:
    """Whether the last whole week as of `now` is owed by the timetable: already, or later on."""
    this_monday = _monday(now.astimezone(ZoneInfo(weekly.timezone)).date())
    one = _occurrence(this_monday, weekly, calendar)
    return not one.skipped and (one.at > now or one.at >= _begins(now, weekly))


def coming(now: datetime, weekly: Weekly, calendar: Calendar | None = None) -> Coming:
    """The next delivery after `now`. A calendar that leaves out all of a year is not believed."""
    skipped: list[date] = []
    following = (one for one in _from_long_ago(now, weekly, calendar) if one.at > now)
    for one in islice(following, _OLDEST):
        if not one.skipped:
            return Coming(one.at, one.day if one.holiday else None, tuple(skipped))
        skipped.append(one.day)
    return coming(now, weekly)


def next_at(now: datetime, weekly: Weekly, calendar: Calendar | None = None) -> datetime:
    """The next instant (UTC) after `now` at which a digest comes."""
    return coming(now, weekly, calendar).at


def is_late(due_at: datetime, now: datetime) -> bool:
    """Whether a digest due at `due_at` has to say that it is late."""
    return now - due_at > LATE_AFTER


def is_too_late(due_at: datetime, planned_at: datetime, now: datetime) -> bool:
    """Whether a digest that nothing was posted of has to be given up; what was released later than that counts anew."""
    ends = due_at + TOO_LATE
    return now > (ends if planned_at <= ends else planned_at + TOO_LATE)


def require_plausible(now: datetime, last: datetime | None) -> None:
    """Raises ClockAheadError when `now` is over a year after `last`, the last instant that is known to be true."""
    if last is not None and now - last > CLOCK_AHEAD:
        raise ClockAheadError(
            f"the clock says {now:%Y-%m-%d}, {(now - last).days} days after the last delivery was planned: nothing is "
            "posted; set the clock, or accept it once when it is right"
        )


@dataclass(frozen=True, slots=True)
class _Occurrence:
    """A day of the timetable, when its digest comes (UTC), and whether a holiday moved it or left it out."""

    day: date
    at: datetime
    holiday: bool
    skipped: bool


def _begins(now: datetime, weekly: Weekly) -> datetime:
    # A clock that ran ahead when the subscription was added must not silence it until it is overtaken.
    return min(weekly.added_at, now - LATE_AFTER) if weekly.added_at > now else weekly.added_at


def _occurrences(now: datetime, weekly: Weekly, calendar: Calendar | None) -> Iterator[_Occurrence]:
    """Those up to `now`, newest first."""
    monday = _monday(now.astimezone(ZoneInfo(weekly.timezone)).date())
    found = (_occurrence(monday - week * _WEEK, weekly, calendar) for week in count())
    return (one for one in found if one.at <= now)


def _from_long_ago(now: datetime, weekly: Weekly, calendar: Calendar | None) -> Iterator[_Occurrence]:
    """All from before `now` on, oldest first, beginning with the oldest that may have been moved beyond `now`."""
    monday = _monday(now.astimezone(ZoneInfo(weekly.timezone)).date()) - timedelta(days=_FARTHEST)
    return (_occurrence(monday + week * _WEEK, weekly, calendar) for week in count())


def _occurrence(monday: date, weekly: Weekly, calendar: Calendar | None) -> _Occurrence:
    day = monday + timedelta(days=weekly.day)
    holiday = calendar is not None and weekly.on_holiday != "post" and calendar.holiday(day) is not None
    moved = _working_day(day, calendar) if holiday and calendar and weekly.on_holiday == "shift" else day
    at = _instant(datetime.combine(moved, weekly.time), ZoneInfo(weekly.timezone))
    skipped = holiday and weekly.on_holiday == "skip"
    return _Occurrence(day, at, holiday=skipped or moved != day, skipped=skipped)


def _working_day(day: date, calendar: Calendar) -> date:
    """The first working day from `day` on."""
    days = (day + timedelta(days=number) for number in range(_FARTHEST + 1))
    return next((one for one in days if not calendar.is_day_off(one)), day)


def _instant(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first instant (UTC) at which clocks of the zone show this time, or a later one where they skip it."""
    at = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if at.astimezone(zone).replace(tzinfo=None) == wall:
        return at
    # Skipped: read with the offset before the change it lies after the change, and the other way round.
    return _change(wall.replace(tzinfo=zone, fold=1).astimezone(UTC), at, zone)


def _change(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """The first whole second in (before, after] that has the offset of `after`."""
    offset = after.astimezone(zone).utcoffset()
    low, high = 0, round((after - before).total_seconds())
    while high - low > 1:
        middle = (low + high) // 2
        changed = (before + timedelta(seconds=middle)).astimezone(zone).utcoffset() == offset
        low, high = (low, middle) if changed else (middle, high)
    return before + timedelta(seconds=high)


def _week_before(day: date, zone: ZoneInfo) -> Period:
    monday = _monday(day)
    since, until = (datetime(one.year, one.month, one.day, tzinfo=zone) for one in (monday - _WEEK, monday))
    return Period(since, until, zone.key)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _same(period: Period, other: Settled) -> bool:
    # Instants of one zone subtract by wall clock, which is wrong around a clock change; timestamps do not.
    shared = min(period.until.timestamp(), other.until.timestamp()) - max(
        period.since.timestamp(), other.since.timestamp()
    )
    return shared * _HALF > period.until.timestamp() - period.since.timestamp()


def _from_a_clock_ahead(one: Settled, now: datetime) -> bool:
    """Whether it was given up at an instant that is yet to come, which a clock that has been set back may say."""
    return one.expired_at is not None and one.expired_at > now
