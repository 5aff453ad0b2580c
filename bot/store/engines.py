"""Connections to the database: one engine that reads and one that writes, with SQLite set up to lose nothing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import cast

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import StaticPool

from bot.store.errors import StoreError, explained

_BUSY_TIMEOUT = "10"  # seconds a writer waits for another; `?timeout=` in the address overrides it
_LONGEST = 3600.0
_MEMORY = (None, "", ":memory:")
_to_json = partial(json.dumps, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


@dataclass(frozen=True)
class Engines:
    """The ways into one database. `place` names it in messages; `path` is SQLite's file, None otherwise.

    `within` begins a transaction of one of `soon` that is over after so many seconds, kept or not; its second argument
    is `synced` of `writing_soon`. `turn`: those who write wait here for each other, where the database would make them
    ask again after a sleep.
    """

    reads: Engine
    writes: Engine
    soon: tuple[Engine, ...]
    within: Callable[[float, bool], AbstractContextManager[Connection]]
    place: str
    path: Path | None = None
    lock: AbstractContextManager[object] = field(default_factory=nullcontext)
    turn: Callable[[], AbstractContextManager[object]] = nullcontext

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection whose statements all see the same state. Raises StoreError."""
        with explained(self.place), self.lock, self.reads.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is kept as a whole or not at all. Raises StoreError."""
        with explained(self.place), self.lock, self.turn(), self.writes.begin() as connection:
            yield connection

    @contextmanager
    def writing_soon(self, patience: float, *, synced: bool = True) -> Iterator[Connection]:
        """As `writing`, where somebody waits for it: raises StoreError when it takes longer than `patience` seconds.

        A server that did not answer may have kept it nevertheless. What is not `synced` outlives the process, however
        that ends, but may be undone when the power fails.
        """
        with explained(self.place), self.lock, self.within(patience, synced) as connection:
            yield connection

    def close(self) -> None:
        for engine in (self.reads, self.writes, *self.soon):
            engine.dispose()


def connect(address: str, *, migrating: bool = False) -> Engines:
    """Engines for `sqlite:///path`, `sqlite://` (memory) or `postgresql://…`; nothing is opened yet.

    `migrating` leaves SQLite's foreign keys alone: to rebuild a table, as its ALTER often must, would delete the rows
    that refer to it. Raises StoreError for an address that is none, another kind of database, and a missing folder or
    driver.
    """
    url = _patient(_parsed(address))
    match url.get_backend_name():
        case "sqlite" if url.database in _MEMORY:
            return _memory()
        case "sqlite":
            return _file(url, foreign_keys=not migrating)
        case "postgresql":
            return _server(url, migrating=migrating)
    raise StoreError(
        f"database.url names {url.get_backend_name()}: use sqlite:///path or postgresql://…", user_can_fix=True
    )


def _parsed(address: str) -> URL:
    try:
        return make_url(address)
    except (ArgumentError, ValueError):
        # The address is left out: it may hold a password. The cause names it, so it is left out too.
        raise StoreError(
            "database.url cannot be read: write sqlite:///path or postgresql://user:password@host/name",
            user_can_fix=True,
        ) from None


def _patient(url: URL) -> URL:
    """The address with the seconds that a writer waits for another."""
    given = str(url.query.get("timeout", _BUSY_TIMEOUT))
    try:
        patient = 0 <= float(given) <= _LONGEST
    except ValueError:
        patient = False
    if not patient:
        raise StoreError(
            f"database.url has timeout={given}: write a number of seconds, such as timeout=10", user_can_fix=True
        )
    return url.update_query_dict({"timeout": given})


def _memory() -> Engines:
    """One connection that all threads take turns with: a second one would see an empty database."""
    engine = create_engine(
        "sqlite://",
        poolclass=StaticPool,
        json_serializer=_to_json,
        connect_args={"check_same_thread": False, "isolation_level": None},
    )
    event.listen(engine, "connect", _tune("PRAGMA foreign_keys=1"))
    event.listen(engine, "begin", _begin("BEGIN"))
    return Engines(engine, engine, (), lambda *_: engine.begin(), "the database in memory", lock=Lock())


def _file(url: URL, *, foreign_keys: bool) -> Engines:
    path = Path(url.database or "")
    if "uri" not in url.query and not path.parent.is_dir():
        raise StoreError(
            f"the folder of the database does not exist: create {path.parent}, or correct database.url",
            user_can_fix=True,
        )
    if path.is_dir():
        raise StoreError(f"database.url names the folder {path}: name a file in it", user_can_fix=True)
    # A transaction that reads first and asks for the write lock later fails at once when another one wrote.
    # WAL is kept in the file, so readers need not ask; they may be at a stranger's.
    writing = ("PRAGMA journal_mode=WAL", f"PRAGMA foreign_keys={int(foreign_keys)}")
    synced = "PRAGMA synchronous=FULL"  # NORMAL may lose the last commits when the power fails
    reads = _sqlite(url, "BEGIN", "PRAGMA query_only=1")
    writes = _sqlite(url, "BEGIN IMMEDIATE", *writing, synced)
    # Whoever is in a hurry does not carry the log over into the file: other writers do, of whom there always are some.
    hurried = (*writing, "PRAGMA wal_autocheckpoint=0")
    safe = _sqlite(url, "BEGIN IMMEDIATE", *hurried, synced)
    loose = _sqlite(url, "BEGIN IMMEDIATE", *hurried, "PRAGMA synchronous=NORMAL")
    turn = partial(_turn, Lock(), str(path))
    usual = partial(turn, float(str(url.query["timeout"])))
    return Engines(reads, writes, (safe, loose), partial(_busy_for, safe, loose, turn), str(path), path, turn=usual)


@contextmanager
def _turn(lock: Lock, place: str, seconds: float) -> Iterator[None]:
    if not lock.acquire(timeout=seconds):
        raise StoreError(f"{place} is kept busy by other writes: nothing was kept, try again", user_can_fix=False)
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _busy_for(
    safe: Engine,
    loose: Engine,
    turn: Callable[[float], AbstractContextManager[object]],
    seconds: float,
    synced: bool,
) -> Iterator[Connection]:
    """A transaction that waits no longer than that for its turn, and as long again for another process."""
    with turn(seconds), (safe if synced else loose).connect() as connection:
        driver = cast("sqlite3.Connection", connection.connection.driver_connection)
        driver.execute(f"PRAGMA busy_timeout={round(seconds * 1000)}").close()
        with connection.begin():
            yield connection


def _sqlite(url: URL, begin: str, *pragmas: str) -> Engine:
    # Without isolation_level the driver starts no transaction by itself, and `begin` decides which kind it is.
    engine = create_engine(
        url,
        json_serializer=_to_json,
        connect_args={"isolation_level": None},
    )
    event.listen(engine, "connect", _tune(*pragmas))
    event.listen(engine, "begin", _begin(begin))
    return engine


def _tune(*pragmas: str) -> Callable[[sqlite3.Connection, object], None]:
    def on_connect(connection: sqlite3.Connection, _record: object) -> None:
        for pragma in pragmas:
            connection.execute(pragma).close()

    return on_connect


def _begin(statement: str) -> Callable[[Connection], None]:
    def on_begin(connection: Connection) -> None:
        connection.exec_driver_sql(statement)

    return on_begin


def _server(url: URL, *, migrating: bool) -> Engines:
    if url.get_driver_name() != "psycopg":
        raise StoreError(
            f"database.url names the driver {url.get_driver_name()}: write postgresql://… without it", user_can_fix=True
        )
    try:
        from bot.store import postgresql  # noqa: PLC0415 - its driver is an extra, and SQLite needs none
    except ImportError as error:
        raise StoreError(
            f"PostgreSQL needs a driver that is not installed ({error.name}): pip install 'psycopg[binary]'",
            user_can_fix=True,
        ) from error
    reads, writes, soon, within = postgresql.engines(url, _to_json, migrating=migrating)
    return Engines(reads, writes, (soon,), within, postgresql.place(url))
