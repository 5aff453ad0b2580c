"""What one Slack message may hold, and how much a block weighs."""

from __future__ import annotations

from typing import Any

Node = dict[str, Any]
"""A block, or a part of one, as Slack's API takes it."""

BLOCKS = 45  # of 50: https://docs.slack.dev/reference/block-kit/blocks
WEIGHT = 8_000  # the limit is not documented: 11,341 characters were refused (slackapi/bolt-js#2867)
PART = 5_000  # of the weight that a single paragraph, item, row or chart may have, so that others fit beside it
HEADER = 150  # https://docs.slack.dev/reference/block-kit/blocks/header-block
TEXT_OBJECT = 3_000  # https://docs.slack.dev/reference/block-kit/composition-objects/text-object
URL = 3_000
BUTTONS = 25  # https://docs.slack.dev/reference/block-kit/blocks/actions-block
BUTTON_TEXT = 75  # https://docs.slack.dev/reference/block-kit/block-elements/button-element
BUTTON_VALUE = 2_000
NOTIFICATION = 300  # what a lock screen and a screen reader bear; Slack itself takes more

_UNWEIGHED = frozenset({"type", "style", "action_id", "align"})


def units(text: str) -> int:
    """The length as JavaScript counts it (UTF-16): an emoji is two, so no count of Slack's is higher."""
    return len(text.encode("utf-16-le")) // 2


def beginning(text: str, most: int) -> str:
    """As much of the text's beginning as has `most` units."""
    return text.encode("utf-16-le")[: 2 * most].decode("utf-16-le", "ignore") if most > 0 else ""


def weight(node: object) -> int:
    """The units of every text and address in blocks: whether Slack counts addresses is not known."""
    match node:
        case str():
            return units(node)
        case list():
            return sum(map(weight, node))
        case dict():
            return sum(weight(value) for key, value in node.items() if key not in _UNWEIGHED)
    return 0
