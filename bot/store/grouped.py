"""Small writes of many threads, kept together: one transaction and one wait for the disk, in bounded time."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar, cast

from sqlalchemy import Connection

from bot.store.engines import Engines
from bot.store.errors import StoreError, explained

_T = TypeVar("_T")


@dataclass(eq=False)
class _Task:
    work: Callable[[Connection], Any]
    outcome: Future[Any] = field(default_factory=Future)


class GroupedWrites:
    """Writes that come while another is being kept are kept together by the next thread whose turn it is.

    SQLite lets one write at a time and makes the others ask again after a sleep: with fifty threads the last would wait
    for fifty disk syncs and as many naps. `patience` is for how many seconds a write waits for its turn here, and then
    for as long again for a transaction of another process.
    """

    def __init__(self, engines: Engines, patience: float = 1.0) -> None:
        self._engines = engines
        self._patience = patience
        self._waiting = deque[_Task]()
        self._turn = Lock()

    def run(self, work: Callable[[Connection], _T]) -> _T:
        """What `work` returns, once it is kept. What it raises undoes its own writes and passes on; it may run twice.

        Raises StoreError, also when the database stays locked: then nothing was kept.
        """
        task = _Task(work)
        self._waiting.append(task)
        if self._turn.acquire(timeout=self._patience):
            try:
                if not task.outcome.done():
                    self._keep_all()
            finally:
                self._turn.release()
        elif task.outcome.cancel():
            raise StoreError(
                f"{self._engines.place} is kept busy by other writes: nothing was kept, try again", user_can_fix=False
            )
        return cast("_T", task.outcome.result())  # from the thread whose turn it was

    def _keep_all(self) -> None:
        tasks = [task for task in self._drained() if task.outcome.set_running_or_notify_cancel()]
        try:
            self._keep(tasks)
        except StoreError as error:
            _fail(tasks, error)
        except Exception:  # noqa: BLE001 - one of them is to blame, and only that one is to hear of it
            for task in tasks:
                self._keep_alone(task)
        except BaseException as error:
            _fail(tasks, error)
            raise

    def _drained(self) -> Iterator[_Task]:
        while self._waiting:
            yield self._waiting.popleft()

    def _keep(self, tasks: Sequence[_Task]) -> None:
        with self._transaction() as connection:
            results = [task.work(connection) for task in tasks]
        for task, result in zip(tasks, results, strict=True):
            task.outcome.set_result(result)

    def _keep_alone(self, task: _Task) -> None:
        try:
            self._keep([task])
        except Exception as error:  # noqa: BLE001 - raised again in the thread that asked
            _fail([task], error)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        engines = self._engines
        with (
            explained(engines.place),
            engines.lock,
            engines.writes.connect() as connection,
            self._impatient(connection),
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def _impatient(self, connection: Connection) -> Iterator[None]:
        """SQLite waits for another process no longer than `patience`; PostgreSQL locks rows, for moments only."""
        driver = connection.connection.driver_connection
        if not isinstance(driver, sqlite3.Connection):
            yield
            return
        (usual,) = driver.execute("PRAGMA busy_timeout").fetchone()
        driver.execute(f"PRAGMA busy_timeout={round(self._patience * 1000)}").close()
        try:
            yield
        finally:
            driver.execute(f"PRAGMA busy_timeout={usual}").close()


def _fail(tasks: Sequence[_Task], error: BaseException) -> None:
    for task in tasks:
        task.outcome.set_exception(error)
