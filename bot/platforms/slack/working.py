"""Showing that an answer is being made where it is slow, and not any more once it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer

SLOW = 2.0
"""Seconds after which an answer counts as slow."""


@contextmanager
def shown_while_slow(show: Callable[[], None], after: float = SLOW) -> Iterator[None]:
    """Call `show` once, on another thread, if the block takes longer than `after` seconds; never after it ended."""
    lock, state = Lock(), {"over": False}

    def due() -> None:
        with lock:
            if not state["over"]:
                show()

    timer = Timer(after, due)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            state["over"] = True
