"""Posting an answer until it is there, within bounds: whoever asked waits for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import sleep

from bot.ports import CannotLook, NotSent, Unsure

_SETTLE = 1.0  # seconds after which what was posted can be seen
_RESENT = 2  # times that it is sent again where nobody knows whether it came through

Look = Callable[[], str | None]


@dataclass(frozen=True)
class Insistence:
    """How long an answer is held back for Slack's sake: `most` seconds in all, however long Slack asks to wait."""

    most: float = 45.0
    pause: Callable[[float], object] = sleep

    def post(self, send: Callable[[], str], look: Look) -> str:
        """Send until it is sent; where that is not known, `look` says whether it is there. Returns its id.

        Where the bot may not look, it is sent again: an answer that stands there twice is better than none. Raises what
        `send` raises when that lasts.
        """
        waited, resent = 0.0, 0
        while True:
            try:
                return send()
            except NotSent as busy:
                wait = 1.0 + waited if busy.after is None else busy.after
                if waited + wait > self.most:
                    raise
            except Unsure:
                wait, resent = _SETTLE, resent + 1
                if resent > _RESENT:
                    raise
            self.pause(wait)
            waited += wait
            if resent and (found := self.seen(look)) is not None:
                return found

    def seen(self, look: Look) -> str | None:
        """What `look` finds; None too where it may not look, or cannot now."""
        try:
            return look()
        except (CannotLook, NotSent):
            return None
