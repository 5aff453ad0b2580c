"""A bounded pool of threads: what there is no room for is refused at once, what is taken is finished."""

from __future__ import annotations

import logging
from collections.abc import Callable
from queue import SimpleQueue
from threading import BoundedSemaphore, Lock, Thread
from time import monotonic

Work = Callable[[], None]

_log = logging.getLogger(__name__)


class Workers:
    """`threads` pieces of work run at once, `waiting` more may wait."""

    def __init__(self, name: str, *, threads: int = 4, waiting: int = 16) -> None:
        self._room = BoundedSemaphore(threads + waiting)
        self._queue = SimpleQueue[Work | None]()
        self._lock = Lock()
        self._stopped = False
        # Daemons: work that ignores every deadline must not keep the process from ending.
        self._threads = [Thread(target=self._run, name=f"{name}-{n}", daemon=True) for n in range(1, threads + 1)]
        for thread in self._threads:
            thread.start()

    def submit(self, prepare: Callable[[], Work]) -> bool:
        """Take a piece of work; False when there is no room, or after `stop`.

        `prepare` runs at once in the caller's thread, and only where there is room; what it raises passes on.
        """
        if not self._room.acquire(blocking=False):
            return False
        try:
            with self._lock:
                if self._stopped:
                    self._room.release()
                    return False
                self._queue.put(prepare())
        except BaseException:
            self._room.release()
            raise
        return True

    def stop(self, deadline: float) -> bool:
        """Take nothing more, finish what was taken; False when that takes longer than `deadline` seconds."""
        with self._lock:
            self._stopped = True
        for _ in self._threads:
            self._queue.put(None)
        end = monotonic() + deadline
        for thread in self._threads:
            thread.join(max(0.0, end - monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            try:
                work()
            except Exception:  # noqa: BLE001 - the job boundary: the thread goes on with the next
                _log.exception("a piece of work failed")
            finally:
                self._room.release()
