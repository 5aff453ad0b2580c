"""The kinds of stores that the store's tests run on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import make_url

from bot.store import schema
from bot.store.store import Store

FILE, POSTGRESQL, MEMORY = "file", "postgresql", "memory"
KINDS = (FILE, POSTGRESQL, MEMORY)


@contextmanager
def addressed(kind: str, folder: Path, *, made: bool = True) -> Iterator[str]:
    """Where a store of a kind that has an address may be opened; on PostgreSQL the tables are `made` already."""
    if kind == FILE:
        yield f"sqlite:///{folder / 'bot.db'}"
    else:
        from tests.database import database  # noqa: PLC0415 - needs a driver that is an extra

        with database(made=made) as address:
            yield address


@contextmanager
def opened(kind: str, folder: Path) -> Iterator[Store]:
    """A store of that kind."""
    if kind == MEMORY:
        with Store.in_memory() as store:
            yield store
    else:
        with addressed(kind, folder) as address, Store.open(address) as store:
            yield store


@contextmanager
def locked(address: str, statement: str = "") -> Iterator[None]:
    """Another process is in the middle of a write, and lets nobody else write; in the end it takes it back."""
    if address.startswith("sqlite"):
        with closing(sqlite3.connect(str(make_url(address).database), isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(statement)
            yield
            connection.execute("ROLLBACK")
    else:
        from tests.database import session  # noqa: PLC0415 - the same

        with session(address) as other:
            other.execute(f"LOCK TABLE {', '.join(schema.metadata.tables)} IN EXCLUSIVE MODE".encode())
            other.execute(statement.encode())
            yield


def query(address: str, statement: str) -> list[tuple[Any, ...]]:
    """Run a statement past the store; gives its rows."""
    if address.startswith("sqlite"):
        with closing(sqlite3.connect(str(make_url(address).database))) as connection:
            found = connection.execute(statement).fetchall()
            connection.commit()
            return found
    from tests.database import session  # noqa: PLC0415 - the same

    with session(address) as other:
        cursor = other.execute(statement.encode())
        rows = cursor.fetchall() if cursor.description else []
        other.commit()
        return rows


def impatient(address: str) -> str:
    """The same store, by whom another writer is waited for no longer than a tenth of a second."""
    return make_url(address).update_query_dict({"timeout": "0.1"}).render_as_string(hide_password=False)


def back_up(address: str, folder: Path) -> None:
    """Keep a copy of a store that is in use, as its operator would."""
    if address.startswith("sqlite"):
        with Store.open(address) as store:
            store.backup(folder / "backup")
    else:
        from tests.database import tool  # noqa: PLC0415 - the same

        tool("pg_dump", "--format=custom", f"--file={folder / 'backup'}", address)


@contextmanager
def restored(address: str, folder: Path) -> Iterator[str]:
    """Where the copy was restored to."""
    if address.startswith("sqlite"):
        yield f"sqlite:///{folder / 'backup'}"
    else:
        from tests.database import database, tool  # noqa: PLC0415 - the same

        with database() as empty:
            tool("pg_restore", f"--dbname={empty}", str(folder / "backup"))
            yield empty
