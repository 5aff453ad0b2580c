"""Digests that are late, too late or cannot be built."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.delivery.patience import Patience
from bot.schedule import ClockAheadError
from bot.store.deliveries import NOTICE, State
from tests.deliveries import (
    DUE,
    FIRST,
    PLAN,
    ROOT,
    SECOND,
    Bot,
    Failing,
    Scene,
    make_subscription,
    staged,
    texts,
)
from tests.doubles.chat import Fault

LEASE = Patience().lease


@pytest.fixture
def scene(tmp_path: Path, address: str) -> Iterator[Scene]:
    with staged(tmp_path, address) as found:
        yield found


def test_a_digest_that_fails_is_built_again(scene: Scene) -> None:
    bot = scene.bot(digest=Failing(2))
    for _ in range(10):
        bot.run()
        scene.now.forward(seconds=30)
    scene.assert_sent()


def run_until_parked(scene: Scene, bot: Bot) -> None:
    for _ in range(200):
        bot.run()
        if scene.only().state == "parked":
            return
        scene.now.forward(seconds=30)
    pytest.fail("never parked")


def test_a_digest_that_fails_for_good_is_told_in_the_channel_and_left_to_a_person(scene: Scene) -> None:
    failing = Failing(Patience().tries)
    bot = scene.bot(digest=failing)
    run_until_parked(scene, bot)
    assert timedelta(minutes=30) < scene.now() - DUE < timedelta(hours=2)
    ((root, said),) = texts(scene.chat)
    delivery = scene.only()
    assert root is None
    assert said.startswith("engine 周报（2026-01-05～01-11，北京时间）没能生成，多次重试都失败了。错误编号")
    assert f"已停在投递 {delivery.id}" in said
    failure = said.partition("错误编号 ")[2][:8]
    assert delivery.note == f"failure {failure}: no facts; then release delivery {delivery.id}"
    assert scene.store.ledger().posted_at("double", "C1", "1.0") is None
    assert scene.store.ledger().release(delivery.id, scene.now())
    bot.run()
    assert [text.splitlines()[0] for _, text in texts(scene.chat)[1:]] == [ROOT, FIRST, SECOND]
    assert scene.only().state == "sent"


@pytest.mark.parametrize("fault", ["lost-after", "lost-before", "limited"])
def test_the_word_that_it_failed_is_itself_seen_once(scene: Scene, fault: Fault) -> None:
    scene.chat.faults = {1: fault}
    bot = scene.bot(digest=Failing(100))
    run_until_parked(scene, bot)
    assert len(texts(scene.chat)) == 1
    assert scene.store.ledger().release(scene.only().id, scene.now())
    run_until_parked(scene, bot)
    assert len(texts(scene.chat)) == 1
    assert scene.store.ledger().parts(scene.only().id)[0].position == NOTICE


def test_a_channel_that_cannot_be_told_stands_in_the_note(scene: Scene) -> None:
    scene.chat.faults = {1: "refused"}
    run_until_parked(scene, scene.bot(digest=Failing(100)))
    assert "no facts; the channel does not know (not in the channel: invite the bot)" in scene.outcome()[1]


def test_an_empty_digest_is_a_failure(scene: Scene) -> None:
    scene.run(digest=lambda _, __: ())
    assert scene.outcome()[0] == "planned"


def test_a_digest_that_ends_the_process_each_time_is_left_to_a_person(scene: Scene) -> None:
    ledger = scene.store.ledger()
    scene.bot().planner.plan()
    for number in range(Patience().tries):
        scene.now.forward(minutes=number and 15)
        assert ledger.claim("killed", scene.now(), LEASE, Patience().building) is not None
    scene.now.forward(minutes=15)
    run_until_parked(scene, scene.bot())
    assert "ended the process 8 times" in scene.outcome()[1]
    assert len(texts(scene.chat)) == 1


def test_down_from_before_the_hour_until_wednesday_makes_one_late_digest(scene: Scene) -> None:
    scene.now.forward(days=2)
    scene.run()
    root = texts(scene.chat)[0][1]
    assert root == f"{ROOT}\n\n迟到的一期：原定 2026-01-12 09:00（北京时间）发出。"
    assert scene.only().state == "sent"


def test_after_four_weeks_only_the_newest_is_posted_and_the_others_are_seen_to_be_missed(scene: Scene) -> None:
    scene.run()
    scene.now.forward(days=29)
    scene.run()
    assert [text.splitlines()[0] for root, text in texts(scene.chat) if root is None] == [ROOT, "2026-02-02"]
    expired = scene.store.ledger().of_state("expired")
    assert [f"{one.period.since:%m-%d}" for one in expired] == ["01-26", "01-19", "01-12"]
    assert {one.note for one in expired} == {"missed: the bot was not running when it was due"}


def test_what_was_planned_and_never_posted_expires(scene: Scene) -> None:
    scene.bot().planner.plan()
    scene.now.forward(days=8)
    scene.run()
    (new, old) = scene.store.ledger().of_subscription(make_subscription().id)
    assert (new.state, old.state) == ("sent", "expired")
    assert old.note == "could not be posted in time (the bot was not running)"
    assert [text.splitlines()[0] for root, text in texts(scene.chat) if root is None] == ["2026-01-12"]


@pytest.mark.parametrize(("fault", "state"), [("lost-before", "expired"), ("lost-after", "sent")])
def test_a_root_of_unknown_fate_is_looked_for_however_old_and_never_posted_late(
    scene: Scene, fault: Fault, state: State
) -> None:
    scene.chat.faults = {1: fault}
    scene.run()
    scene.now.forward(days=6, hours=13)
    scene.run()
    assert scene.only().state == state
    assert texts(scene.chat) == (PLAN if state == "sent" else [])


def test_a_clock_a_year_ahead_posts_nothing_and_says_so(scene: Scene) -> None:
    scene.run()
    scene.now.forward(days=400)
    with pytest.raises(ClockAheadError, match="400 days after"):
        scene.run()
    assert len(scene.store.ledger().of_state("sent", "expired", "planned")) == 1
    scene.run(accept_clock=True)
    scene.run()
    assert len(texts(scene.chat)) == 2 * len(PLAN)
