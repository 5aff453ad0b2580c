"""At most a few answers are computed at once: one thread runs at a time, and acknowledgements wait for the others."""

from __future__ import annotations

from threading import BoundedSemaphore

from bot.ports import Incoming, Reply, Respond


def in_turn(respond: Respond, at_once: int) -> Respond:
    """`respond`, at most `at_once` of them running; the others wait for their turn."""
    seats = BoundedSemaphore(at_once)

    def answered(incoming: Incoming) -> Reply | None:
        with seats:
            return respond(incoming)

    return answered
