"""Waiting for the order to stop."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from signal import SIG_DFL, SIGINT, SIGTERM, signal

_LOOK = 0.5  # seconds


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
        while not self._came():
            pass
        signal(SIGINT, SIG_DFL)

    def _came(self) -> bool:
        """Whether one has come, within moments: without a timeout, one that comes as the wait begins is not seen."""
        try:
            self._signals.get(timeout=_LOOK)
        except Empty:
            return False
        return True
