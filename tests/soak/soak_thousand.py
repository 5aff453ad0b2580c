"""A thousand subscriptions due at once: all delivered in order within the hour, and within the platform's limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from bot.store.store import Store
from bot.store.subscriptions import Subscription, subscription_id
from tests.database import new_database
from tests.deliveries import ADDED, DUE, make_subscription
from tests.doubles.slack import Slack
from tests.soak.thousand import Monday, Replica, Took, judge, too_soon
from tests.soak.virtual import VirtualTime

NUMBER, CHANNELS = 1_000, 800
HOUR = timedelta(hours=1)
_FAULTS = ("drop_before", "drop_after", "http_500")


@contextmanager
def limited() -> Iterator[tuple[VirtualTime, Slack]]:
    """A workspace with Slack's limits, just before the hour."""
    time = VirtualTime(DUE - timedelta(seconds=15))
    with Slack(now=lambda: time.now().timestamp(), rate_limit=True) as slack:
        yield time, slack


def subscribed(store: Store, slack: Slack, number: int, channels: int) -> tuple[Subscription, ...]:
    """Some channels have two."""
    names = [slack.channel(f"c{place}") for place in range(channels)]
    listed = []
    for place in range(number):
        channel, about = names[place % channels], (f"acme/engine-{place // channels}",)
        named = subscription_id("slack", channel, about)
        listed.append(make_subscription(id=named, platform="slack", channel=channel, repositories=about))
    store.subscriptions().seed(listed, ADDED)
    return tuple(listed)


def disturb(slack: Slack, calls: int) -> None:
    """Every hundredth post goes wrong."""
    for place in range(100, calls, 100):
        slack.fail("chat.postMessage", _FAULTS[place // 100 % len(_FAULTS)], skip=place)


def delivered(url: str, *, replicas: int, kill: float | None = None, number: int = NUMBER) -> Took:
    """What it took `replicas` bots on a database, of which the last is killed after `kill` seconds (None: none)."""
    with limited() as (time, slack), Store.open(url) as store:
        listed = subscribed(store, slack, number, number * CHANNELS // NUMBER)
        disturb(slack, 9 * number)
        bots = [Replica(f"bot{place}", store, slack, time) for place in range(replicas)]
        monday = Monday(time, store, slack, bots)
        if kill is not None:
            monday.at[kill] = lambda: setattr(bots[-1], "dead", True)
        monday.run()
        took = judge(monday, listed, DUE)
        print(took)  # noqa: T201 - `make soak` shows it
        assert [bot.dead for bot in bots] == [False] * (replicas - 1) + [kill is not None]
        assert replicas > 1 or too_soon(slack) == 0
        return took


def test_one_bot_on_sqlite(tmp_path: Path) -> None:
    took = delivered(f"sqlite:///{tmp_path / 'bot.db'}", replicas=1)
    assert took.time < HOUR
    assert took.limited <= took.posts // 100


def test_two_replicas_on_postgresql_of_which_one_is_killed() -> None:
    took = delivered(new_database(), replicas=2, kill=180.0)
    assert took.time < HOUR
    # Replicas do not know of each other's pace: while both run they post more than a workspace takes.
    assert took.limited <= took.posts // 10


def test_without_a_pace_slack_is_stormed(tmp_path: Path) -> None:
    """The control: what the bot does not do would be seen."""
    with limited() as (time, slack), Store.open(f"sqlite:///{tmp_path / 'bot.db'}") as store:
        listed = subscribed(store, slack, 40, 10)
        monday = Monday(time, store, slack, [Replica("hasty", store, slack, time, interval=0.0)])
        monday.run()
        took = judge(monday, listed, DUE)
        print(took)  # noqa: T201 - `make soak` shows it
        assert took.limited > took.posts // 10
