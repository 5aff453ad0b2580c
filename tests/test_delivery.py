"""Digests are posted whole and in order, where and when they may be."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.delivery.patience import Patience
from bot.delivery.rounds import Rounds
from bot.ports import NotSent
from bot.store.subscriptions import Subscription
from bot.workers import Workers
from tests.deliveries import (
    FIRST,
    PLAN,
    SECOND,
    Failing,
    Now,
    Scene,
    make_bot,
    make_subscription,
    staged,
    subscribed,
    texts,
)
from tests.doubles.chat import Chat


@pytest.fixture
def scene(tmp_path: Path, address: str) -> Iterator[Scene]:
    with staged(tmp_path, address) as found:
        yield found


def test_a_digest_is_posted_once_root_first_and_replies_in_its_thread(scene: Scene) -> None:
    scene.now.forward(seconds=-1)
    bot = scene.bot()
    bot.run()
    assert texts(scene.chat) == []
    scene.now.forward(seconds=1)
    for _ in range(3):
        bot.run()
    scene.assert_sent()
    assert scene.chat.looks == 0
    citing = scene.store.ledger().citing("double", "C1", "https://git.example.com/pull/8")
    assert citing is not None
    assert (citing.thread, citing.beside) == ("1.0", "3.0")


def test_a_limited_channel_waits_as_long_as_it_is_told_and_holds_up_no_other(tmp_path: Path, address: str) -> None:
    now = Now()
    channels = tuple(f"C{number}" for number in range(1, 21))
    subscriptions = [make_subscription(channel=channel) for channel in channels]
    with subscribed(address, *subscriptions) as store:
        chat = Chat(tmp_path / "chat.json", now, channels, {1: "limited", 2: "limited"}, retry_after=90.0)
        bot = make_bot(store, chat, now)
        bot.run()
        assert sum(texts(chat, channel) == PLAN for channel in channels) == 18
        now.forward(seconds=89)
        bot.run()
        assert store.ledger().counts()["sent"] == 18
        now.forward(seconds=1)
        bot.run()
        assert all(texts(chat, channel) == PLAN for channel in channels)


def test_what_is_refused_is_parked_with_the_reason_and_goes_on_when_released(scene: Scene) -> None:
    scene.chat.faults = {1: "refused"}
    bot = scene.bot()
    bot.run()
    delivery = scene.only().id
    assert scene.outcome() == ("parked", f"not in the channel: invite the bot; then release delivery {delivery}")
    scene.now.forward(days=1)
    bot.run()
    assert texts(scene.chat) == []
    assert scene.store.ledger().release(delivery, scene.now())
    bot.run()
    assert [text.splitlines()[-1] for _, text in texts(scene.chat)] == [
        "迟到的一期：原定 2026-01-12 09:00（北京时间）发出。",
        FIRST,
        SECOND,
    ]


def test_a_deleted_root_ends_the_delivery(scene: Scene) -> None:
    scene.chat.faults = {2: "limited"}
    bot = scene.bot()
    bot.run()
    scene.chat.withdraw("C1", "1.0")
    scene.now.forward(minutes=1)
    for _ in range(3):
        bot.run()
    assert scene.outcome() == ("cancelled", "its root was deleted (no thread 1.0)")
    assert texts(scene.chat) == []


def test_what_must_not_be_shown_is_parked_when_planned_and_when_posted(scene: Scene) -> None:
    answers = iter([None, "private: the channel is shared"])
    scene.run(allowed=lambda _: next(answers))
    assert scene.outcome()[0] == "parked"
    assert scene.outcome()[1].startswith("private: the channel is shared; then release delivery")
    assert texts(scene.chat) == []
    assert scene.store.ledger().release(scene.only().id, scene.now())
    never_built = Failing(1)
    scene.run(allowed=lambda _: "private", digest=never_built)
    assert (never_built.left, scene.outcome()[0]) == (1, "parked")


def test_when_it_is_not_known_who_reads_the_channel_it_is_asked_again(scene: Scene) -> None:
    def unknown(_: Subscription) -> str | None:
        raise NotSent("the platform does not answer", 30.0)

    scene.run(allowed=unknown)
    assert scene.outcome() == ("planned", "the platform does not answer")
    scene.now.forward(seconds=30)
    scene.run()
    scene.assert_sent()


def test_a_new_subscriber_gets_last_week_at_once_and_not_again(scene: Scene) -> None:
    scene.now.forward(days=2)
    late = make_subscription(channel="C2", added_at=scene.now(), day=4)
    scene.store.subscriptions().add(late, "double:U1", scene.now())
    scene.chat.channels = ("C1", "C2")
    bot = scene.bot()
    assert bot.planner.first(late)
    assert not bot.planner.first(late)
    bot.run()
    assert texts(scene.chat, "C2") == PLAN
    scene.now.forward(days=2)
    bot.run()
    assert texts(scene.chat, "C2") == PLAN


def test_a_removed_subscription_gets_nothing_more(scene: Scene) -> None:
    scene.bot().planner.plan()
    scene.store.subscriptions().remove(make_subscription().id, "double:U1", scene.now())
    scene.run()
    assert scene.outcome() == ("cancelled", "the subscription was removed")
    assert texts(scene.chat) == []


def test_a_platform_that_is_not_configured_parks(scene: Scene) -> None:
    scene.bot().planner.plan()
    scene.chat.name = "other"
    scene.run()
    assert scene.outcome()[1].startswith("double is not configured: add its section, or remove the subscription;")


def test_one_unreadable_subscription_holds_up_no_other(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    broken = replace(make_subscription(channel="C2"), timezone="Atlantis/Centre")
    scene.store.subscriptions().add(broken, "double:U1", broken.added_at)
    scene.run()
    scene.assert_sent()
    assert "double channel C2: unknown time zone Atlantis/Centre" in caplog.text


def test_stopping_finishes_the_part_and_leaves_the_rest_to_the_next(scene: Scene) -> None:
    bot = scene.bot()
    scene.chat.pause = lambda call: bot.deliverer.stop() if call == 2 else None
    bot.run()
    assert texts(scene.chat) == PLAN[:2]
    bot.run()
    assert texts(scene.chat) == PLAN[:2]
    scene.run()
    scene.assert_sent()


def test_rounds_plan_and_deliver_in_workers(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    workers = Workers("deliver", threads=2)
    bot = scene.bot()
    rounds = Rounds(bot.planner, bot.deliverer, workers, threads=2)
    rounds.tick()
    rounds.tick()
    assert not rounds.first(make_subscription())
    assert workers.stop(10)
    scene.assert_sent()
    rounds.stop()
    rounds.wake()
    assert "is sent" in caplog.text


def test_keys_tell_nothing_and_differ(scene: Scene) -> None:
    scene.run()
    keys = [part.key for part in scene.store.ledger().parts(scene.only().id)]
    assert len(set(keys)) == 3
    assert all(len(key) == 64 and set(key) <= set("0123456789abcdef") for key in keys)


def test_a_lease_must_outlast_what_it_is_for() -> None:
    with pytest.raises(ValueError, match="settled"):
        Patience(lease=timedelta(seconds=5))
