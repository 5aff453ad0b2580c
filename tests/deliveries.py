"""A bot that only delivers, on a real store and the chat double; as a process: DATABASE CHAT INSTANT FAULT [CALL]."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bot.delivery.gate import Allowed, Gate
from bot.delivery.patience import Patience
from bot.delivery.planning import Planner
from bot.delivery.sending import Deliverer, DigestOf
from bot.message import Message, Plain, PullRequestRef, Text
from bot.models import Period
from bot.ports import ChatPlatform
from bot.store.deliveries import Delivery, State
from bot.store.store import Store
from bot.store.subscriptions import Subscription, subscription_id
from tests.doubles.chat import Chat

ROOT, FIRST, SECOND = "2026-01-05", "first", "second"
PLAN = [(None, ROOT), (ROOT, FIRST), (ROOT, SECOND)]
"""What people should see of the digest of the week from 2026-01-05."""

NUMBERS = {FIRST: (7, 8), SECOND: (8,)}
ADDED = datetime(2026, 1, 6, tzinfo=ZoneInfo("Asia/Shanghai"))
DUE = datetime(2026, 1, 12, 9, tzinfo=ZoneInfo("Asia/Shanghai"))
KILLED = -signal.SIGKILL


@dataclass
class Now:
    """A clock that is moved by hand."""

    at: datetime = DUE

    def __call__(self) -> datetime:
        return self.at

    def forward(self, **span: float) -> None:
        self.at += timedelta(**span)


@dataclass(frozen=True)
class Bot:
    """What one process runs."""

    planner: Planner
    deliverer: Deliverer

    def run(self) -> None:
        """One tick, with all that it wakes."""
        self.planner.plan()
        self.deliverer.deliver_all()


def make_subscription(**changes: Any) -> Subscription:
    defaults: dict[str, Any] = {
        "platform": "double",
        "channel": "C1",
        "repositories": ("acme/engine",),
        "day": 0,
        "time": time(9),
        "timezone": "Asia/Shanghai",
        "added_at": ADDED,
    }
    facts = defaults | changes
    named = subscription_id(facts["platform"], facts["channel"], facts["repositories"])
    return Subscription(**({"id": named} | facts))


def subscribed(url: str, *subscriptions: Subscription) -> Store:
    """A new store that holds these, as of when they were added."""
    store = Store.open(url)
    for one in subscriptions or (make_subscription(),):
        store.subscriptions().add(one, "double:U1", one.added_at)
    return store


def digest_of(_: Subscription, period: Period) -> tuple[Message, ...]:
    """A root that says when its week begins, and two replies that cite pull requests."""
    replies = (Message((Text((Plain(text), *map(_ref, numbers))),)) for text, numbers in NUMBERS.items())
    return (Message((Text((Plain(f"{period.since:%Y-%m-%d}"),)),), "the essence"), *replies)


class Failing:
    """A digest that cannot be built the first times."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, subscription: Subscription, period: Period) -> tuple[Message, ...]:
        if self.left:
            self.left -= 1
            raise RuntimeError("no\nfacts")
        return digest_of(subscription, period)


def _ref(number: int) -> PullRequestRef:
    return PullRequestRef(number, f"https://git.example.com/pull/{number}")


def make_bot(
    store: Store,
    chat: ChatPlatform,
    now: Callable[[], datetime],
    *,
    digest: DigestOf = digest_of,
    allowed: Allowed = lambda _: None,
    patience: Patience | None = None,
    accept_clock: bool = False,
) -> Bot:
    subscriptions = store.subscriptions()
    return Bot(
        Planner(store.ledger(), subscriptions.all, now, accept_clock=accept_clock),
        Deliverer(
            store.ledger(), Gate({chat.name: chat}, subscriptions.of, allowed), digest, now, patience or Patience()
        ),
    )


def texts(chat: Chat, channel: str = "C1") -> list[tuple[str | None, str]]:
    """What is visible, without the pull requests that a text names."""
    return [(root, text.partition("#")[0]) for root, text in chat.visible(channel)]


@dataclass
class Scene:
    """A store, a chat and a clock; `bot` is a process that starts now."""

    url: str
    store: Store
    chat: Chat
    now: Now

    def bot(self, **changes: object) -> Bot:
        return make_bot(self.store, self.chat, self.now, **changes)  # type: ignore[arg-type]  # as given

    def run(self, **changes: object) -> None:
        self.bot(**changes).run()

    def only(self) -> Delivery:
        (found,) = self.store.ledger().of_subscription(make_subscription().id)
        return found

    def assert_sent(self) -> None:
        assert texts(self.chat) == PLAN
        assert self.only().state == "sent"
        assert {part.state for part in self.store.ledger().parts(self.only().id)} == {"sent"}

    def outcome(self) -> tuple[State, str]:
        """The state and the note of the one delivery."""
        found = self.only()
        return found.state, found.note or ""


@contextmanager
def staged(folder: Path, url: str) -> Iterator[Scene]:
    """One subscription, due now."""
    now = Now()
    with subscribed(url) as store:
        yield Scene(url, store, Chat(folder / "chat.json", now), now)


def run_process(url: str, chat: Path, at: datetime, fault: str = "", call: int = 0) -> int:
    """Run one tick in a process of its own; returns its exit code, negative for a signal."""
    arguments = json.dumps([url, str(chat), at.isoformat(), fault, call])
    root = Path(__file__).parent.parent
    return subprocess.run(
        [sys.executable, "-m", "tests.deliveries", arguments], cwd=root, check=False, timeout=30
    ).returncode


def _killed(_: Subscription, __: Period) -> tuple[Message, ...]:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still alive")


def _main() -> None:
    url, chat, at, fault, call = json.loads(sys.argv[1])
    now = Now(datetime.fromisoformat(at))
    faults = {call: fault} if call else {}
    with Store.open(url) as store:
        double = Chat(Path(chat), now, faults=faults)
        make_bot(store, double, now, digest=_killed if fault == "kill-building" else digest_of).run()


if __name__ == "__main__":
    _main()
