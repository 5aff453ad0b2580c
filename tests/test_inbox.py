"""The inbox: what came is kept before it is acknowledged, handled once, and handled again where a process died."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Event, Thread
from time import monotonic, sleep

import pytest
from sqlalchemy import select

from bot.inbox import Inbox
from bot.store.errors import StoreError
from bot.store.inbox import Holder
from bot.store.schema import event_keys, events
from bot.store.store import Store
from bot.workers import Workers
from tests.database import session
from tests.stores import FILE, POSTGRESQL, addressed, locked, opened

NOW = datetime(2026, 3, 9, 1, tzinfo=UTC)
ROOT = Path(__file__).parent.parent
ME, OTHER = Holder("me"), Holder("other")


class Hand:
    """A clock that stands still, and a handler that keeps what it got and fails or waits as it is told."""

    def __init__(self) -> None:
        self.now = NOW
        self.got: list[str] = []
        self.failures = 0
        self.gate = Event()
        self.gate.set()

    def __call__(self, payload: str) -> None:
        self.gate.wait(10)
        self.got.append(payload)
        if self.failures:
            self.failures -= 1
            raise RuntimeError("the handler failed")


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def open_inbox(store: Store, hand: Hand) -> Iterator[Callable[..., Inbox]]:
    pools: list[Workers] = []

    def opened(*, threads: int = 2, waiting: int = 50) -> Inbox:
        pools.append(Workers("test", threads=threads, waiting=waiting))
        return Inbox("slack", store.inbox(), pools[-1], hand, lambda: hand.now)

    yield opened
    for pool in pools:
        pool.stop(5)


def rows(store: Store) -> list[tuple[str, str, int]]:
    with store._engines.reading() as connection:  # noqa: SLF001 - what is in the table is the point
        found = connection.execute(select(events.c.state, events.c.payload, events.c.tries).order_by(events.c.id))
        return [(row.state, row.payload, row.tries) for row in found]


def eventually(condition: Callable[[], bool]) -> None:
    end = monotonic() + 5
    while not condition():
        assert monotonic() < end, "it never came to pass"
        sleep(0.005)


def is_done(store: Store) -> bool:
    return bool(rows(store)) and all(state == "done" for state, *_ in rows(store))


# Taken once


def test_an_event_is_handled_and_its_payload_is_forgotten(
    store: Store, hand: Hand, open_inbox: Callable[..., Inbox]
) -> None:
    open_inbox().take(("event:1", "message:1"), "hello")
    eventually(lambda: is_done(store))
    assert hand.got == ["hello"]
    assert rows(store) == [("done", "", 1)]


def test_what_has_any_known_key_came_before(store: Store, hand: Hand, open_inbox: Callable[..., Inbox]) -> None:
    inbox = open_inbox()
    inbox.take(("event:1", "message:1"), "first")
    inbox.take(("event:1", "message:1"), "delivered again")
    inbox.take(("event:2", "message:1"), "the same message, mentioned")
    inbox.take(("event:2",), "and that one again")
    open_inbox().take(("event:1",), "at another replica")
    eventually(lambda: is_done(store))
    assert hand.got == ["first"]


def test_keys_of_two_platforms_do_not_meet(store: Store) -> None:
    inbox = store.inbox()
    assert inbox.take("slack", ["1"], "a", holder=ME, now=NOW)
    assert inbox.take("lark", ["1"], "b", holder=ME, now=NOW)
    assert inbox.take("slack", ["1"], "a", holder=ME, now=NOW) is None


def test_an_event_without_a_key_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="needs a key"):
        store.inbox().take("slack", [], "a", holder=ME, now=NOW)


def test_many_replicas_and_threads_take_each_event_once(address: str, hand: Hand) -> None:
    replicas = [Store.open(address) for _ in range(3)]
    pools = [Workers("test", threads=2, waiting=500) for _ in replicas]
    inboxes = [
        Inbox("slack", one.inbox(), pool, hand, lambda: hand.now) for one, pool in zip(replicas, pools, strict=True)
    ]
    start = Barrier(12)

    def deliver(worker: int) -> None:
        start.wait()
        for number in range(20):
            inboxes[worker % 3].take((f"event:{number}", f"message:{number}"), str(number))

    with ThreadPoolExecutor(12) as threads:
        list(threads.map(deliver, range(12)))
    assert all(pool.stop(10) for pool in pools)
    assert sorted(hand.got, key=int) == [str(number) for number in range(20)]
    assert is_done(replicas[0])
    for one in replicas:
        one.close()


# Handled again


def test_what_a_dead_process_left_is_handled_when_its_lease_is_over(
    store: Store, hand: Hand, open_inbox: Callable[..., Inbox]
) -> None:
    assert store.inbox().take("slack", ["1"], "left behind", holder=OTHER, now=NOW)
    inbox = open_inbox()
    inbox.redo()
    hand.now = NOW + OTHER.lease - timedelta(seconds=1)
    inbox.redo()
    assert hand.got == []
    hand.now = NOW + OTHER.lease
    inbox.redo()
    eventually(lambda: is_done(store))
    assert hand.got == ["left behind"]
    assert rows(store) == [("done", "", 2)]


def test_what_is_being_handled_is_held_on_to(store: Store, hand: Hand, open_inbox: Callable[..., Inbox]) -> None:
    hand.gate.clear()
    mine, other = open_inbox(), open_inbox()
    mine.take(("1",), "slow")
    for _ in range(6):
        hand.now += timedelta(seconds=10)
        mine.redo()
        other.redo()
    hand.gate.set()
    eventually(lambda: is_done(store))
    assert hand.got == ["slow"]


def test_a_failure_is_tried_three_times_and_then_given_up(
    store: Store, hand: Hand, open_inbox: Callable[..., Inbox], caplog: pytest.LogCaptureFixture
) -> None:
    hand.failures = 5
    inbox = open_inbox()
    inbox.take(("1",), "poison")
    for tries in (1, 2, 3):
        eventually(lambda tries=tries: len(hand.got) == tries)  # type: ignore[misc]
        eventually(lambda: "failed (try" in caplog.messages[-1] and owner(store) is None)
        inbox.redo()
        assert len(hand.got) == tries  # not at once
        hand.now += timedelta(seconds=10)
        inbox.redo()
    eventually(lambda: rows(store) == [("failed", "", 3)])
    assert hand.got == ["poison"] * 3
    assert any("given up after 3 tries" in message for message in caplog.messages)


def owner(store: Store) -> str | None:
    with store._engines.reading() as connection:  # noqa: SLF001 - the same
        found: str | None = connection.scalar(select(events.c.owner))
        return found


def test_what_there_is_no_room_for_waits(store: Store, hand: Hand, open_inbox: Callable[..., Inbox]) -> None:
    hand.gate.clear()
    inbox = open_inbox(threads=1, waiting=1)
    for number in range(5):
        inbox.take((str(number),), str(number))
    assert [tries for *_, tries in rows(store)] == [1, 1, 0, 0, 0]
    hand.gate.set()
    for done in (2, 4, 5):
        eventually(lambda done=done: sum(state == "done" for state, *_ in rows(store)) == done)  # type: ignore[misc]
        inbox.redo()
    assert sorted(hand.got) == ["0", "1", "2", "3", "4"]


def test_at_the_end_the_unfinished_is_left_for_the_next_start(
    store: Store, hand: Hand, open_inbox: Callable[..., Inbox]
) -> None:
    hand.gate.clear()
    ending = open_inbox(threads=1)
    ending.take(("1",), "running")
    ending.take(("2",), "waiting")
    assert not ending.stop(0.05)
    ending.take(("3",), "too late to be handled here")
    assert [tries for *_, tries in rows(store)] == [0, 0, 0]
    hand.gate.set()
    eventually(lambda: len(hand.got) >= 2)
    hand.got.clear()
    open_inbox().redo()
    eventually(lambda: is_done(store))
    assert sorted(hand.got) == ["running", "too late to be handled here", "waiting"]


def test_a_quick_end_finishes_everything(store: Store, hand: Hand, open_inbox: Callable[..., Inbox]) -> None:
    inbox = open_inbox()
    for number in range(10):
        inbox.take((str(number),), str(number))
    assert inbox.stop(5)
    assert is_done(store)
    assert len(hand.got) == 10


def test_an_event_that_was_handled_is_not_handled_again_where_the_store_failed_after_it(
    address: str, store: Store, hand: Hand, open_inbox: Callable[..., Inbox]
) -> None:
    hand.gate.clear()
    inbox = open_inbox()
    inbox.take(("1",), "once")
    with locked(address):
        hand.gate.set()
        eventually(lambda: hand.got == ["once"])
        sleep(1.3)  # its lock outlasts the patience of the inbox
    assert rows(store) == [("taken", "once", 1)]
    hand.now += timedelta(minutes=1)
    inbox.redo()
    assert rows(store) == [("done", "", 1)]
    assert hand.got == ["once"]


PROGRAM = """
import os, sys, time
from datetime import UTC, datetime
from bot.inbox import Inbox
from bot.store.store import Store
from bot.workers import Workers

