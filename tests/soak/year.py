"""Subscriptions of many zones over a year: the real planner, ledger and deliverer, at each tick that matters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from heapq import heappop, heappush
from random import Random

from bot.message import Message, Plain, Text
from bot.models import Period
from bot.schedule import ClockAheadError
from bot.store.store import Store
from bot.store.subscriptions import Subscription
from tests.deliveries import Bot, make_bot
from tests.soak.oracle import occurrences
from tests.soak.room import FAULTS, Fault, Killed, Room
from tests.soak.world import WEEK, Life, Span, Version

TICK = timedelta(seconds=10)
RESTART = timedelta(seconds=37)
"""After how long a killed process is there again."""

_SECOND = timedelta(seconds=1)
_LOOKS_BACK = timedelta(hours=2)  # whoever's clock is further ahead does not find what was posted just before
_EARLY = 3  # of so many digests one is looked for just before its time too
_NAME = len("01234567 2026-01-05")


def name_of(text: str) -> str:
    """Which subscription and week a message is of."""
    return text[:_NAME]


def named(subscription: str, week: str) -> str:
    """What messages about a subscription's week begin with."""
    return f"{subscription[:8]} {week}"


@dataclass
class Faults:
    """Every so many posts go wrong in some way, and some digests cannot be built at once."""

    random: Random
    share: float
    quiet: bool = False
    """Nothing goes wrong meanwhile."""

    hit: set[str] = field(default_factory=set)
    """The names of the digests that something went wrong with."""

    def __call__(self, _channel: str, text: str) -> Fault | None:
        return self.random.choice(FAULTS) if self._strikes(name_of(text), self.share) else None

    def digest(self, subscription: Subscription, period: Period) -> tuple[Message, ...]:
        """A root that tells whose it is and its week, and a reply."""
        name = named(subscription.id, f"{period.since:%Y-%m-%d}")
        if self._strikes(name, self.share / 4):
            raise RuntimeError("no facts")
        return tuple(Message((Text((Plain(text),)),), name) for text in (name, f"{name} more"))

    def _strikes(self, name: str, share: float) -> bool:
        if self.quiet or self.random.random() >= share:
            return False
        self.hit.add(name)
        return True


@dataclass
class Year:
    """The simulation. `at` is the true time, `ahead` how far the machine's clock is ahead of it."""

    store: Store
    world: Sequence[Span]
    faults: Faults
    at: datetime
    ahead: timedelta = timedelta(0)
    refused: int = 0
    """Ticks at which the clock was not believed."""

    machine: dict[str, datetime] = field(default_factory=dict)
    """What the clock showed when a post was made, by its id."""

    deaths: list[datetime] = field(default_factory=list)
    """What the clock showed when the process was killed."""

    def __post_init__(self) -> None:
        self.room = Room(lambda: self.at, fault=self.faults)
        self._bot: Bot | None = None
        self._born = self.at
        self._events: list[datetime] = []
        self._changes: list[Version] = []

    def now(self) -> datetime:
        return self.at + self.ahead

    def run(self, lives: Iterable[Life]) -> None:
        """Live through the whole time, from just before it with the subscriptions known."""
        lives = list(lives)
        versions = [version for life in lives for version in life]
        self._changes = sorted(versions, key=lambda version: version.begins, reverse=True)
        dues = sorted({due for life in lives for due in _dues(life, self.world)})
        for span in self.world:
            self._live(span, dues)

    def _live(self, span: Span, dues: Sequence[datetime]) -> None:
        self.at, self.ahead = span.begins, span.ahead
        self.faults.quiet = span.ahead > _LOOKS_BACK
        if span.fresh or self._bot is None:
            self._start()
        changed = (version.begins for version in self._changes if span.begins < version.begins < span.ends)
        self._events = []
        for instant in (span.begins, *changed, *_around(span, dues)):
            heappush(self._events, self._next_tick(instant))
        while self._events:
            at = heappop(self._events)
            if span.begins <= at < span.ends and at >= self.at:
                self.at = at
                self._tick()

    def _start(self) -> None:
        self._born = self.at
        self._bot = make_bot(self.store, self.room, self.now, digest=self.faults.digest)

    def _next_tick(self, instant: datetime) -> datetime:
        """The first tick at or after an instant; the process ticks when it starts and then every `TICK`."""
        return self._born + -((self._born - instant) // TICK) * TICK

    def _tick(self) -> None:
        self._change()
        if self._bot is None:
            self._start()
        assert self._bot is not None
        before = len(self.room.posts)
        try:
            self._bot.run()
        except ClockAheadError:
            self.refused += 1
        except Killed:
            self._bot = None
            self.deaths.append(self.now())
            self._born = self.at + RESTART
            heappush(self._events, self._born)
        finally:
            self.machine |= {post.id: self.now() for post in self.room.posts[before:]}
        if self._bot is not None:
            self._wait()

    def _change(self) -> None:
        """Add and change the subscriptions that were to be by now."""
        while self._changes and self._changes[-1].begins <= self.at:
            says = self._changes.pop().says
            self.store.subscriptions().add(says, "double:U1", says.added_at)

    def _wait(self) -> None:
        """Come back when what is unfinished can go on."""
        for one in self.store.ledger().of_state("planned", "sending"):
            until = max((at for at in (one.not_before, one.lease_until) if at is not None), default=self.now())
            heappush(self._events, self._next_tick(max(until - self.ahead, self.at + _SECOND)))


def _around(span: Span, dues: Iterable[datetime]) -> Iterator[datetime]:
    """Instants at which the clock shows the time of a digest, and now and then just before."""
    for place, due in enumerate(dues):
        for machine in (due - TICK, due) if place % _EARLY == 0 else (due,):
            at = span.true(machine)
            if at is not None:
                yield at


def _dues(life: Life, world: Sequence[Span]) -> Iterator[datetime]:
    """While a version is in force, and two weeks before and after: clocks are set."""
    ends = [*(version.begins for version in life[1:]), world[-1].ends]
    for version, end in zip(life, ends, strict=True):
        yield from occurrences(version.says, version.begins - 2 * WEEK, end + 2 * WEEK)
