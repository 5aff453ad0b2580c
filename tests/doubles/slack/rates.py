"""How often Slack lets an app call: posts by channel and by workspace, other methods by their tier.

https://docs.slack.dev/apis/web-api/rate-limits: one post a second and channel with short bursts, "several hundred
messages per minute" in a workspace (here 300), 50 calls a minute for a method of Tier 3, 100 for one of Tier 4.
"""

from __future__ import annotations

import threading

from tests.doubles.slack.clock import Clock

POST = "chat.postMessage"
_PER_MINUTE = {
    POST: 300,
    "chat.delete": 50,
    "conversations.history": 50,
    "conversations.info": 50,
    "conversations.members": 100,
    "conversations.replies": 50,
}
_BURST = 50  # calls of a method that may come at once


class Limit:
    """`burst` calls may come at once, then `per_second` for each second that passes; each name by itself."""

    def __init__(self, clock: Clock, burst: int = 3, per_second: float = 1.0) -> None:
        self._clock = clock
        self._burst = burst
        self._per_second = per_second
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def wait(self, name: str) -> float:
        """Takes a place and gives 0, or how many seconds until there is one."""
        with self._lock:
            now = self._clock.now()
            left, since = self._left.get(name, (float(self._burst), now))
            left = min(float(self._burst), left + (now - since) * self._per_second)
            free = left >= 1
            self._left[name] = (left - 1 if free else left, now)
            return 0.0 if free else (1 - left) / self._per_second


class Rates:
    """The limits of one workspace; a call that is refused for one limit counts for none that comes after it."""

    def __init__(self, clock: Clock) -> None:
        self._posts = Limit(clock)
        self._methods = {name: Limit(clock, _BURST, number / 60) for name, number in _PER_MINUTE.items()}

    def wait(self, method: str, channel: str) -> float:
        """0, or how many seconds to wait before the call is tried again."""
        wait = self._posts.wait(channel) if method == POST else 0.0
        limit = self._methods.get(method)
        return wait if wait or limit is None else limit.wait("")
