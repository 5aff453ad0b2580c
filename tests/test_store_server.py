"""What a PostgreSQL server may do to the store: each is one clear line, in time, and the next call works."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import pytest
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.pool import QueuePool

from bot.store.errors import StoreError, explained
from bot.store.inbox import Holder
from bot.store.store import Store
from tests.database import admin, stopped
from tests.factories import PERIOD, make_pr
from tests.stores import POSTGRESQL, addressed

ENGINE = "acme/engine"
SINCE, UNTIL = PERIOD.since, PERIOD.until
ME = Holder("me")
NOW = datetime(2026, 3, 9, 1, tzinfo=UTC)


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with addressed(POSTGRESQL, tmp_path) as found:
        yield found


def name_of(address: str) -> str:
    return str(make_url(address).database)


def said(error: pytest.ExceptionInfo[StoreError], *, user_can_fix: bool) -> str:
    """The one line; none of them tells a password."""
    text = str(error.value)
    assert "\n" not in text
    assert "hunter2" not in text
    assert error.value.user_can_fix is user_can_fix
    return text


def signalled(address: str, what: signal.Signals) -> None:
    """Send a signal to the server processes that serve a database; SIGTERM is what pg_terminate_backend() sends."""
    for pid, name in admin("SELECT pid, datname FROM pg_stat_activity"):
        if name == name_of(address):
            os.kill(pid, what)


@contextmanager
def on(moment: str, listener: Callable[..., None]) -> Iterator[None]:
    event.listen(Engine, moment, listener)
    try:
        yield
    finally:
        event.remove(Engine, moment, listener)


# Gone


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_a_server_that_was_restarted_is_used_again_at_once(address: str, how: str) -> None:
    with Store.open(address) as store:
        store.save_history(ENGINE, [make_pr(1)])
        assert store.inbox().take("slack", ["1"], "a", holder=ME, now=NOW)
        with stopped(how):
            for work in (
                lambda: store.pull_request(ENGINE, 1),
                lambda: store.save_history(ENGINE, [make_pr(2)]),
                lambda: store.inbox().take("slack", ["2"], "b", holder=ME, now=NOW),
            ):
                with pytest.raises(StoreError, match="check that the server runs and has room") as caught:
                    work()
                said(caught, user_can_fix=False)
        assert store.pull_request(ENGINE, 1) == make_pr(1)
        assert store.save_history(ENGINE, [make_pr(2)]) == 1
        assert store.inbox().take("slack", ["2"], "b", holder=ME, now=NOW)


@pytest.mark.parametrize("statement", ["INSERT INTO pull_requests", "INSERT INTO changed_files"])
def test_a_connection_that_breaks_in_the_middle_keeps_nothing(address: str, statement: str) -> None:
    def cut(_connection: object, _cursor: object, sent: str, *_rest: object) -> None:
        if sent.startswith(statement):
            signalled(address, signal.SIGTERM)

    with Store.open(address) as store:
        store.save_history(ENGINE, [make_pr(1)])
        with on("after_cursor_execute", cut), pytest.raises(StoreError, match="cannot be used") as caught:
            store.save_history(ENGINE, [make_pr(1, "Changed"), make_pr(2)])
        said(caught, user_can_fix=False)
        assert store.pull_requests(ENGINE, SINCE, UNTIL) == (make_pr(1),)
        assert store.save_history(ENGINE, [make_pr(2)]) == 1


def test_a_read_whose_connection_breaks_is_not_an_empty_week(address: str) -> None:
    def cut(_connection: object, _cursor: object, sent: str, *_rest: object) -> None:
        if sent.startswith("SELECT pull_requests.number"):
            signalled(address, signal.SIGTERM)

    with Store.open(address) as store:
        store.save_history(ENGINE, [make_pr(1)])
        with on("after_cursor_execute", cut), pytest.raises(StoreError, match="cannot be used"):
            store.load_week(ENGINE, PERIOD)
        assert store.load_week(ENGINE, PERIOD).pull_requests == (make_pr(1),)


# Slow


def test_a_frozen_server_does_not_keep_an_acknowledgement_waiting(address: str) -> None:
    with Store.open(address) as store:
        inbox = store.inbox()
        assert inbox.take("slack", ["1"], "a", holder=ME, now=NOW)
        signalled(address, signal.SIGSTOP)
        try:
            began = monotonic()
            with pytest.raises(StoreError, match="no answer in time") as caught:
                inbox.take("slack", ["2"], "b", holder=ME, now=NOW)
            assert monotonic() - began < 2
        finally:
            signalled(address, signal.SIGCONT)
        said(caught, user_can_fix=False)
        assert inbox.take("slack", ["2"], "b", holder=ME, now=NOW)
        assert inbox.take("slack", ["1"], "a", holder=ME, now=NOW) is None


def test_what_was_kept_by_a_server_that_froze_while_it_answered_is_known_when_it_comes_again(address: str) -> None:
    def freeze(_connection: object) -> None:
        signalled(address, signal.SIGSTOP)

    with Store.open(address) as store:
        inbox = store.inbox()
        assert inbox.take("slack", ["1"], "a", holder=ME, now=NOW)
        try:
            with on("commit", freeze), pytest.raises(StoreError, match="no answer in time"):
                inbox.take("slack", ["2"], "b", holder=ME, now=NOW)
        finally:
            signalled(address, signal.SIGCONT)
        sleep(0.2)
        again = inbox.take("slack", ["2"], "b", holder=ME, now=NOW)
        left = inbox.take_over("slack", [], holder=Holder("other"), now=NOW + ME.lease)
        assert [one.payload for one in left] == ["a", "b"]
        assert again is None or again.payload == "b"


def test_a_busy_pool_of_readers_does_not_keep_an_acknowledgement_waiting(address: str) -> None:
    enough = Event()

    def read() -> None:
        with store._engines.reading():  # noqa: SLF001 - a read that takes long
            enough.wait(10)

    with Store.open(address) as store, ThreadPoolExecutor(20) as threads:
        for _ in range(20):
            threads.submit(read)
        sleep(0.5)
        began = monotonic()
        assert store.inbox().take("slack", ["1"], "a", holder=ME, now=NOW)
        assert monotonic() - began < 1
        enough.set()


def test_a_process_that_was_stopped_in_the_middle_keeps_its_locks_for_a_minute_at_most(address: str) -> None:
    with Store.open(address) as store, store._engines.writing() as connection:  # noqa: SLF001 - what its sessions are set to
        assert connection.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar() == "1min"
        assert connection.exec_driver_sql("SHOW lock_timeout").scalar() == "10s"
        assert connection.exec_driver_sql("SHOW statement_timeout").scalar() == "5min"


def test_when_all_connections_are_in_use_it_is_said() -> None:
    engine = create_engine("sqlite://", poolclass=QueuePool, pool_size=1, max_overflow=0, pool_timeout=0.05)
    with (
        engine.connect(),
        pytest.raises(StoreError, match="all connections to it are in use") as caught,
        explained("it"),
    ):
        engine.connect()
    said(caught, user_can_fix=False)
    engine.dispose()


# Order


def test_who_reads_on_after_a_message_misses_none(address: str) -> None:
    """Ids are given out before they can be seen: whoever has seen the higher one would never ask for the lower."""
    written, go_on = Event(), Event()

    def pause(_connection: object, _cursor: object, statement: str, parameters: dict[str, object], *_: object) -> None:
        if statement.startswith("INSERT INTO messages") and "first" in parameters.values():
            written.set()
            go_on.wait(10)

    def add(text: str) -> int:
        return int(spoken.add("general", None, "dev", is_bot=False, html="", text=text, at=NOW).id)

    with Store.open(address) as store, ThreadPoolExecutor(2) as threads, on("after_cursor_execute", pause):
        spoken = store.conversations()
        first = threads.submit(add, "first")
        assert written.wait(10)
        second = threads.submit(add, "second")
        sleep(0.3)
        assert spoken.entries("general") == ()
        go_on.set()
        assert first.result() < second.result()
        assert [one.text for one in spoken.entries("general")] == ["first", "second"]
