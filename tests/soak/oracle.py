"""Which digests must be posted, when, and which are given up: told from the world alone, without the bot's schedule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

from bot.store.subscriptions import Subscription
from tests.soak.world import HOUR, INSANE, MINUTE, WEEK, Life, Span

GIVEN_UP = timedelta(days=6, hours=12)
"""After this the next digest is nearer."""


@dataclass(frozen=True)
class Expected:
    """A digest that must be posted: due at `due_at`, possible while the clock shows `begins` to `ends`."""

    due_at: datetime
    begins: datetime
    ends: datetime


@dataclass
class Expectation:
    """What must become of each week of one subscription, by its Monday."""

    posted: dict[date, Expected] = field(default_factory=dict)
    given_up: dict[date, datetime] = field(default_factory=dict)
    """With what the clock showed then."""

    def settled(self, week: date, at: datetime) -> bool:
        """Whether nothing is owed of a week, as the clock shows `at`; what a clock ahead gave up is owed again."""
        return week in self.posted or self.given_up.get(week, at + WEEK) <= at


@dataclass(frozen=True)
class _Stretch:
    """While the clock goes from `begins` to `ends`, the bot runs and the subscription says this."""

    begins: datetime
    ends: datetime
    says: Subscription


def expected(world: Sequence[Span], life: Life) -> Expectation:
    """What must become of a subscription: the latest digest is posted unless it is too old, older ones are given up."""
    found = Expectation()
    for stretch in _stretches(world, life):
        dues = occurrences(stretch.says, life[0].begins, world[-1].ends + 4 * WEEK)
        for place, (due_at, following) in enumerate(pairwise(dues)):
            begins, ends = max(stretch.begins, due_at), min(stretch.ends, following)
            if begins < ends:
                _settle(found, stretch.says, dues[: place + 1], begins, ends)
    return found


def _settle(found: Expectation, says: Subscription, dues: Sequence[datetime], begins: datetime, ends: datetime) -> None:
    """While the last of these is the latest."""
    latest = dues[-1]
    for due_at in reversed(dues):
        week = week_of(due_at, says)
        if found.settled(week, begins):
            return
        if due_at == latest and begins <= due_at + GIVEN_UP:
            found.given_up.pop(week, None)
            found.posted[week] = Expected(due_at, begins, min(ends, due_at + GIVEN_UP))
        else:
            found.given_up[week] = begins


def week_of(due_at: datetime, says: Subscription) -> date:
    """The Monday of the week before the one that the day of an instant lies in."""
    day = due_at.astimezone(ZoneInfo(says.timezone)).date()
    return day - timedelta(days=day.weekday() + 7)


def occurrences(says: Subscription, begins: datetime, ends: datetime) -> tuple[datetime, ...]:
    """The instants (UTC) between two at which the day and time come round, each found by trying."""
    return _occurrences(says.day, says.time, says.timezone, begins, ends)


@cache
def _occurrences(day: int, at: time, timezone: str, begins: datetime, ends: datetime) -> tuple[datetime, ...]:
    zone = ZoneInfo(timezone)
    first = begins.date() - timedelta(days=begins.weekday() + 7)
    found = (_instant(first + timedelta(weeks=week, days=day), at, zone) for week in range((ends - begins) // WEEK + 3))
    return tuple(one for one in found if begins <= one < ends)


def _instant(day: date, at: time, zone: ZoneInfo) -> datetime:
    """The first minute at which clocks of the zone show this time, or a later one where they skip it."""
    wall = datetime.combine(day, at, UTC)
    offsets = {(wall + shift * HOUR).astimezone(zone).utcoffset() or timedelta(0) for shift in range(-30, 31, 3)}
    candidates = sorted(wall - offset for offset in offsets)
    shown = [one for one in candidates if one.astimezone(zone).replace(tzinfo=UTC) == wall]
    if shown:
        return shown[0]
    instant = candidates[0]
    while instant.astimezone(zone).replace(tzinfo=UTC) < wall:
        instant += MINUTE
    return instant


def _stretches(world: Sequence[Span], life: Life) -> Iterator[_Stretch]:
    ends = [version.begins for version in life[1:]] + [world[-1].ends]
    for span in world:
        for version, end in zip(life, ends, strict=True):
            begins, stops = max(span.begins, version.begins), min(span.ends, end)
            if begins < stops and span.ahead < INSANE:
                yield _Stretch(begins + span.ahead, stops + span.ahead, version.says)
