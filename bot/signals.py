"""Waiting for the order to stop."""

from __future__ import annotations

from queue import SimpleQueue
from signal import SIG_DFL, SIGINT, SIGTERM, signal


class Stop:
    """Notes SIGTERM and Ctrl-C from now on, in the main thread.

    A queue, not an event: a second signal may arrive while the first is being noted, and the lock of
    `threading.Event` would then wait for itself.
    """

    def __init__(self) -> None:
        self._signals = SimpleQueue[int]()
        for signum in (SIGINT, SIGTERM):
            signal(signum, lambda given, _: self._signals.put(given))

    def wait(self) -> None:
        """Return when a signal has come; from then on Ctrl-C ends the process at once."""
        self._signals.get()
        signal(SIGINT, SIG_DFL)
