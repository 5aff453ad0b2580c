"""Which deliveries are due: pure functions of now, the subscriptions and what the ledger knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import count
from typing import Protocol
from zoneinfo import ZoneInfo

from bot.models import Period

LATE_AFTER = timedelta(hours=1)
"""A digest that is posted later than this says that it is late."""

TOO_LATE = timedelta(days=6, hours=12)
"""Later than this a digest is not posted any more: the next one is nearer."""

CLOCK_AHEAD = timedelta(days=366)
"""A clock further ahead of the last plan than this is not believed."""

_WEEK = timedelta(weeks=1)
_OLDEST = 53  # weeks; a longer gap is a clock that is not believed
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
    """A digest that is owed since `due_at`, or was and is too old to be posted (`expired`)."""

    period: Period
    due_at: datetime
    expired: bool = False


class ClockAheadError(Exception):
    """The clock is too far ahead of what was last written: one English line with the fix."""


def due(now: datetime, weekly: Weekly, settled: Iterable[Settled]) -> tuple[Due, ...]:
    """What one subscription is owed at `now` beyond what is settled, newest first; only the first may be posted.

    A digest is owed from the subscription's day and time on, counted from `added_at`, and reports the whole week
    (Monday to Monday) before the one that the day lies in. Periods that overlap by more than half are the same, so a
    change of zone, day or time posts no week twice. Of several that were missed the latest is owed, unless it is
    later than `TOO_LATE`; the older ones are expired. Raises ZoneInfoNotFoundError for an unknown zone.
    """
    standing = [one for one in settled if not _from_a_clock_ahead(one, now)]
    # A clock that ran ahead when the subscription was added must not silence it until it is overtaken.
    begins = min(weekly.added_at, now - LATE_AFTER) if weekly.added_at > now else weekly.added_at
    found: list[Due] = []
    for day, at in _occurrences(now, weekly):
        period = _week_before(day, ZoneInfo(weekly.timezone))
        if at < begins or len(found) == _OLDEST or any(_same(period, one) for one in standing):
            break
        found.append(Due(period, at, expired=bool(found) or now - at > TOO_LATE))
    return tuple(found)


def first(now: datetime, weekly: Weekly, settled: Iterable[Settled]) -> Due | None:
    """The last whole week as of `now`, owed at once to who just subscribed; None when it is settled already."""
    zone = ZoneInfo(weekly.timezone)
    period = _week_before(now.astimezone(zone).date(), zone)
    settled_already = any(_same(period, one) for one in settled if not _from_a_clock_ahead(one, now))
    return None if settled_already else Due(period, now.astimezone(UTC))


def comes_by_itself(now: datetime, weekly: Weekly) -> bool:
    """Whether the last whole week as of `now` is owed by the timetable: already, or later in this week."""
    zone = ZoneInfo(weekly.timezone)
    this_monday = _monday(now.astimezone(zone).date())
    return bool(due(now, weekly, ())) or _monday(next_at(now, weekly).astimezone(zone).date()) == this_monday


def next_at(now: datetime, weekly: Weekly) -> datetime:
    """The next instant (UTC) after `now` at which the subscription's day and time come round."""
    today = now.astimezone(ZoneInfo(weekly.timezone)).date()
    monday = _monday(today) - _WEEK
    return next(at for week in count() if (at := _occurrence(monday + week * _WEEK, weekly)[1]) > now)


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


def _occurrences(now: datetime, weekly: Weekly) -> Iterator[tuple[date, datetime]]:
    """The days and instants up to `now`, newest first."""
    monday = _monday(now.astimezone(ZoneInfo(weekly.timezone)).date())
    found = (_occurrence(monday - week * _WEEK, weekly) for week in count())
    return (one for one in found if one[1] <= now)


def _occurrence(monday: date, weekly: Weekly) -> tuple[date, datetime]:
    day = monday + timedelta(days=weekly.day)
    return day, _instant(datetime.combine(day, weekly.time), ZoneInfo(weekly.timezone))


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
