"""Crashes, competing processes, full disks and unusable files: nothing is lost, and the message says what to do."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.pool import Pool

from bot.models import PullRequest
from bot.store.errors import StoreError
from bot.store.store import Store
from tests.factories import PERIOD, make_pr
from tests.stores import FILE, POSTGRESQL, addressed, impatient, locked

ENGINE = "acme/engine"
SINCE, UNTIL = PERIOD.since, PERIOD.until
PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bot.db"


def url(path: Path, **query: float) -> str:
    options = "&".join(f"{key}={value}" for key, value in query.items())
    return f"sqlite:///{path}?{options}"


def pull_request(number: int) -> PullRequest:
    """One whose files tell whether it was stored whole."""
    return make_pr(number, files={f"src/{number}/{index}.py": (index, 1) for index in range(number % 5 + 1)})


def sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        return not broken and connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


CHILD = """
import sys
from bot.store.store import Store
from tests.test_store_safety import ENGINE, pull_request

def source():
    for number in range(1, 100_000):
        yield pull_request(number)
        if number % 20 == 0:
            print(number, flush=True)

with Store.open(sys.argv[1]) as store:
    store.save_history(ENGINE, source(), chunk=20)
"""


def test_a_killed_process_leaves_whole_chunks_and_is_resumed(path: Path, address: str) -> None:
    root = Path(__file__).parent.parent
    command = [sys.executable, "-c", CHILD, address]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        told = [int(child.stdout.readline()) for _ in range(15)]
        child.kill()
    with Store.open(address) as store:
        kept = store.pull_requests(ENGINE, SINCE, UNTIL)
        assert len(kept) % 20 == 0
        assert len(kept) >= told[-1]  # told when the source is asked for more, that is after saving
        assert kept == tuple(pull_request(number) for number in range(1, len(kept) + 1))
        assert store.covered_since(ENGINE, UNTIL) is None
        everything = [pull_request(number) for number in range(1, len(kept) + 100)]
        store.save_history(ENGINE, everything)
        assert store.pull_requests(ENGINE, SINCE, UNTIL) == tuple(everything)
    assert sound(path)


WRITE = "UPDATE repositories SET source = 'sample'"


def test_a_reader_does_not_wait_for_a_writer(address: str) -> None:
    with Store.open(address) as store:
        store.save_history(ENGINE, [make_pr(1)])
        store.mark_covered(ENGINE, SINCE, UNTIL, source="clone", synced_at=UNTIL)
        with locked(address, WRITE):
            started = time.monotonic()
            week = store.load_week(ENGINE, PERIOD)
            with Store.open(address) as other:  # a second process of ours opens while the first one writes
                assert other.load_week(ENGINE, PERIOD) == week
            assert time.monotonic() - started < 5  # a writer would wait for 10 s
    assert (week.pull_requests, week.source) == ((make_pr(1),), "clone")


@contextmanager
def watching(name: str, listener: Callable[..., object], target: type[Engine | Pool] = Engine) -> Iterator[None]:
    """Call the listener on an event of any engine or pool."""
    event.listen(target, name, listener)
    try:
        yield
    finally:
        event.remove(target, name, listener)


def test_a_read_sees_one_state_throughout(address: str) -> None:
    """Files of one state with pull requests of another would be a false digest."""
    with Store.open(address) as store:
        store.save_history(ENGINE, [make_pr(1, files={"before.py": (1, 1)})])

        def write_between(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
            if statement.startswith("SELECT pull_requests.number"):
                writer.save_history(ENGINE, [make_pr(1, "After", files={"after.py": (1, 1)})])
                written.append(statement)

        written: list[str] = []
        with Store.open(address) as writer, watching("after_cursor_execute", write_between):
            (seen,) = store.pull_requests(ENGINE, SINCE, UNTIL)
        assert len(written) == 1
        assert (seen.title, seen.files[0].path) == (make_pr(1).title, "before.py")
        (now,) = store.pull_requests(ENGINE, SINCE, UNTIL)
        assert (now.title, now.files[0].path) == ("After", "after.py")


def in_threads(works: list[Callable[[], object]]) -> None:
    """Run all at once; raise what one of them raised."""
    failures: list[BaseException] = []
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], object]) -> None:
        barrier.wait()
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - handed to the test
            failures.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_writers_take_turns(address: str) -> None:
    with Store.open(address) as store, Store.open(address) as other:

        def save(where: Store, first: int) -> Callable[[], object]:
            return lambda: where.save_history(ENGINE, (pull_request(n) for n in range(first, first + 100)), chunk=2)

        in_threads([save(store, 1), save(store, 101), save(other, 201), save(other, 301)])
        assert store.pull_requests(ENGINE, SINCE, UNTIL) == tuple(pull_request(number) for number in range(1, 401))


def test_threads_share_a_store_in_memory() -> None:
    with Store.in_memory() as store:
        store.save_history(ENGINE, [pull_request(1000)])

        def save(first: int) -> Callable[[], object]:
            return lambda: store.save_history(ENGINE, (pull_request(n) for n in range(first, first + 100)), chunk=2)

        def look() -> None:
            for _ in range(50):
                assert all(one == pull_request(one.number) for one in store.pull_requests(ENGINE, SINCE, UNTIL))

        in_threads([save(1), save(101), look])
        assert len(store.pull_requests(ENGINE, SINCE, UNTIL)) == 201


@pytest.mark.parametrize("kind", [FILE, POSTGRESQL])
def test_many_may_make_the_same_new_database(path: Path, kind: str) -> None:
    stores: list[Store] = []
    with addressed(kind, path.parent, made=False) as new:
        in_threads([lambda: stores.append(Store.open(new))] * 8)
        for store in stores:
            assert store.repositories() == ()
            store.close()
    assert sound(path)


def test_a_locked_database_is_said_after_the_timeout(address: str) -> None:
    with Store.open(impatient(address)) as store:
        store.save_history(ENGINE, [make_pr(1)])
        with (
            locked(address, WRITE),
            pytest.raises(StoreError, match=r"another process keeps .*/bot.* locked") as caught,
        ):
            store.save_history(ENGINE, [make_pr(2)])
        assert caught.value.user_can_fix
        assert store.save_history(ENGINE, [make_pr(2)]) == 1


@pytest.mark.parametrize("timeout", ["soon", "-1", "nan", "1e9"])
@pytest.mark.parametrize("kind", [FILE, POSTGRESQL])
def test_a_timeout_that_is_none_is_said(tmp_path: Path, kind: str, timeout: str) -> None:
    with addressed(kind, tmp_path, made=False) as new:
        mark = "&" if "?" in new else "?"
        with pytest.raises(StoreError, match=f"timeout={timeout}: write a number of seconds") as caught:
            Store.open(f"{new}{mark}timeout={timeout}")
    assert caught.value.user_can_fix


@contextmanager
def room_for(path: Path, more_pages: int) -> Iterator[None]:
    """Every connection opened meanwhile finds the disk full after so many more pages."""
    limit = path.stat().st_size // PAGE + more_pages

    def on_connect(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {limit}")

    with watching("connect", on_connect, Pool):
        yield


def test_a_full_disk_keeps_the_chunks_before(path: Path) -> None:
    long = "x" * PAGE
    with Store.open(url(path)) as store:
        store.save_history(ENGINE, [make_pr(1)])
    prs = [make_pr(number, body=long) for number in range(2, 102)]
    with room_for(path, 60), Store.open(url(path)) as store:
        with pytest.raises(StoreError, match=r"the disk that holds .*bot\.db is full: free some space") as caught:
            store.save_history(ENGINE, prs, chunk=10)
        assert not caught.value.user_can_fix
        assert "\n" not in str(caught.value)
        kept = len(store.pull_requests(ENGINE, SINCE, UNTIL))
        assert kept % 10 == 1
        assert 10 < kept < 100
        store.mark_covered(ENGINE, SINCE, UNTIL, source="clone", synced_at=UNTIL)  # small things still fit
    assert sound(path)
    with Store.open(url(path)) as store:
        store.save_history(ENGINE, prs)
        assert len(store.pull_requests(ENGINE, SINCE, UNTIL)) == 101


def test_a_disk_full_from_the_start(path: Path) -> None:
    path.touch()
    with room_for(path, 3), pytest.raises(StoreError, match="is full"):
        Store.open(url(path))
    with Store.open(url(path)) as store:  # nothing half made is in the way
        assert store.repositories() == ()


def _text(path: Path) -> None:
    path.write_text("not a database, but long enough to be looked at\n" * 50, encoding="utf-8")


def _damaged(path: Path) -> None:
    with Store.open(url(path)) as store:
        store.save_history(ENGINE, [pull_request(number) for number in range(1, 300)])
    content = path.read_bytes()
    path.write_bytes(content[:PAGE] + b"\xff" * (len(content) - PAGE))


def _another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (name TEXT)")


@pytest.mark.parametrize(
    ("spoil", "message", "user_can_fix"),
    [
        (_text, "is not a SQLite database: correct database.url", True),
        (_damaged, "is damaged: restore a backup", False),
        (_another_program, "holds tables of something else .bookmarks.", True),
        (Path.mkdir, "names the folder .*: name a file in it", True),
    ],
)
def test_a_file_that_cannot_be_used(
    path: Path, spoil: Callable[[Path], None], message: str, user_can_fix: bool
) -> None:
    spoil(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError, match=message) as caught, Store.open(url(path)) as store:
        store.load_week(ENGINE, PERIOD)
    assert caught.value.user_can_fix is user_can_fix
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"folder of the database does not exist: create .*absent") as caught:
        Store.open(url(tmp_path / "absent" / "bot.db"))
    assert caught.value.user_can_fix
    assert not (tmp_path / "absent").exists()


def test_a_file_that_may_only_be_read(path: Path) -> None:
    with Store.open(url(path)) as store:
        store.save_history(ENGINE, [make_pr(1)])
    with Store.open(f"sqlite:///file:{path}?mode=ro&uri=true") as store:
        assert store.pull_requests(ENGINE, SINCE, UNTIL) == (make_pr(1),)
        with pytest.raises(StoreError, match="cannot be written: give the user who runs digest-bot") as caught:
            store.save_history(ENGINE, [make_pr(2)])
    assert caught.value.user_can_fix


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anything")
def test_a_file_without_permission(path: Path) -> None:
    Store.open(url(path)).close()
    path.chmod(0)
    with pytest.raises(StoreError, match="cannot be opened: give the user") as caught:
        Store.open(url(path))
    assert caught.value.user_can_fix


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("", "database.url cannot be read"),
        ("bot.db", "database.url cannot be read"),
        ("postgresql://me:hunter2@host:port/name", "database.url cannot be read"),
        ("postgresql+pg8000://me:hunter2@host/name", "names the driver pg8000: write postgresql://… without it"),
        ("mysql://me:hunter2@host/name", "database.url names mysql: use sqlite:///path or postgresql://"),
    ],
)
def test_an_address_that_cannot_be_used(address: str, message: str) -> None:
    with pytest.raises(StoreError, match=message) as caught:
        Store.open(address)
    assert caught.value.user_can_fix
    assert "hunter2" not in str(caught.value)
