"""What goes wrong on purpose, and the limit on posts in a channel."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from tests.doubles.slack.clock import Clock


@dataclass
class Fault:
    """One order of a test: how calls of a method go wrong, after `skip` good ones and `times` times.

    `how`: `ratelimited` (429, Retry-After `after`), `http_500` (any status), `drop_before` (the connection is closed
    and nothing was done), `drop_after` (it was done, then the connection is closed), `slow` (waits `after` seconds,
    then does it), `late` (does it, then waits), or an error code that Slack would answer with.
    """

    method: str
    how: str
    times: int = 1
    after: float = 1.0
    skip: int = 0
    channel: str | None = None


class Faults:
    """The orders not yet used up, oldest first. `*` stands for every method of the Web API."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._orders: list[Fault] = []

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._orders.append(fault)

    def clear(self) -> None:
        with self._lock:
            self._orders.clear()

    def take(self, method: str, channel: str | None = None) -> Fault | None:
        """How this call goes wrong; None: it does not."""
        names = {method, "*"} if "." in method else {method}
        with self._lock:
            for order in self._orders:
                if order.method in names and order.channel in (None, channel) and order.times > 0:
                    if order.skip > 0:
                        order.skip -= 1
                        continue
                    order.times -= 1
                    return order
        return None


class PostLimit:
    """One message a second and channel, with short bursts: docs.slack.dev/apis/web-api/rate-limits.

    `burst` posts may come at once, then one for each second that passes.
    """

    def __init__(self, clock: Clock, burst: int = 3, per_second: float = 1.0) -> None:
        self._clock = clock
        self._burst = burst
        self._per_second = per_second
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def wait(self, channel: str) -> float:
        """Takes a place and gives 0, or how many seconds until there is one."""
        with self._lock:
            now = self._clock.now()
            left, since = self._left.get(channel, (float(self._burst), now))
            left = min(float(self._burst), left + (now - since) * self._per_second)
            free = left >= 1
            self._left[channel] = (left - 1 if free else left, now)
            return 0.0 if free else (1 - left) / self._per_second
