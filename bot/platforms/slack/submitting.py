"""Submitting one message in whatever form Slack takes it: as it is, without charts, in pieces, as text."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from bot.platforms.slack.failures import NotAccepted
from bot.platforms.slack.forms import halves, texts
from bot.platforms.slack.limits import Node
from bot.platforms.slack.render import Payload

Body = dict[str, Any]
"""`text` and `blocks`, as Slack's methods take them."""

Send = Callable[[Body, str], str]
"""Sends a body under a key; gives the id of what was posted."""

Seen = Callable[[str], str | None]
"""The id of what was posted under a key before; None: nothing was, or nobody may look."""

Pieces = deque[tuple[str, Body]]
"""What is left of a message, in order, each with its key; the last has the key of the message."""

_HALF, _LINES = "/", "."  # how the keys of pieces go on after that of what they are pieces of
_log = logging.getLogger(__name__)


class Submitting:
    """Remembers what the workspace refused once (charts, tables), and what is left of messages that go in pieces.

    A message that is submitted again under its key goes on where it was broken off. Usable from several threads.
    """

    def __init__(self) -> None:
        self.native = True  # whether the workspace is believed to take native charts and tables
        self._left: dict[str, Pieces] = {}

    def submit(self, payload: Payload, key: str, send: Send, seen: Seen, *, again: bool = False) -> str:
        """Send a message in the first form that is accepted; returns the id of its last piece.

        Of one without a key (an empty string) nothing is remembered. `again`: an earlier process may have begun it.
        Raises what `send` and `seen` raise, and Refused where no form is accepted.
        """
        left = self._left.get(key) or (_begun(payload, key, seen) if again else None)
        if left is None:
            try:
                return self._whole(payload, key, send)
            except NotAccepted as refusal:
                _log.warning("sent in another form: %s", refusal)
                left = _smaller(payload, key, too_long=refusal.too_long)
        if key:
            self._left[key] = left
        sent = _send_all(left, key, send, seen)
        self._left.pop(key, None)
        return sent

    def _whole(self, payload: Payload, key: str, send: Send) -> str:
        refused = None
        if self.native or payload.fallback is None:
            try:
                return send(_body(payload.text, payload.blocks), key)
            except NotAccepted as refusal:
                if payload.fallback is None:
                    raise
                refused = refusal
        sent = send(_body(payload.text, payload.fallback), key)
        if refused is not None and not refused.too_long:
            _log.warning("from now on without native charts and tables: %s", refused)
            self.native = False
        return sent


def _send_all(left: Pieces, key: str, send: Send, seen: Seen) -> str:
    """Send what is left, but what is there already; what is refused goes as text. Returns the id of the last piece."""
    sent = ""
    while left:
        piece, body = left[0]
        try:
            sent = (seen(piece) if piece != key else None) or send(body, piece)
        except NotAccepted as refusal:
            words = texts(body.get("blocks", ()))
            if not words:
                raise
            _log.warning("sent as text: %s", refusal)
            left.popleft()
            left.extendleft(reversed(_pieces(list(map(_body, words)), piece, _LINES)))
        else:
            left.popleft()
    return sent


def _smaller(payload: Payload, key: str, *, too_long: bool) -> Pieces:
    """The blocks in two messages where they are too many, else their words."""
    blocks = payload.blocks if payload.fallback is None else payload.fallback
    parts = halves(blocks) if too_long else ()
    if parts:
        return _pieces([_body(payload.text, part) for part in parts], key, _HALF)
    return _pieces(list(map(_body, texts(blocks))) or [_body(payload.text)], key, _LINES)


def _begun(payload: Payload, key: str, seen: Seen) -> Pieces | None:
    """All pieces of a message whose first is there; None: it is not."""
    for too_long in (True, False):
        pieces = _smaller(payload, key, too_long=too_long)
        if len(pieces) > 1 and seen(pieces[0][0]) is not None:
            return pieces
    return None


def _pieces(bodies: Sequence[Body], key: str, mark: str) -> Pieces:
    last = len(bodies)
    return deque((key if place == last else f"{key}{mark}{place}", body) for place, body in enumerate(bodies, 1))


def _body(text: str, blocks: Sequence[Node] = ()) -> Body:
    return {"text": text, "blocks": list(blocks)} if blocks else {"text": text}
