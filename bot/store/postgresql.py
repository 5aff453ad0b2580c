"""Connections to PostgreSQL: they depend on no setting of the server, and none waits for it without end."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Any, TypeVar

import psycopg
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection

_T = TypeVar("_T")

# Options of libpq; the address may say otherwise.
_NETWORK = {
    "application_name": "digest-bot",
    "connect_timeout": "10",
    # A server that vanished without a word is noticed after a minute; by default it takes hours.
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
_SESSION = {
    "timezone": "UTC",  # the driver must know the zone, and not overflow in the year 9999
    "datestyle": "ISO",  # the driver reads no other
    "idle_in_transaction_session_timeout": "60s",  # a process that was stopped must not keep its locks
}
_STATEMENT_TIMEOUT = {"statement_timeout": "300s"}
_HURRY = 0.3  # seconds to wait for a lock: time enough is left to try again, and less than deadlock_timeout
_end: ContextVar[float] = ContextVar("end")


class Unanswered(psycopg.OperationalError):
    """The server has not answered in time; whether it did what it was asked is not known."""


def engines(
    url: URL, serializer: Callable[[Any], str], *, migrating: bool
) -> tuple[Engine, Engine, Engine, Callable[[float, bool], AbstractContextManager[Connection]]]:
    """The engines and the transactions of `Engines`; `timeout` of the address is how long one writer waits for another.

    A migration's statements may take their time.
    """
    session = _SESSION | _lock_timeout(float(str(url.query["timeout"]))) | ({} if migrating else _STATEMENT_TIMEOUT)
    url = url.difference_update_query(["timeout"])
    writes = _engine(url, serializer, session)
    # One snapshot for all statements of a read, as SQLite's BEGIN gives.
    reads = writes.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    # A pool of its own: whoever is in a hurry does not queue behind long reads.
    few = {"pool_size": 2, "max_overflow": 2, "pool_timeout": 1}
    soon = _engine(url, serializer, _SESSION | _lock_timeout(_HURRY), connect_timeout="2", **few)
    event.listen(soon, "do_connect", _connect_impatiently)

    @contextmanager
    def within(seconds: float, _synced: bool) -> Iterator[Connection]:
        token = _end.set(monotonic() + seconds)
        try:
            with soon.begin() as connection:
                yield connection
        finally:
            _end.reset(token)

    return reads, writes, soon, within


def place(url: URL) -> str:
    """How messages name the database: without a password, wherever the address has it."""
    socket = {"host": url.query["host"]} if "host" in url.query else {}
    named = URL.create("postgresql", url.username, None, url.host, url.port, url.database, socket)
    return named.render_as_string(hide_password=True)


def _lock_timeout(seconds: float) -> dict[str, str]:
    return {"lock_timeout": f"{round(seconds * 1000)}ms"}


def _engine(
    url: URL, serializer: Callable[[Any], str], session: dict[str, str], *, connect_timeout: str = "", **pool: int
) -> Engine:
    network = {name: value for name, value in _NETWORK.items() if name not in url.query}
    if connect_timeout:
        network["connect_timeout"] = connect_timeout
    engine = create_engine(
        url,
        json_serializer=serializer,
        isolation_level="READ COMMITTED",  # whatever the server's own default is
        pool_pre_ping=True,
        connect_args=network | {"client_encoding": "utf8"},
        **pool,
    )
    event.listen(engine, "connect", _setting(session))
    return engine


def _setting(session: dict[str, str]) -> Callable[[DBAPIConnection, object], None]:
    # Not among the options of the connection: poolers such as PgBouncer refuse those.
    statement = "SELECT " + ", ".join("pg_catalog.set_config(%s, %s, false)" for _ in session)
    values = [word for pair in session.items() for word in pair]

    def on_connect(connection: DBAPIConnection, _record: object) -> None:
        cursor = connection.cursor()
        cursor.execute(statement, values)
        cursor.close()
        connection.commit()

    return on_connect


class _Impatient(psycopg.Connection[Any]):
    """Gives up on a server that is frozen, or whose disk is, and to which its own timeouts mean nothing."""

    def wait(self, gen: Generator[Any, Any, _T], *args: Any, **kwargs: Any) -> _T:  # noqa: ANN401 - as the driver has it
        end = _end.get(None)
        if end is None:
            return super().wait(gen, *args, **kwargs)
        try:
            return super().wait(_until(gen, end), *args, **kwargs)
        except Unanswered:
            self.close()  # in the middle of an answer it is of no further use
            raise


def _connect_impatiently(_dialect: object, _record: object, cargs: tuple[Any, ...], cparams: dict[str, Any]) -> object:
    if _end.get() < monotonic():
        raise Unanswered("no answer in time")
    return _Impatient.connect(*cargs, **cparams)


def _until(gen: Generator[Any, Any, _T], end: float) -> Generator[Any, Any, _T]:
    """The same generator, which the driver resumes at least every tenth of a second, and no longer than `end`."""
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if not ready and monotonic() > end:
                raise Unanswered("no answer in time")
            wanted = gen.send(ready)
    except StopIteration as done:
        result: _T = done.value
        return result
