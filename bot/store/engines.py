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

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import StaticPool

from bot.store.errors import StoreError, explained

_BUSY_TIMEOUT = "10"  # seconds a writer waits for another; `?timeout=` in the address overrides it
_MEMORY = (None, "", ":memory:")
_to_json = partial(json.dumps, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


@dataclass(frozen=True)
class Engines:
    """The two ways into one database. `place` names it in messages; `path` is SQLite's file, None otherwise."""

    reads: Engine
    writes: Engine
    place: str
    path: Path | None = None
    lock: AbstractContextManager[object] = field(default_factory=nullcontext)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection whose statements all see the same state. Raises StoreError."""
        with explained(self.place), self.lock, self.reads.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is kept as a whole or not at all. Raises StoreError."""
        with explained(self.place), self.lock, self.writes.begin() as connection:
            yield connection

    def close(self) -> None:
        self.reads.dispose()
        self.writes.dispose()


def connect(address: str, *, foreign_keys: bool = True) -> Engines:
    """Engines for `sqlite:///path`, `sqlite://` (memory) or `postgresql://…`; nothing is opened yet.

    Raises StoreError for an address that is none, another kind of database, and a missing folder or driver.
    """
    url = _parsed(address)
    match url.get_backend_name():
        case "sqlite" if url.database in _MEMORY:
            return _memory(foreign_keys=foreign_keys)
        case "sqlite":
            return _file(url, foreign_keys=foreign_keys)
        case "postgresql":
            return _server(url)
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


def _memory(*, foreign_keys: bool) -> Engines:
    """One connection that all threads take turns with: a second one would see an empty database."""
    engine = create_engine(
        "sqlite://",
        poolclass=StaticPool,
        json_serializer=_to_json,
        connect_args={"check_same_thread": False, "isolation_level": None},
    )
    event.listen(engine, "connect", _tune(f"PRAGMA foreign_keys={int(foreign_keys)}"))
    event.listen(engine, "begin", _begin("BEGIN"))
    return Engines(engine, engine, "the database in memory", lock=Lock())


def _file(url: URL, *, foreign_keys: bool) -> Engines:
    path = Path(url.database or "")
    if "uri" not in url.query and not path.parent.is_dir():
        raise StoreError(
            f"the folder of the database does not exist: create {path.parent}, or correct database.url",
            user_can_fix=True,
        )
    if path.is_dir():
        raise StoreError(f"database.url names the folder {path}: name a file in it", user_can_fix=True)
    return Engines(
        _sqlite(url, "BEGIN", "PRAGMA query_only=1"),
        # A transaction that reads first and asks for the write lock later fails at once when another one wrote.
        _sqlite(
            url,
            "BEGIN IMMEDIATE",
            "PRAGMA journal_mode=WAL",  # kept in the file, so readers need not ask; they may be at a stranger's
            "PRAGMA synchronous=FULL",  # NORMAL may lose the last commits when the power fails
            f"PRAGMA foreign_keys={int(foreign_keys)}",
        ),
        str(path),
        path,
    )


def _sqlite(url: URL, begin: str, *pragmas: str) -> Engine:
    # Without isolation_level the driver starts no transaction by itself, and `begin` decides which kind it is.
    engine = create_engine(
        url if "timeout" in url.query else url.update_query_dict({"timeout": _BUSY_TIMEOUT}),
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


def _server(url: URL) -> Engines:
    place = url.render_as_string(hide_password=True)
    try:
        writes = create_engine(url, json_serializer=_to_json, pool_pre_ping=True)
    except ImportError as error:
        raise StoreError(
            f"PostgreSQL needs a driver that is not installed ({error.name}): pip install 'psycopg[binary]'",
            user_can_fix=True,
        ) from error
    # One snapshot for all statements of a read, as SQLite's BEGIN gives.
    reads = writes.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    return Engines(reads, writes, place)
