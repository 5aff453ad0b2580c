"""Digests are seen once, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.delivery.patience import Patience
from bot.store.errors import StoreError
from bot.store.store import Store
from bot.workers import Workers
from tests.deliveries import (
    DUE,
    KILLED,
    PLAN,
    ROOT,
    Now,
    Scene,
    make_bot,
    run_process,
    staged,
    subscribed,
    texts,
)
from tests.doubles.chat import Chat, Fault
from tests.stores import FILE, POSTGRESQL, addressed, back_up, impatient, locked, restored

LEASE, SETTLE = Patience().lease, Patience().settle


@pytest.fixture
def scene(tmp_path: Path, address: str) -> Iterator[Scene]:
    with staged(tmp_path, address) as found:
        yield found


def test_five_replicas_at_the_hour_make_one_digest(scene: Scene) -> None:
    workers = Workers("deliver", threads=5)
    for bot in [scene.bot() for _ in range(5)]:
        bot.planner.plan()
        assert workers.submit(lambda bot=bot: bot.deliverer.deliver_all)  # type: ignore[misc]
    assert workers.stop(10)
    scene.assert_sent()


@pytest.mark.parametrize(
    ("fault", "call", "before"),
    [
        ("kill-building", 0, []),
        ("kill-before", 1, []),
        ("kill-after", 1, PLAN[:1]),
        ("kill-before", 2, PLAN[:1]),
        ("kill-after", 2, PLAN[:2]),
        ("kill-after", 3, PLAN),
    ],
)
def test_a_killed_process_is_gone_on_from(
    scene: Scene, fault: str, call: int, before: list[tuple[str | None, str]]
) -> None:
    assert run_process(scene.url, scene.chat.path, DUE, fault, call) == KILLED
    assert texts(scene.chat) == before
    scene.run()
    assert texts(scene.chat) == before, "its lease is not over"
    scene.now.forward(minutes=15)
    scene.run()
    scene.assert_sent()


@dataclass
class Blind(Chat):
    """Finds nothing: the control without reconciliation."""

    def find(self, channel: str, key: str, since: datetime, thread: str | None = None) -> str | None:  # noqa: ARG002
        return None


def test_without_reconciliation_there_would_be_two(scene: Scene) -> None:
    assert run_process(scene.url, scene.chat.path, DUE, "kill-after", 1) == KILLED
    scene.now.forward(minutes=15)
    scene.chat = Blind(scene.chat.path, scene.now)
    scene.run()
    assert texts(scene.chat).count((None, ROOT)) == 2


@pytest.mark.parametrize("kind", [FILE, POSTGRESQL])
@given(
    st.dictionaries(st.integers(1, 9), st.sampled_from(["limited", "lost-before", "lost-after", "bug"]), max_size=6),
    st.sampled_from([timedelta(0), timedelta(seconds=9)]),
)
@settings(max_examples=15)
def test_whatever_gets_lost_on_the_way_each_part_is_seen_once(
    tmp_path_factory: pytest.TempPathFactory, kind: str, faults: dict[int, Fault], lag: timedelta
) -> None:
    folder = tmp_path_factory.mktemp("faults")
    now = Now()
    with addressed(kind, folder) as address, subscribed(address) as store:
        chat = Chat(folder / "chat.json", now, faults=faults, lag=lag)
        bot = make_bot(store, chat, now)
        while store.ledger().counts()["sent"] == 0 and now() < DUE + timedelta(minutes=20):
            bot.run()
            now.forward(seconds=30)
        Scene("", store, chat, now).assert_sent()


def test_nothing_is_looked_for_before_it_has_settled(scene: Scene) -> None:
    scene.chat.faults = {1: "lost-after"}
    scene.chat.lag = SETTLE
    bot = scene.bot()
    bot.run()
    scene.now.forward(seconds=SETTLE.total_seconds() - 1)
    bot.run()
    assert (scene.chat.looks, scene.outcome()[0]) == (0, "sending")
    scene.now.forward(seconds=1)
    bot.run()
    scene.assert_sent()
    assert scene.chat.sends == 3


def test_who_was_stopped_past_the_lease_withdraws_the_second_copy(scene: Scene) -> None:
    def other_takes_over(call: int) -> None:
        if call == 1:
            scene.now.forward(seconds=LEASE.total_seconds())
            scene.chat.lag = timedelta(days=1)  # so that the other does not find what was posted
            scene.run()

    scene.chat.pause = other_takes_over
    scene.run()
    scene.chat.lag = timedelta(0)
    assert len(scene.chat.path.read_text().split('"deleted": true')) == 2
    scene.assert_sent()


def test_who_was_stopped_past_the_lease_leaves_what_was_found(scene: Scene) -> None:
    def other_takes_over(call: int) -> None:
        if call == 1:
            scene.now.forward(seconds=LEASE.total_seconds())
            scene.run()

    scene.chat.pause = other_takes_over
    scene.run()
    assert scene.chat.sends == 3
    scene.assert_sent()


def test_a_copy_that_cannot_be_withdrawn_is_named_in_the_log(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    @dataclass
    class Locked(Chat):
        def withdraw(self, channel: str, message: str) -> None:
            super().withdraw(channel, message)
            super().withdraw(channel, message)  # already gone: refused

    def other_takes_over(call: int) -> None:
        if call == 1:
            scene.now.forward(seconds=LEASE.total_seconds())
            scene.chat.lag = timedelta(days=1)
            scene.run()

    scene.chat = Locked(scene.chat.path, scene.now, pause=other_takes_over)
    scene.run()
    assert "delete https://chat.example.com/C1/" in caplog.text


def test_where_nothing_can_be_looked_for_a_person_is_asked(scene: Scene) -> None:
    scene.chat.faults = {2: "lost-before"}
    scene.chat.history = False
    bot = scene.bot()
    bot.run()
    scene.now.forward(minutes=1)
    bot.run()
    state, note = scene.outcome()
    assert state == "parked"
    assert "look in the channel and delete it if it is there" in note
    assert note.endswith(f"then release delivery {scene.only().id}")
    assert texts(scene.chat) == PLAN[:1]
    assert scene.store.ledger().release(scene.only().id, scene.now())
    bot.run()
    scene.assert_sent()


def test_where_something_was_posted_after_all_a_release_finds_it(scene: Scene) -> None:
    scene.chat.faults = {2: "lost-after"}
    scene.chat.history = False
    bot = scene.bot()
    bot.run()
    scene.now.forward(minutes=1)
    bot.run()
    scene.chat.history = True
    assert scene.store.ledger().release(scene.only().id, scene.now())
    bot.run()
    scene.assert_sent()


def test_a_database_restored_from_before_the_digest_posts_nothing_twice(scene: Scene, tmp_path: Path) -> None:
    back_up(scene.url, tmp_path)
    scene.run()
    scene.now.forward(minutes=10)
    with restored(scene.url, tmp_path) as address, Store.open(address) as store:
        restored_scene = replace(scene, store=store)
        restored_scene.run()
        restored_scene.assert_sent()


def test_a_database_restored_from_between_two_parts_posts_nothing_twice(scene: Scene, tmp_path: Path) -> None:
    def keep_a_copy(call: int) -> None:
        if call == 2:
            back_up(scene.url, tmp_path)

    scene.chat.pause = keep_a_copy
    scene.run()
    scene.now.forward(minutes=10)
    with restored(scene.url, tmp_path) as address, Store.open(address) as store:
        restored_scene = replace(scene, store=store)
        restored_scene.run()
        restored_scene.assert_sent()


def test_a_locked_database_is_planned_at_the_next_tick(scene: Scene) -> None:
    with Store.open(impatient(scene.url)) as store:
        bot = make_bot(store, scene.chat, scene.now)
        with locked(scene.url), pytest.raises(StoreError, match=r"keeps .* locked"):
            bot.run()
        bot.run()
    scene.assert_sent()


def test_a_database_that_fails_after_a_message_was_posted_is_reconciled(scene: Scene) -> None:
    with ExitStack() as failing, Store.open(impatient(scene.url)) as store:

        def lock(call: int) -> None:
            if call == 2:
                failing.enter_context(locked(scene.url))

        scene.chat.pause = lock
        with pytest.raises(StoreError, match=r"keeps .* locked"):
            make_bot(store, scene.chat, scene.now).run()
    scene.now.forward(minutes=2)
    scene.run()
    scene.assert_sent()
    assert scene.chat.sends == 3