def handle(payload):
    if payload == "never":
        print("handling", flush=True)
        time.sleep(60)

store = Store.open(sys.argv[1])
inbox = Inbox("slack", store.inbox(), Workers("child", threads=1), handle, lambda: datetime.now(UTC))
inbox.take(("1",), "finished")
inbox.take(("2",), "never")
inbox.take(("3",), "behind it")
time.sleep(60)
"""


def test_after_kill_9_the_unfinished_is_handled_and_the_finished_is_not(address: str, hand: Hand) -> None:
    program = [sys.executable, "-c", PROGRAM, address]
    with subprocess.Popen(program, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "handling\n"
        with Store.open(address) as store:
            eventually(lambda: len(rows(store)) == 3)
        child.kill()
    with Store.open(address) as store:
        assert [state for state, *_ in rows(store)] == ["done", "taken", "taken"]
        pool = Workers("test")
        inbox = Inbox("slack", store.inbox(), pool, hand, lambda: hand.now)
        for number in ("1", "2", "3"):
            inbox.take((number,), "delivered again by the platform")
        hand.now = datetime.now(UTC) + timedelta(minutes=1)
        inbox.redo()
        assert pool.stop(5)
        assert sorted(hand.got) == ["behind it", "never"]
        assert is_done(store)


# Forgotten


def test_keys_outlast_three_days_of_redelivery_and_no_more(
    store: Store, hand: Hand, open_inbox: Callable[..., Inbox]
) -> None:
    inbox = open_inbox()
    inbox.take(("1",), "first")
    eventually(lambda: is_done(store))
    for days, count in ((3, 1), (3.1, 0)):
        hand.now = NOW + timedelta(days=days)
        inbox.redo()
        assert len(rows(store)) == count
        with store._engines.reading() as connection:  # noqa: SLF001 - the same
            assert len(connection.execute(select(event_keys)).all()) == count
    inbox.take(("1",), "so long after")
    eventually(lambda: hand.got == ["first", "so long after"])


def test_what_was_not_handled_is_never_pruned(store: Store) -> None:
    inbox = store.inbox()
    assert inbox.take("slack", ["1"], "a", holder=ME, now=NOW)
    inbox.prune(NOW + timedelta(days=30))
    assert [one.payload for one in inbox.take_over("slack", [], holder=OTHER, now=NOW + timedelta(days=30))] == ["a"]


# Bounded time


def test_taking_waits_a_bounded_time_for_other_writers_and_then_raises(
    address: str, store: Store, hand: Hand, open_inbox: Callable[..., Inbox]
) -> None:
    inbox = open_inbox()
    inbox.redo()
    with locked(address):
        began = monotonic()

        def take(number: int) -> float:
            with pytest.raises(StoreError, match=r"locked|busy|no answer in time"):
                inbox.take((str(number),), "x")
            return monotonic() - began

        with ThreadPoolExecutor(20) as threads:
            waits = list(threads.map(take, range(20)))
        assert max(waits) < 2.6
    assert rows(store) == []
    assert hand.got == []
    inbox.take(("1",), "delivered again")
    eventually(lambda: hand.got == ["delivered again"])


def test_fifty_at_once_are_kept_quickly(store: Store, open_inbox: Callable[..., Inbox]) -> None:
    inbox, start, waits = open_inbox(waiting=200), Barrier(50), list[float]()

    def user(number: int) -> None:
        start.wait()
        began = monotonic()
        inbox.take((f"event:{number}", f"message:{number}"), "x" * 3000)
        waits.append(monotonic() - began)

    threads = [Thread(target=user, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(waits) == 50
    assert max(waits) < 1
    eventually(lambda: is_done(store))


def test_a_write_that_is_refused_harms_nobody_else(store: Store) -> None:
    inbox, start, outcomes = store.inbox(), Barrier(10), list[str]()

    def take(number: int) -> None:
        start.wait()
        payload = "\ud800" if number == 3 else "good"  # no Unicode text: the driver refuses it
        try:
            inbox.take("slack", [str(number)], payload, holder=ME, now=NOW)
        except (ValueError, UnicodeError):
            outcomes.append("refused")
        else:
            outcomes.append("kept")

    threads = [Thread(target=take, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["kept"] * 9 + ["refused"]
    assert [payload for _, payload, _ in rows(store)] == ["good"] * 9
    assert inbox.take("slack", ["3"], "good", holder=ME, now=NOW)


def test_the_usual_patience_of_others_is_left_alone(tmp_path: Path) -> None:
    with opened(FILE, tmp_path) as store:
        assert store.inbox().take("slack", ["1"], "a", holder=ME, now=NOW)
        with store._engines.writes.connect() as connection:  # noqa: SLF001 - the connection that the inbox has just used
            assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one() == 10_000


# PostgreSQL locks rows


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[str]:
    with addressed(POSTGRESQL, tmp_path) as found:
        yield found


def test_an_event_that_a_stopped_replica_was_taking_holds_up_no_other(shared: str) -> None:
    start, outcomes = Barrier(6), dict[str, float | str]()

    def take(number: int) -> None:
        start.wait()
        began = monotonic()
        try:
            assert store.inbox().take("slack", [str(number)], "x", holder=ME, now=NOW)
        except StoreError as error:
            outcomes[str(number)] = str(error)
        else:
            outcomes[str(number)] = monotonic() - began

    with Store.open(shared) as store, session(shared) as stopped:
        stopped.execute(b"INSERT INTO event_keys VALUES ('slack', '3', '2026-03-09')")
        with ThreadPoolExecutor(6) as threads:
            list(threads.map(take, range(6)))
        assert "keeps postgresql://" in str(outcomes.pop("3"))
        assert len(outcomes) == 5
        assert all(isinstance(waited, float) and waited < 2 for waited in outcomes.values())


def test_what_another_replica_is_taking_over_is_passed_over(shared: str) -> None:
    with Store.open(shared) as store, session(shared) as other:
        for number in (1, 2):
            assert store.inbox().take("slack", [str(number)], str(number), holder=OTHER, now=NOW)
        other.execute(b"SELECT id FROM events WHERE payload = '1' FOR UPDATE")
        found = store.inbox().take_over("slack", [], holder=ME, now=NOW + OTHER.lease)
        assert [one.payload for one in found] == ["2"]
