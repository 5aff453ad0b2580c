"""What a person types, as Slack passes it on: entities escaped, links and mentions in angle brackets, and as rich_text.

Source: docs.slack.dev/messaging/formatting-message-text#retrieving-messages.
"""

from __future__ import annotations

import re
from typing import Any

from tests.doubles.slack.workspace import Workspace

PIECE = re.compile(
    r"\[(?P<label>[^\]\n]+)\]\((?P<target>https?://[^\s)]+)\)"
    r"|(?P<url>https?://[^\s<>|]+)"
    r"|@(?P<user>[\w.-]+)|#(?P<channel>[\w-]+)"
)
BROADCASTS = ("here", "channel", "everyone")
Typed = tuple[str, dict[str, Any]]


def typed(text: str, workspace: Workspace) -> Typed:
    """The text of the event, and the elements of its rich_text block.

    Known are `@name` of users, `@here` and its like, `#name` of channels, addresses, and `[label](address)`; anything
    else is plain text, also `<@U1>`, which a person cannot type.
    """
    pieces: list[Typed] = []
    end = 0
    for match in PIECE.finditer(text):
        pieces += [_plain(text[end : match.start()]), _token(match, workspace)]
        end = match.end()
    pieces.append(_plain(text[end:]))
    return _joined([piece for piece in pieces if piece[0]])


def mentioning(user: str, said: Typed) -> Typed:
    """The same, opened by a mention."""
    text, block = said
    mention = {"type": "user", "user_id": user}
    rest = block["elements"][0]["elements"] if block else []
    return f"<@{user}> {text}".rstrip(), _block([mention, {"type": "text", "text": " "}, *rest])


def _joined(pieces: list[Typed]) -> Typed:
    return "".join(text for text, _ in pieces), _block([element for _, element in pieces]) if pieces else {}


def _block(elements: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": elements}]}


def _plain(text: str) -> Typed:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped, {"type": "text", "text": text}


def _token(match: re.Match[str], workspace: Workspace) -> Typed:
    if match["target"]:
        label, url = _plain(match["label"])[0], match["target"].replace("&", "&amp;")
        return f"<{url}|{label}>", {"type": "link", "url": match["target"], "text": match["label"]}
    if match["url"]:
        return f"<{match['url'].replace('&', '&amp;')}>", {"type": "link", "url": match["url"]}
    if match["user"] in BROADCASTS:
        return f"<!{match['user']}>", {"type": "broadcast", "range": match["user"]}
    user = next((u.id for u in workspace.users.values() if u.name == match["user"]), None)
    if user:
        return f"<@{user}>", {"type": "user", "user_id": user}
    channel = next((c for c in workspace.channels.values() if c.name == match["channel"]), None)
    if channel:
        return f"<#{channel.id}|{channel.name}>", {"type": "channel", "channel_id": channel.id}
    return _plain(match[0])
