"""From a platform's event to its handling: kept first, handled by a worker, and again where a process died over it."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from threading import Lock

from bot.store.errors import StoreError
from bot.store.inbox import MOST_TRIES, Event, Holder, StoredInbox
from bot.workers import Work, Workers

RENEW_EVERY = 10.0
"""Seconds between two calls of `redo`: three fit into a lease."""

_AGAIN_AFTER = timedelta(seconds=10)
_PRUNE_EVERY = timedelta(hours=1)
_log = logging.getLogger(__name__)


class Inbox:
    """The events of one platform. `handle` gets the payload, possibly again after it failed or the process died.

    `now` is the clock. A lease is over 30 seconds after it was last renewed: let the clock call `redo` every
    `RENEW_EVERY` seconds, and once at the start.
    """

    def __init__(
        self,
        platform: str,
        stored: StoredInbox,
        workers: Workers,
        handle: Callable[[str], None],
        now: Callable[[], datetime],
    ) -> None:
        self._platform = platform
        self._stored = stored
        self._workers = workers
        self._handle = handle
        self._now = now
        self._holder = Holder(secrets.token_hex(16))
        self._lock = Lock()
        self._held: dict[int, Event] = {}
        self._handled: dict[int, Event] = {}
        self._pruned: datetime | None = None

    def take(self, keys: Iterable[str], payload: str) -> None:
        """Keep an event and have it handled, unless one of its keys is known: then nothing happens.

        Returns as soon as it is kept. Raises StoreError where it could not be, within about two seconds: it must not
        be acknowledged then.
        """
        event = self._stored.take(self._platform, keys, payload, holder=self._holder, now=self._now())
        if event is not None:
            self._submit([event])

    def redo(self) -> None:
        """Hold on to what is being handled, handle what a dead process left, forget what is old. Raises StoreError."""
        now = self._now()
        with self._lock:
            held, handled = list(self._held.values()), list(self._handled.values())
        for event in handled:
            self._finish(event)
        self._stored.renew(held, self._holder, now)
        self._submit(self._stored.take_over(self._platform, [*held, *handled], holder=self._holder, now=now))
        if self._pruned is None or now - self._pruned >= _PRUNE_EVERY:
            self._stored.prune(now)
            self._pruned = now

    def stop(self, deadline: float) -> bool:
        """Finish what is running within `deadline` seconds; leave the rest to another process, or to the next start.

        Returns False when that took longer. The workers are stopped with it. Raises StoreError.
        """
        in_time = self._workers.stop(deadline)
        with self._lock:
            left = list(self._held.values())
        if left:
            _log.warning("%s events of %s are left for the next start", len(left), self._platform)
            self._stored.put_back(left, self._holder, self._now(), tried=False)
        return in_time

    def _submit(self, found: Iterable[Event]) -> None:
        refused = [event for event in found if not self._workers.submit(partial(self._work, event))]
        if refused:
            _log.warning("no room for %s events of %s: they wait", len(refused), self._platform)
            self._stored.put_back(refused, self._holder, self._now(), tried=False)

    def _work(self, event: Event) -> Work:
        """The work on an event, which counts as held from now on."""
        with self._lock:
            self._held[event.id] = event
        return lambda: self._run(event)

    def _run(self, event: Event) -> None:
        try:
            self._handle(event.payload)
        except Exception:  # noqa: BLE001 - the job boundary: it is tried again, and then given up
            _log.exception("event %s of %s failed (try %s of %s)", event.id, self._platform, event.tries, MOST_TRIES)
            self._stored.put_back([event], self._holder, self._now() + _AGAIN_AFTER, tried=True)
        else:
            with self._lock:
                self._handled[event.id] = event
            self._finish(event)
        finally:
            with self._lock:
                del self._held[event.id]

    def _finish(self, event: Event) -> None:
        """Forget a handled event; where the store cannot, `redo` tries again, and nobody handles it twice here."""
        try:
            self._stored.finish(event, self._holder)
        except StoreError as error:
            _log.warning(
                "event %s of %s is handled, which the store does not know yet: %s", event.id, self._platform, error
            )
            return
        with self._lock:
            self._handled.pop(event.id, None)
