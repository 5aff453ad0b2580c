"""A timetable, its calendar and a ledger in memory, to hold the schedule against; due instants found by trying."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.calendars import Calendar, Holiday, OnHoliday
from bot.schedule import Due, due

WEEK, DAY, HOUR, MINUTE, SECOND = (timedelta(**{unit: 1}) for unit in ("weeks", "days", "hours", "minutes", "seconds"))
MONDAY = date(2026, 1, 5)


@dataclass(frozen=True)
class DaysOff:
    """A calendar of named days off beside Saturday and Sunday, some of which are worked."""

    off: frozenset[date] = frozenset()
    worked: frozenset[date] = frozenset()

    def is_day_off(self, day: date) -> bool:
        return day in self.off or (day.weekday() > 4 and day not in self.worked)

    def holiday(self, day: date) -> Holiday | None:
        if not self.is_day_off(day):
            return None
        first, last = day, day
        while self.is_day_off(first - DAY):
            first -= DAY
        while self.is_day_off(last + DAY):
            last += DAY
        days = tuple(sorted(one for one in self.off if first <= one <= last))
        return Holiday(("Rest",), first, last, days) if days else None

    def is_arranged(self, year: int) -> bool:
        return year < 2100


@dataclass(frozen=True)
class Weekly:
    day: int = 0
    time: time = time(9)
    timezone: str = "Asia/Shanghai"
    added_at: datetime = datetime(2025, 12, 30, tzinfo=UTC)
    on_holiday: OnHoliday = "post"
    calendar: Calendar | None = None


@dataclass(frozen=True)
class Entry:
    since: datetime
    until: datetime
    expired_at: datetime | None = None
    skipped: bool = False


@dataclass
class Simulated:
    """A ledger in memory, and what would have been posted when by the bot's own clock."""

    weekly: Weekly
    entries: list[Entry] = field(default_factory=list)
    posted: list[tuple[datetime, Due]] = field(default_factory=list)

    def tick(self, now: datetime) -> None:
        for one in reversed(due(now, self.weekly, self.entries, self.weekly.calendar)):
            overwritten = [entry for entry in self.entries if entry.since == one.period.since]
            for entry in overwritten:
                self.entries.remove(entry)
            expired_at = now if one.expired else None
            self.entries.insert(0, Entry(one.period.since, one.period.until, expired_at, one.skipped))
            if not (one.expired or one.skipped):
                self.posted.append((now, one))


def occurrence(day: date, at: time, zone: str) -> datetime:
    """The first whole minute at which a clock in the zone shows this time or a later one, found by trying."""
    wall = datetime.combine(day, at)
    low = wall.replace(tzinfo=UTC) - 30 * HOUR
    low += next(step * HOUR for step in range(80) if shown(low + (step + 1) * HOUR, zone) >= wall)
    return next(low + step * MINUTE for step in range(121) if shown(low + step * MINUTE, zone) >= wall)


def comes(weekly: Weekly, monday: date) -> datetime | None:
    """When the digest of one week of the timetable comes; None: it is left out."""
    day = monday + weekly.day * DAY
    if weekly.calendar is not None and weekly.on_holiday != "post" and weekly.calendar.holiday(day) is not None:
        if weekly.on_holiday == "skip":
            return None
        while weekly.calendar.is_day_off(day):
            day += DAY
    return occurrence(day, weekly.time, weekly.timezone)


def shown(instant: datetime, zone: str) -> datetime:
    return instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def local(text: str, zone: str = "Asia/Shanghai") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


def entries(found: Iterable[Due]) -> list[Entry]:
    return [Entry(one.period.since, one.period.until) for one in found]
