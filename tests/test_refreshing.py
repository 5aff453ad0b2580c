"""When repositories are read: hourly, and in time before a digest, as early as that takes long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from bot.models import Period
from bot.ports import SourceError
from bot.refreshing import Refreshing
from bot.store.subscriptions import Subscription
from tests.bot_process import until
from tests.deliveries import make_subscription

MINUTE = timedelta(minutes=1)
MONDAY = datetime(2026, 3, 9, 1, tzinfo=UTC)
"""Nine o'clock in Shanghai, when the digest comes."""


@dataclass
class Scene:
    """A repository takes `minutes` to read, on a clock of its own. `rounds`: how long before the digest one began."""

    now: datetime
    minutes: float = 1.0
    subscriptions: tuple[Subscription, ...] = (make_subscription(),)
    rounds: list[timedelta] = field(default_factory=list)
    read: list[tuple[str, str]] = field(default_factory=list)
    passed: float = 0.0
    looks: int = 0
    fails: bool = False

    def refresh(self, name: str, period: Period) -> None:
        self.read.append((name, period.timezone))
        self.passed += 60 * self.minutes
        if self.fails:
            raise SourceError("the source is gone")

    def clock(self) -> float:
        """Looked at when a round begins, and when it ends."""
        if self.looks % 2 == 0:
            self.rounds.append(MONDAY - self.now)
        self.looks += 1
        return self.passed


@contextmanager
def refreshing(scene: Scene) -> Iterator[Refreshing]:
    made = Refreshing(scene, lambda: scene.subscriptions, lambda: scene.now, scene.clock)
    try:
        yield made
    finally:
        assert made.stop(10)


def live(scene: Scene, end: datetime) -> None:
    """Tick every half minute; a round ends before the next tick."""
    with refreshing(scene) as made:
        while scene.now < end:
            made.tick()
            until(lambda: scene.looks % 2 == 0 and made.idle, 5, "the round ended")
            scene.now += MINUTE / 2


@pytest.mark.parametrize(
    ("minutes", "rounds"), [(0.1, [130, 70, 10, 2]), (8.0, [130, 70, 16]), (300.0, [130, 70, 55, -5])]
)
def test_a_digest_finds_its_repository_read(minutes: float, rounds: list[int]) -> None:
    scene = Scene(MONDAY - 130 * MINUTE, minutes)
    live(scene, MONDAY + 40 * MINUTE)
    assert scene.rounds == [before * MINUTE for before in rounds]


def test_each_repository_is_read_once_a_round() -> None:
    both = make_subscription(id="2", channel="C2", repositories=("acme/engine", "acme/webapp"))
    scene = Scene(MONDAY - 50 * MINUTE, subscriptions=(make_subscription(), both))
    live(scene, MONDAY - 40 * MINUTE)
    assert sorted(scene.read) == [("acme/engine", "Asia/Shanghai"), ("acme/webapp", "Asia/Shanghai")]


def test_without_channels_nothing_is_read() -> None:
    scene = Scene(MONDAY - 10 * MINUTE, subscriptions=())
    live(scene, MONDAY + 10 * MINUTE)
    assert scene.read == []


def test_a_source_that_is_gone_is_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    scene = Scene(MONDAY - 10 * MINUTE, fails=True)
    live(scene, MONDAY + 10 * MINUTE)
    assert scene.rounds == [10 * MINUTE, 2 * MINUTE]
    assert "acme/engine could not be brought up to date" in caplog.text


def test_a_clock_that_was_set_back_does_not_stop_it() -> None:
    scene = Scene(MONDAY + timedelta(days=30))
    with refreshing(scene) as made:
        made.tick()
        until(lambda: scene.looks == 2 and made.idle, 5, "the round ended")
        scene.now = MONDAY - timedelta(days=3)
        made.tick()
        until(lambda: scene.looks == 4, 5, "another round")
