"""Time that passes only while every thread waits for it to pass."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from heapq import heappop, heappush
from threading import Condition

from bot.workers import Work, Workers


class VirtualTime:
    """Threads that work `enter` and `leave`; when all of them sleep, time moves on to the first that wakes."""

    def __init__(self, begins: datetime) -> None:
        self._begins = begins
        self._passed = 0.0
        self._busy = 0
        self._wakes: list[float] = []
        self._changed = Condition()

    def now(self) -> datetime:
        return self._begins + timedelta(seconds=self._passed)

    def seconds(self) -> float:
        """How many have passed."""
        return self._passed

    def enter(self) -> None:
        with self._changed:
            self._busy += 1

    def leave(self) -> None:
        with self._changed:
            self._busy -= 1
            self._move_on()

    def sleep(self, seconds: float) -> None:
        """Wait, as a thread that has entered."""
        if seconds <= 0:
            return
        with self._changed:
            wake = self._passed + seconds
            heappush(self._wakes, wake)
            self._busy -= 1
            self._move_on()
            while self._passed < wake:
                self._changed.wait()

    def _move_on(self) -> None:
        """Wake whoever is first; from then on it counts as busy, before its thread has noticed."""
        if self._busy > 0 or not self._wakes:
            return
        self._passed = self._wakes[0]
        while self._wakes and self._wakes[0] <= self._passed:
            heappop(self._wakes)
            self._busy += 1
        self._changed.notify_all()


class TimedWorkers(Workers):
    """Workers whose work takes virtual time; `ends` are exceptions that end a piece of work without a word."""

    def __init__(
        self, name: str, time: VirtualTime, *, threads: int, ends: tuple[type[BaseException], ...] = ()
    ) -> None:
        self._time = time
        self._ends = ends
        super().__init__(name, threads=threads, waiting=0)

    def submit(self, prepare: Callable[[], Work]) -> bool:
        """As `Workers.submit`; time stands still until the work has begun."""
        return super().submit(lambda: self._timed(prepare()))

    def _timed(self, work: Work) -> Work:
        self._time.enter()

        def timed() -> None:
            try:
                work()
            except self._ends:
                return
            finally:
                self._time.leave()

        return timed
