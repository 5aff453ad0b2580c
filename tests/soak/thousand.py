"""Many subscriptions due at once, delivered to the Slack double within its limits on a virtual clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from bot.delivery.gate import Gate
from bot.delivery.patience import Patience
from bot.delivery.planning import Planner
from bot.delivery.rounds import Rounds
from bot.delivery.sending import Deliverer
from bot.message import Message, Plain, Text
from bot.models import Period
from bot.platforms.slack.api import Answer, Arguments, SlackApi
from bot.platforms.slack.looking import Looking
from bot.platforms.slack.pace import Pace
from bot.platforms.slack.posting import Poster
from bot.platforms.slack.send import SlackPlatform
from bot.store.store import Store
from bot.store.subscriptions import Subscription
from tests.doubles.slack import Slack
from tests.soak.virtual import TimedWorkers, VirtualTime

TICK = 10.0
THREADS = 4
REPLIES = 8
_CALL = 0.25  # seconds that a call of Slack takes
_BUILDING = 0.4  # seconds that a digest takes; they are built one after another
_PATIENCE = 3600.0 * 6


class Killed(BaseException):
    """The process ends here: nothing that it would still do happens."""


class TimedApi(SlackApi):
    """The Web API as `spend` lets it take time, half before Slack has done what was asked and half after."""

    def __init__(self, slack: Slack, spend: Callable[[float], None]) -> None:
        super().__init__(slack.bot_token, slack.api_url)
        self._spend = spend

    def write(self, method: str, body: Arguments) -> Answer:
        """As SlackApi."""
        return self._timed(super().write, method, body)

    def read(self, method: str, form: Arguments) -> Answer:
        """As SlackApi."""
        return self._timed(super().read, method, form)

    def _timed(self, call: Callable[[str, Arguments], Answer], method: str, arguments: Arguments) -> Answer:
        self._spend(_CALL / 2)
        try:
            return call(method, arguments)
        finally:
            self._spend(_CALL / 2)


@dataclass
class Replica:
    """One process. Once it is `dead`, whatever it calls ends its thread. `interval`: the pace of a channel."""

    name: str
    store: Store
    slack: Slack
    time: VirtualTime
    interval: float | None = None
    dead: bool = False
    _free: float = 0.0

    def __post_init__(self) -> None:
        api = TimedApi(self.slack, self._spend)
        pace = Pace(self.interval, clock=self.time.seconds, pause=self.time.sleep)
        platform = SlackPlatform(api, Poster(api, pace), Looking(api, self.time.seconds))
        subscriptions, ledger = self.store.subscriptions(), self.store.ledger()
        gate = Gate({platform.name: platform}, subscriptions.of, lambda _: None)
        self.workers = TimedWorkers(self.name, self.time, threads=THREADS, ends=(Killed,))
        self.rounds = Rounds(
            Planner(ledger, subscriptions.all, self.time.now),
            Deliverer(ledger, gate, self._digest, self.time.now, Patience()),
            self.workers,
            threads=THREADS,
        )

    def _spend(self, seconds: float) -> None:
        if self.dead:
            raise Killed
        self.time.sleep(seconds)
        if self.dead:
            raise Killed

    def _digest(self, subscription: Subscription, _: Period) -> tuple[Message, ...]:
        """A root and replies that tell whose they are and their number."""
        begins = max(self._free, self.time.seconds())
        self._free = begins + _BUILDING
        self._spend(self._free - self.time.seconds())
        texts = (f"{subscription.id[:8]} {number}" for number in range(REPLIES + 1))
        return tuple(Message((Text((Plain(text),)),), text) for text in texts)


@dataclass
class Monday:
    """What is to be watched while the replicas work. `at` is when something is to happen, in seconds from the start."""

    time: VirtualTime
    store: Store
    slack: Slack
    replicas: Sequence[Replica]
    at: dict[float, Callable[[], None]] = field(default_factory=dict)

    def run(self) -> None:
        """Tick until everything is sent; fails when that takes longer than some hours."""
        self.time.enter()
        try:
            while not self._is_over():
                assert self.time.seconds() < _PATIENCE, self.store.ledger().counts()
                for instant in [one for one in self.at if one <= self.time.seconds()]:
                    self.at.pop(instant)()
                for replica in self.replicas:
                    if not replica.dead:
                        replica.rounds.tick()
                self.time.sleep(TICK)
        finally:
            self.time.leave()
        for replica in self.replicas:
            assert replica.workers.stop(10)

    def _is_over(self) -> bool:
        counts = self.store.ledger().counts()
        return counts["sent"] > 0 and counts["planned"] + counts["sending"] == 0


@dataclass(frozen=True)
class Took:
    """How long it was until the last message stood there, and how often Slack was called and asked to wait."""

    time: timedelta
    posts: int
    limited: int
    looks: int
    looks_limited: int


def judge(monday: Monday, subscriptions: Iterable[Subscription], due_at: datetime) -> Took:
    """Check that each digest stands there once and in order, none early and all recorded. Raises AssertionError."""
    slack, subscriptions = monday.slack, tuple(subscriptions)
    for one in subscriptions:
        said = [post for post in slack.by_app(one.channel) if post.shown.startswith(one.id[:8])]
        assert [post.shown.splitlines()[0] for post in said] == [f"{one.id[:8]} {n}" for n in range(REPLIES + 1)], one
        root, *replies = said
        assert root.thread_ts is None, one
        assert {post.thread_ts for post in replies} == {root.ts}, one
    assert len(slack.by_app()) == len(subscriptions) * (REPLIES + 1)
    assert {state: number for state, number in monday.store.ledger().counts().items() if number} == {
        "sent": len(subscriptions)
    }
    instants = [float(post.ts) for post in slack.by_app()]
    assert min(instants) >= due_at.timestamp()
    posts = slack.calls("chat.postMessage")
    looks = [*slack.calls("conversations.history"), *slack.calls("conversations.replies")]
    took = timedelta(seconds=round(max(instants) - due_at.timestamp()))
    return Took(took, len(posts), len(_limited(posts)), len(looks), len(_limited(looks)))


def too_soon(slack: Slack) -> int:
    """How many posts came to a channel within the second for which Slack had closed it."""
    closed: dict[str, float] = {}
    found = 0
    for call in slack.calls("chat.postMessage"):
        channel = call.arguments["channel"]
        found += call.at < closed.get(channel, 0.0)
        if call in _limited([call]):
            closed[channel] = call.at + 1.0
    return found


def _limited(calls: Iterable[Any]) -> list[Any]:
    return [call for call in calls if call.answer.get("error") == "ratelimited"]
