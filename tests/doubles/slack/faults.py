"""What goes wrong on purpose."""

from __future__ import annotations

import threading
from dataclasses import dataclass


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
