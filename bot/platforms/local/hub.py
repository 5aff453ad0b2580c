"""Wakes the open pages: what is published from any thread is read by the event streams at their own pace."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal, NamedTuple

_KEPT = 256  # events in memory for each channel; who is further behind reads them from what was stored
_STREAMS = 512  # pages open at once

State = Literal["busy", "failed"]


class Event(NamedTuple):
    """Something new in a channel. `data` is what a page is sent."""

    id: int
    data: str


@dataclass
class _Feed:
    """What the pages of one channel may still need. Every event after `complete_after` is in `events`."""

    complete_after: int | None = None
    events: deque[Event] = field(default_factory=lambda: deque(maxlen=_KEPT))
    working: Counter[int] = field(default_factory=Counter)
    failed: set[int] = field(default_factory=set)


class Hub:
    """No stream has a queue of its own, so a slow or dead page costs nothing and delays nobody."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._feeds: defaultdict[str, _Feed] = defaultdict(_Feed)
        self._bells: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.closed = False

    def publish(self, channel: str, event: Event) -> None:
        """Announce an event; ids must grow from call to call."""
        with self._lock:
            feed = self._feeds[channel]
            if feed.complete_after is None:
                feed.complete_after = event.id - 1
            elif len(feed.events) == _KEPT:
                feed.complete_after = feed.events[0].id
            feed.events.append(event)
        self._ring()

    def after(self, channel: str, position: int) -> tuple[Event, ...] | None:
        """The events with a higher id, oldest first; None where some of them are not in memory."""
        with self._lock:
            feed = self._feeds[channel]
            if feed.complete_after is None or position < feed.complete_after:
                return None
            return tuple(event for event in feed.events if event.id > position)

    def begin(self, channel: str, thread: int) -> None:
        """Somebody waits for an answer in a thread."""
        with self._lock:
            self._feeds[channel].working[thread] += 1
            self._feeds[channel].failed.discard(thread)
        self._ring()

    def finish(self, channel: str, thread: int, *, failed: bool = False) -> None:
        """The answer is there, or could not even be said."""
        with self._lock:
            feed = self._feeds[channel]
            feed.working[thread] -= 1
            feed.working += Counter()  # forgets what is at 0
            if failed:
                feed.failed.add(thread)
        self._ring()

    def status(self, channel: str) -> dict[State, list[int]]:
        """The threads in which an answer is awaited, and those where none could be given."""
        with self._lock:
            feed = self._feeds[channel]
            return {"busy": sorted(feed.working), "failed": sorted(feed.failed)}

    @property
    def full(self) -> bool:
        """Whether as many pages are open as can be kept up to date."""
        return len(self._bells) >= _STREAMS

    @contextmanager
    def listening(self) -> Iterator[asyncio.Event]:
        """A bell that rings whenever there may be something new; for one stream, on the event loop's thread."""
        bell = asyncio.Event()
        with self._lock:
            self._loop = asyncio.get_running_loop()
            self._bells.add(bell)
        try:
            yield bell
        finally:
            with self._lock:
                self._bells.discard(bell)

    def close(self) -> None:
        """Let every stream end."""
        self.closed = True
        self._ring()

    def _ring(self) -> None:
        with self._lock:
            loop, any_open = self._loop, bool(self._bells)
        if loop is None or not any_open:
            return
        try:
            loop.call_soon_threadsafe(self._ring_all)
        except RuntimeError:  # the loop was closed in between: no page is open any more
            return

    def _ring_all(self) -> None:
        with self._lock:
            bells = tuple(self._bells)
        for bell in bells:
            bell.set()
