"""The checks that every block shares: keys, texts, identifiers, addresses.

Each check yields one English line for each thing that is wrong, opened by where it is (`blocks[0].text`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from typing import Any

from tests.doubles.slack import limits

Node = dict[str, Any]
Wrong = Iterator[str]
ADDRESS = re.compile(r"(?:https?|slack|mailto|tel):\S+", re.IGNORECASE)
WEB_ADDRESS = re.compile(r"https?://[^\s/]\S*", re.IGNORECASE)


def keys(node: Node, where: str, required: Collection[str], optional: Collection[str] = ()) -> Wrong:
    """Slack refuses a block that lacks a required key or has one that its page does not list."""
    for key in sorted(set(required) - set(node)):
        yield f"{where}: missing required field: {key}"
    for key in sorted(set(node) - set(required) - set(optional)):
        yield f"{where}: unknown field: {key}"


def words(value: Any, where: str, most: int, least: int = 1) -> Wrong:
    """A text of `least` to `most` UTF-16 code units."""
    if not isinstance(value, str):
        yield f"{where}: must be a string"
    elif limits.length(value) < least:
        yield f"{where}: must be at least {least} characters"
    elif limits.length(value) > most:
        yield f"{where}: must be at most {most} characters, has {limits.length(value)}"


def optional_words(node: Node, key: str, where: str, most: int) -> Wrong:
    if key in node:
        yield from words(node[key], f"{where}.{key}", most)


def identifier(node: Node, key: str, where: str) -> Wrong:
    yield from optional_words(node, key, where, limits.IDENTIFIER)


def items(value: Any, where: str, most: int, least: int = 1) -> Wrong:
    """A list of `least` to `most` items."""
    if not isinstance(value, list):
        yield f"{where}: must be a list"
    elif len(value) < least:
        yield f"{where}: must have at least {least} items"
    elif len(value) > most:
        yield f"{where}: must have at most {most} items, has {len(value)}"


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def address(value: Any, where: str, most: int = limits.URL, pattern: re.Pattern[str] = ADDRESS) -> Wrong:
    """An address with a scheme and without blanks."""
    yield from words(value, where, most)
    if isinstance(value, str) and value and not pattern.fullmatch(value):
        yield f"{where}: must be a valid URL"


def flag(node: Node, key: str, where: str) -> Wrong:
    if key in node and not isinstance(node[key], bool):
        yield f"{where}.{key}: must be a boolean"


def whole(value: Any, where: str, least: int, most: int) -> Wrong:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        yield f"{where}: must be a whole number from {least} to {most}"


def number(value: Any, where: str) -> Wrong:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        yield f"{where}: must be a number"


def text_object(value: Any, where: str, most: int, kinds: Collection[str] = ("mrkdwn", "plain_text")) -> Wrong:
    """A text object: docs.slack.dev/reference/block-kit/composition-objects/text-object."""
    if not isinstance(value, dict):
        yield f"{where}: must be a text object"
        return
    kind = value.get("type")
    if kind not in kinds:
        yield f"{where}.type: must be one of {', '.join(sorted(kinds))}"
    yield from keys(value, where, ("type", "text"), ("emoji",) if kind == "plain_text" else ("verbatim",))
    yield from flag(value, "emoji", where)
    yield from flag(value, "verbatim", where)
    if "text" in value:
        yield from words(value["text"], f"{where}.text", most)
