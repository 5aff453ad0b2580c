"""How fast the bot may post: Slack takes about one message a second and channel, with short bursts.

https://docs.slack.dev/apis/web-api/rate-limits
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import monotonic, sleep

from bot.ports import NotSent

INTERVAL = 1.0
"""Seconds between two posts in one channel."""

_MANY = 1_000  # channels that are remembered at once


class Pace:
    """Spaces the posts of each channel by itself; usable from several threads, none of which holds up another channel.

    `burst` posts go at once, then one every `interval` seconds (of `clock`); None: every `INTERVAL`.
    """

    def __init__(
        self,
        interval: float | None = None,
        burst: int = 2,
        *,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], object] = sleep,
    ) -> None:
        self._interval = INTERVAL if interval is None else interval
        self._slack = (burst - 1) * self._interval
        self._clock = clock
        self._pause = pause
        self._lock = Lock()
        self._next: dict[str, float] = {}  # when the channel would be free again if nothing went in bursts

    def turn(self, channel: str, most: float) -> None:
        """Wait for the channel's turn. Raises NotSent at once where that would take more than `most` seconds."""
        with self._lock:
            now = self._clock()
            free = max(self._next.get(channel, now), now)
            wait = max(0.0, free - self._slack - now)
            if wait > most:
                raise NotSent(f"the channel {channel} is full for {wait:.0f} s", wait)
            self._forget(now)
            self._next[channel] = free + self._interval
        if wait:
            self._pause(wait)

    def hold(self, channel: str, seconds: float) -> None:
        """Slack asked to wait so long before the channel's next post."""
        with self._lock:
            until = self._clock() + seconds + self._slack
            self._next[channel] = max(self._next.get(channel, until), until)

    def _forget(self, now: float) -> None:
        if len(self._next) >= _MANY:
            self._next = {channel: free for channel, free in self._next.items() if free > now}
