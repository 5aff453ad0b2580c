"""The `text` beside the blocks, for notifications and screen readers. Slack parses it, so nothing in it may be live.

https://docs.slack.dev/messaging/formatting-message-text
"""

from __future__ import annotations

import re

from bot.platforms.slack.limits import NOTIFICATION, units
from bot.rendering.forms import one_line

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_APART = "\u200b"  # invisible, and no address goes on after it
# Slack also links hosts without a scheme, of which setup.py is one.
_LINKED = re.compile(r"(?<=:)(?=//)|(?<=\w\.)(?=[^\W\d])|(?<=\bmailto)(?=:)|(?<=\btel)(?=:)", re.IGNORECASE)


def notification(text: str) -> str:
    """The text in one line of at most 300 characters; cut with … before it is escaped, so never inside an escape."""
    apart = _LINKED.sub(_APART, one_line(text).strip())
    escaped = [_ESCAPES.get(char, char) for char in apart]
    if sum(map(units, escaped)) <= NOTIFICATION:
        return "".join(escaped)
    kept, room = "", NOTIFICATION - 1
    for part in escaped:
        room -= units(part)
        if room < 0:
            break
        kept += part
    return f"{kept.rstrip()}…"
