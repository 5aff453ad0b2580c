"""The schema of a rich_text block.

Source: docs.slack.dev/reference/block-kit/blocks/rich-text-block and the pages of its elements (rich-text-section,
-list, -quote, -preformatted, text, link, user, usergroup, channel, emoji, broadcast, date, color). Empty texts and
empty lists of elements are refused: a message of them shows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.doubles.slack import limits
from tests.doubles.slack.fields import Node, Wrong, address, flag, items, keys, listed, whole, words

TEXT_STYLES = ("bold", "italic", "strike", "code", "highlight", "client_highlight", "underline", "unlink")
LINK_STYLES = ("bold", "italic", "strike", "code", "highlight", "client_highlight", "underline")
MENTION_STYLES = ("bold", "italic", "strike", "highlight", "client_highlight", "unlink")
BROADCASTS = ("here", "channel", "everyone")
ANY_LENGTH = 1_000_000
DISTANT = 10**12


def _style(node: Node, where: str, allowed: tuple[str, ...]) -> Wrong:
    style = node.get("style")
    if style is None and "style" not in node:
        return
    if not isinstance(style, dict):
        yield f"{where}.style: must be an object"
        return
    yield from keys(style, f"{where}.style", (), allowed)
    for key in style:
        yield from flag(style, key, f"{where}.style")


def _text(node: Node, where: str) -> Wrong:
    yield from keys(node, where, ("type", "text"), ("style",))
    yield from words(node.get("text"), f"{where}.text", ANY_LENGTH)
    yield from _style(node, where, TEXT_STYLES)


def _link(node: Node, where: str) -> Wrong:
    yield from keys(node, where, ("type", "url"), ("text", "unsafe", "style"))
    yield from address(node.get("url"), f"{where}.url")
    if "text" in node:
        yield from words(node["text"], f"{where}.text", ANY_LENGTH)
    yield from flag(node, "unsafe", where)
    yield from _style(node, where, LINK_STYLES)


def _mention(key: str) -> Callable[[Node, str], Wrong]:
    def check(node: Node, where: str) -> Wrong:
        yield from keys(node, where, ("type", key), ("style",))
        yield from words(node.get(key), f"{where}.{key}", limits.IDENTIFIER)
        yield from _style(node, where, MENTION_STYLES)

    return check


def _broadcast(node: Node, where: str) -> Wrong:
    yield from keys(node, where, ("type", "range"), ("style",))
    if node.get("range") not in BROADCASTS:
        yield f"{where}.range: must be one of {', '.join(BROADCASTS)}"


def _emoji(node: Node, where: str) -> Wrong:
    yield from keys(node, where, ("type", "name"), ("unicode", "skin_tone", "style"))
    yield from words(node.get("name"), f"{where}.name", limits.IDENTIFIER)


def _date(node: Node, where: str) -> Wrong:
    yield from keys(node, where, ("type", "timestamp", "format"), ("url", "fallback", "style"))
    yield from whole(node.get("timestamp"), f"{where}.timestamp", 0, DISTANT)
    yield from words(node.get("format"), f"{where}.format", limits.IDENTIFIER)


def _colour(node: Node, where: str) -> Wrong:
    yield from keys(node, where, ("type", "value"), ("style",))
    yield from words(node.get("value"), f"{where}.value", limits.IDENTIFIER)


INLINE: dict[str, Callable[[Node, str], Wrong]] = {
    "text": _text,
    "link": _link,
    "user": _mention("user_id"),
    "usergroup": _mention("usergroup_id"),
    "channel": _mention("channel_id"),
    "emoji": _emoji,
    "broadcast": _broadcast,
    "date": _date,
    "color": _colour,
}
VERBATIM = {"text": _text, "link": _link}


def _elements(node: Node, where: str, known: Mapping[str, Callable[[Node, str], Wrong]]) -> Wrong:
    yield from items(node.get("elements"), f"{where}.elements", ANY_LENGTH)
    for index, element in enumerate(listed(node.get("elements"))):
        yield from _one(element, f"{where}.elements[{index}]", known)


def _one(element: Any, where: str, known: Mapping[str, Callable[[Node, str], Wrong]]) -> Wrong:
    if not isinstance(element, dict):
        yield f"{where}: must be an object"
    elif str(element.get("type")) not in known:
        yield f"{where}: unsupported type: {element.get('type')}"
    else:
        yield from known[element["type"]](element, where)


def _border(node: Node, where: str) -> Wrong:
    if "border" in node:
        yield from whole(node["border"], f"{where}.border", 0, 1)


def _section(node: Node, where: str) -> Wrong:
    yield from keys(node, where, ("type", "elements"))
    yield from _elements(node, where, INLINE)


def _quote(node: Node, where: str) -> Wrong:
    yield from keys(node, where, ("type", "elements"), ("border",))
    yield from _border(node, where)
    yield from _elements(node, where, INLINE)


def _preformatted(node: Node, where: str) -> Wrong:
    yield from keys(node, where, ("type", "elements"), ("border",))
    yield from _border(node, where)
    yield from _elements(node, where, VERBATIM)


def _list(node: Node, where: str) -> Wrong:
    yield from keys(node, where, ("type", "style", "elements"), ("indent", "offset", "border"))
    if node.get("style") not in ("bullet", "ordered"):
        yield f"{where}.style: must be bullet or ordered"
    if "indent" in node:
        yield from whole(node["indent"], f"{where}.indent", 0, limits.LIST_INDENT)
    if "offset" in node:
        yield from whole(node["offset"], f"{where}.offset", 0, DISTANT)
    yield from _border(node, where)
    yield from _elements(node, where, {"rich_text_section": _section})


PARTS: dict[str, Callable[[Node, str], Wrong]] = {
    "rich_text_section": _section,
    "rich_text_list": _list,
    "rich_text_quote": _quote,
    "rich_text_preformatted": _preformatted,
}


def rich_text(block: Node, where: str) -> Wrong:
    """What is wrong with a rich_text block, as a block of its own or as the cell of a table."""
    yield from keys(block, where, ("type", "elements"), ("block_id",))
    yield from _elements(block, where, PARTS)
