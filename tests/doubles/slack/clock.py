"""The double's time: real, and as far ahead as a test has moved it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Clock:
    """Seconds since the epoch. `now` is the source of time, `advance` moves on without waiting."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._ahead = 0.0
        self._last = 0
        self._lock = threading.Lock()

    def now(self) -> float:
        with self._lock:
            return self._now() + self._ahead

    def advance(self, seconds: float) -> None:
        with self._lock:
            self._ahead += seconds

    def ts(self) -> str:
        """A message id as Slack makes them: the instant to the microsecond, each later than the one before."""
        with self._lock:
            self._last = max(int((self._now() + self._ahead) * 1_000_000), self._last + 1)
            return f"{self._last // 1_000_000}.{self._last % 1_000_000:06d}"
