"""The schema of the blocks other than rich_text, tables and charts, and of buttons.

Sources: the pages of docs.slack.dev/reference/block-kit/blocks and .../block-elements/button-element. Blocks and
elements that the pages know and this file does not are refused: nothing here sends them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.doubles.slack import limits
from tests.doubles.slack.charts import data_visualization
from tests.doubles.slack.fields import (
    WEB_ADDRESS,
    Node,
    Wrong,
    address,
    flag,
    identifier,
    items,
    keys,
    listed,
    optional_words,
    text_object,
    words,
)
from tests.doubles.slack.rich_text import rich_text
from tests.doubles.slack.tables import data_table, table


def _section(block: Node, where: str) -> Wrong:
    yield from keys(block, where, ("type",), ("block_id", "text", "fields", "accessory", "expand"))
    if "text" not in block and "fields" not in block:
        yield f"{where}: must define either text or fields"
    if "text" in block:
        yield from text_object(block["text"], f"{where}.text", limits.SECTION_TEXT)
    if "fields" in block:
        yield from items(block["fields"], f"{where}.fields", limits.FIELDS)
    for index, field in enumerate(listed(block.get("fields"))):
        yield from text_object(field, f"{where}.fields[{index}]", limits.FIELD_TEXT)
    if "accessory" in block:
        yield from _element(block["accessory"], f"{where}.accessory", {"button": button, "image": _image_element})
    yield from flag(block, "expand", where)


def _header(block: Node, where: str) -> Wrong:
    yield from keys(block, where, ("type", "text"), ("block_id",))
    yield from text_object(block.get("text"), f"{where}.text", limits.HEADER_TEXT, ("plain_text",))


def _divider(block: Node, where: str) -> Wrong:
    yield from keys(block, where, ("type",), ("block_id",))


def _image(block: Node, where: str) -> Wrong:
    yield from keys(block, where, ("type", "image_url", "alt_text"), ("block_id", "title"))
    yield from address(block.get("image_url"), f"{where}.image_url", limits.IMAGE_URL, WEB_ADDRESS)
    yield from words(block.get("alt_text"), f"{where}.alt_text", limits.IMAGE_ALT)
    if "title" in block:
        yield from text_object(block["title"], f"{where}.title", limits.IMAGE_ALT, ("plain_text",))


def _image_element(element: Node, where: str) -> Wrong:
    yield from keys(element, where, ("type", "image_url", "alt_text"))
    yield from address(element.get("image_url"), f"{where}.image_url", limits.IMAGE_URL, WEB_ADDRESS)
    yield from words(element.get("alt_text"), f"{where}.alt_text", limits.IMAGE_ALT)


def _markdown(block: Node, where: str) -> Wrong:
    yield from keys(block, where, ("type", "text"), ("block_id",))
    yield from words(block.get("text"), f"{where}.text", limits.MARKDOWN_TEXT)


def _context(block: Node, where: str) -> Wrong:
    yield from keys(block, where, ("type", "elements"), ("block_id",))
    yield from items(block.get("elements"), f"{where}.elements", limits.CONTEXT_ELEMENTS)
    for index, element in enumerate(listed(block.get("elements"))):
        place = f"{where}.elements[{index}]"
        if isinstance(element, dict) and element.get("type") == "image":
            yield from _image_element(element, place)
        else:
            yield from text_object(element, place, limits.CONTEXT_TEXT)


def _actions(block: Node, where: str) -> Wrong:
    yield from keys(block, where, ("type", "elements"), ("block_id",))
    yield from items(block.get("elements"), f"{where}.elements", limits.ACTIONS_ELEMENTS)
    for index, element in enumerate(listed(block.get("elements"))):
        yield from _element(element, f"{where}.elements[{index}]", {"button": button})
    named = [e["action_id"] for e in listed(block.get("elements")) if isinstance(e, dict) and "action_id" in e]
    if len({str(name) for name in named}) < len(named):
        yield f"{where}.elements: action_id must be unique in its block"


def button(element: Node, where: str) -> Wrong:
    """What is wrong with a button."""
    optional = ("action_id", "value", "url", "style", "confirm", "accessibility_label")
    yield from keys(element, where, ("type", "text"), optional)
    yield from text_object(element.get("text"), f"{where}.text", limits.BUTTON_TEXT, ("plain_text",))
    yield from identifier(element, "action_id", where)
    yield from optional_words(element, "value", where, limits.BUTTON_VALUE)
    yield from optional_words(element, "accessibility_label", where, limits.BUTTON_TEXT)
    if "url" in element:
        yield from address(element["url"], f"{where}.url", limits.URL, WEB_ADDRESS)
    if "style" in element and element["style"] not in ("primary", "danger"):
        yield f"{where}.style: must be primary or danger"
    if "confirm" in element:
        yield from _confirm(element["confirm"], f"{where}.confirm")


def _confirm(dialog: Any, where: str) -> Wrong:
    if not isinstance(dialog, dict):
        yield f"{where}: must be an object"
        return
    yield from keys(dialog, where, ("title", "text", "confirm", "deny"), ("style",))
    plain = ("plain_text",)
    yield from text_object(dialog.get("title"), f"{where}.title", limits.CONFIRM_TITLE, plain)
    yield from text_object(dialog.get("text"), f"{where}.text", limits.CONFIRM_TEXT)
    yield from text_object(dialog.get("confirm"), f"{where}.confirm", limits.CONFIRM_BUTTON, plain)
    yield from text_object(dialog.get("deny"), f"{where}.deny", limits.CONFIRM_BUTTON, plain)


def _element(element: Any, where: str, known: dict[str, Callable[[Node, str], Wrong]]) -> Wrong:
    if not isinstance(element, dict):
        yield f"{where}: must be an object"
    elif str(element.get("type")) not in known:
        yield f"{where}: unsupported type: {element.get('type')}"
    else:
        yield from known[element["type"]](element, where)


BLOCKS: dict[str, Callable[[Node, str], Wrong]] = {
    "section": _section,
    "header": _header,
    "divider": _divider,
    "image": _image,
    "markdown": _markdown,
    "context": _context,
    "actions": _actions,
    "rich_text": rich_text,
    "table": table,
    "data_table": data_table,
    "data_visualization": data_visualization,
}


def block(node: Any, where: str) -> Wrong:
    """What is wrong with one block of a message."""
    yield from _element(node, where, BLOCKS)
    if isinstance(node, dict):
        yield from identifier(node, "block_id", where)
