"""Small writes of many threads, kept together: one transaction and one wait for the disk, in bounded time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any, TypeVar, cast

from sqlalchemy import Connection

from bot.store.engines import Engines
from bot.store.errors import Contended, StoreError

_T = TypeVar("_T")


@dataclass(eq=False)
class _Task:
    work: Callable[[Connection], Any]
    outcome: Future[Any] = field(default_factory=Future)


class GroupedWrites:
    """Writes that come while another is being kept are kept together by the next thread whose turn it is.

    SQLite lets one write at a time and makes the others ask again after a sleep: with fifty threads the last would wait
    for fifty disk syncs and as many naps. `patience` is for how many seconds a write waits for its turn here, and then
    for as long again for the database. What is not `synced` may be undone when the power fails, and by nothing else.
    """

    def __init__(self, engines: Engines, patience: float = 1.0, *, synced: bool = True) -> None:
        self._engines = engines
        self._synced = synced
        self._patience = patience
        self._waiting = deque[_Task]()
        self._turn = Lock()

    def run(self, work: Callable[[Connection], _T]) -> _T:
        """What `work` returns, once it is kept. What it raises undoes its own writes and passes on; it may run twice.

        Raises StoreError, also when the database stays locked: then nothing was kept. Of a server that does not answer
        it is not known; what is asked for again must be recognized.
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
            raise self._busy()
        return cast("_T", task.outcome.result())  # from the thread whose turn it was

    def _keep_all(self) -> None:
        tasks = [task for task in self._drained() if task.outcome.set_running_or_notify_cancel()]
        end = monotonic() + self._patience
        try:
            self._keep(tasks, end)
        except Contended:  # PostgreSQL locks rows: mostly only one of them is in somebody's way
            self._keep_each(tasks, end)
        except StoreError as error:
            _fail(tasks, error)
        except Exception:  # noqa: BLE001 - one of them is to blame, and only that one is to hear of it
            self._keep_each(tasks, end)
        except BaseException as error:
            _fail(tasks, error)
            raise

    def _drained(self) -> Iterator[_Task]:
        while self._waiting:
            yield self._waiting.popleft()

    def _keep(self, tasks: Sequence[_Task], end: float) -> None:
        with self._engines.writing_soon(max(0.0, end - monotonic()), synced=self._synced) as connection:
            results = [task.work(connection) for task in tasks]
        for task, result in zip(tasks, results, strict=True):
            task.outcome.set_result(result)

    def _keep_each(self, tasks: Sequence[_Task], end: float) -> None:
        for done, task in enumerate(tasks):
            if monotonic() > end:
                _fail(tasks[done:], self._busy())
                return
            try:
                self._keep([task], end)
            except Exception as error:  # noqa: BLE001 - raised again in the thread that asked
                _fail([task], error)

    def _busy(self) -> StoreError:
        return StoreError(
            f"{self._engines.place} is kept busy by other writes: nothing was kept, try again", user_can_fix=False
        )


def _fail(tasks: Sequence[_Task], error: BaseException) -> None:
    for task in tasks:
        task.outcome.set_exception(error)
