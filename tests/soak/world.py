"""When a bot runs, what its machine's clock says meanwhile, and which subscriptions it has at which time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from random import Random
from zoneinfo import ZoneInfo, available_timezones

from bot.store.subscriptions import Subscription, subscription_id
from tests.deliveries import make_subscription

MINUTE, HOUR, DAY, WEEK = (timedelta(**{unit: 1}) for unit in ("minutes", "hours", "days", "weeks"))
ZONES = tuple(sorted(zone for zone in available_timezones() if zone not in ("Factory", "localtime")))
_LOADED = tuple(map(ZoneInfo, ZONES))  # zoneinfo keeps eight by itself and reads the others anew each time
INSANE = 400 * DAY
"""So far ahead a clock is not believed."""
_QUARTER = 15 * MINUTE
_STEPS = tuple(minutes * MINUTE for minutes in (-90, -61, -7, -1, 1, 9, 60, 90))


@dataclass(frozen=True)
class Span:
    """The bot runs from `begins` until `ends` (true time), its clock being `ahead` of the true time.

    `fresh`: a process starts with it; otherwise only the clock was set.
    """

    begins: datetime
    ends: datetime
    ahead: timedelta = timedelta(0)
    fresh: bool = True

    def true(self, machine: datetime) -> datetime | None:
        """When in this span the clock shows this instant; None: it does not."""
        at = machine - self.ahead
        return at if self.begins <= at < self.ends else None


@dataclass(frozen=True)
class Disturbance:
    """A stretch of true time in which the clock is `ahead`, or the bot is down (None)."""

    begins: datetime
    ends: datetime
    ahead: timedelta | None = None


@dataclass(frozen=True)
class Version:
    """What a subscription says from an instant (true time) on."""

    begins: datetime
    says: Subscription


Life = tuple[Version, ...]
"""The versions of one subscription, oldest first."""


def spans(begins: datetime, ends: datetime, disturbed: Sequence[Disturbance]) -> tuple[Span, ...]:
    """The whole time in pieces; where several stretches overlap, the bot is down or its clock off as the last says."""
    cuts = sorted({begins, ends, *(min(max(at, begins), ends) for one in disturbed for at in (one.begins, one.ends))})
    found: list[Span] = []
    down = True
    for start, stop in pairwise(cuts):
        over = [one.ahead for one in disturbed if one.begins <= start < one.ends]
        ahead = over[-1] if over else timedelta(0)
        if ahead is None or None in over:
            down = True
            continue
        found.append(Span(start, stop, ahead, fresh=down))
        down = False
    return tuple(found)


def ordinary(random: Random, begins: datetime, ends: datetime) -> tuple[Span, ...]:
    """Outages of up to two and a half days, and a clock that is set by up to an hour and a half."""
    number = max(1, 2 * _months(begins, ends))
    down = _disturbances(random, (begins, ends), number, 60 * HOUR, (None,))
    off = _disturbances(random, (begins, ends), number, 5 * DAY, _STEPS)
    return spans(begins, ends, [*off, *down])


def rough(random: Random, begins: datetime, ends: datetime) -> tuple[Span, ...]:
    """Outages of weeks, clocks that are days off, and for an afternoon over a year ahead."""
    number = max(1, _months(begins, ends))
    down = _disturbances(random, (begins, ends), number, 40 * DAY, (None,))
    off = _disturbances(random, (begins, ends), number, 2 * DAY, (*_STEPS, -10 * DAY, -2 * DAY, 3 * DAY))
    afternoon = begins + random.randrange((ends - begins).days) * DAY
    insane = Disturbance(afternoon, afternoon + 3 * HOUR, INSANE)
    return spans(begins, ends, [*off, insane, *down])


def mondays(zones: Iterable[str], begins: datetime) -> list[Life]:
    """A channel for each zone, with its digest on Monday at 09:00."""
    return [(Version(begins, make_subscription(channel=zone, timezone=zone, added_at=begins)),) for zone in zones]


def in_gaps(zones: Iterable[str], begins: datetime, ends: datetime) -> list[Life]:
    """One in the channel of each zone whose clocks are put forward meanwhile, at a time that is skipped then."""
    found = ((zone, _skipped(ZoneInfo(zone), begins, ends)) for zone in zones)
    return [_weekly_at(zone, wall, begins) for zone, wall in found if wall is not None]


def _weekly_at(zone: str, wall: datetime, begins: datetime) -> Life:
    about = ("acme/gap",)
    named = subscription_id("double", zone, about)
    at = {"day": wall.weekday(), "time": wall.time(), "timezone": zone, "added_at": begins}
    return (Version(begins, make_subscription(id=named, channel=zone, repositories=about, **at)),)


def _skipped(zone: ZoneInfo, begins: datetime, ends: datetime) -> datetime | None:
    """A time on the wall that the first change skips; None: there is no such change."""
    at = begins.replace(minute=0, second=0)
    while at < ends:
        wall, then = (one.astimezone(zone).replace(tzinfo=None) for one in (at, at + HOUR))
        if then - wall > HOUR:
            return wall + _quarters(wall, zone) * _QUARTER
        at += HOUR
    return None


def _quarters(wall: datetime, zone: ZoneInfo) -> int:
    """How many until a time that is never shown."""
    for number in range(1, 9):
        at = (wall + number * _QUARTER).replace(tzinfo=zone)
        if at.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != at.replace(tzinfo=None):
            return number + 1  # well inside
    raise ValueError(f"no gap in {zone} after {wall}")


def changing(zones: Iterable[str], begins: datetime, ends: datetime, random: Random, name: str) -> list[Life]:
    """One in the channel of each zone, about `name`, at any time; its day, time and zone are changed now and then."""
    return [tuple(_versions(zone, begins, ends, random, name)) for zone in zones]


def _versions(zone: str, begins: datetime, ends: datetime, random: Random, name: str) -> Iterator[Version]:
    about = (f"acme/{name}",)
    says = make_subscription(
        id=subscription_id("double", zone, about), channel=zone, repositories=about, timezone=zone, added_at=begins
    )
    says = replace(says, day=_day(random), time=_time(random))
    yield Version(begins, says)
    for at in sorted(_instant(random, begins, ends - begins) for _ in range(random.randrange(6))):
        changes = {"day": _day(random), "time": _time(random), "timezone": random.choice(ZONES)}
        kept = random.sample(sorted(changes), random.randint(1, 3))
        says = replace(says, **{name: changes[name] for name in kept})  # type: ignore[arg-type]  # each of its type
        yield Version(at, says)


def _day(random: Random) -> int:
    """Clocks are changed from Friday to Sunday."""
    return random.choice((4, 5, 6, 6, random.randrange(7)))


def _time(random: Random) -> time:
    """Many at an hour that some days skip or repeat."""
    return time(random.choice((0, 1, 2, 2, 3, random.randrange(24))), random.choice((0, 30, 59)))


def _disturbances(
    random: Random,
    between: tuple[datetime, datetime],
    number: int,
    longest: timedelta,
    aheads: Sequence[timedelta | None],
) -> Iterator[Disturbance]:
    """As many stretches of up to `longest`, spread evenly; none sets the clock to before the beginning."""
    begins, ends = between
    share = (ends - begins) / number
    for place in range(number):
        begin = _instant(random, begins + place * share, share)
        length = max(2, round(random.random() * (longest / MINUTE)))
        ahead = random.choice(aheads)
        if ahead is None or begin + ahead > begins:
            yield Disturbance(begin, begin + length * MINUTE, ahead)


def _instant(random: Random, begins: datetime, within: timedelta) -> datetime:
    """Well after a whole minute, at which digests are due, so that a tick comes between the two."""
    return (begins + random.random() * within).replace(second=random.randrange(25, 35), microsecond=0)


def _months(begins: datetime, ends: datetime) -> int:
    return round((ends - begins) / (30 * DAY))
