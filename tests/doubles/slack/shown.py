"""The words that a reader of a message sees, in reading order."""

from __future__ import annotations

from typing import Any

NAMES = {
    "user": "user_id",
    "usergroup": "usergroup_id",
    "channel": "channel_id",
    "broadcast": "range",
    "emoji": "name",
    "date": "fallback",
    "color": "value",
}


def shown(payload: dict[str, Any]) -> str:
    """What stands in the channel: the blocks where there are any, else `text`. Structure becomes line breaks."""
    blocks = payload.get("blocks")
    if isinstance(blocks, list) and blocks:
        return "\n".join(shown_in(block) for block in blocks)
    return str(payload.get("text") or "")


def shown_in(node: Any) -> str:
    """The words of a block, an element, a cell or a list of them."""
    if isinstance(node, list):
        return "\n".join(filter(None, (shown_in(part) for part in node)))
    if isinstance(node, str):
        return node
    if not isinstance(node, dict):
        return ""
    return _words(node)


def _words(node: dict[str, Any]) -> str:
    kind = str(node.get("type"))
    if kind == "link":
        return str(node.get("text") or node.get("url") or "")
    if kind in NAMES and NAMES[kind] in node:
        return str(node[NAMES[kind]])
    if kind in {"rich_text_section", "rich_text_quote", "rich_text_preformatted"}:
        elements = node.get("elements")
        return "".join(shown_in(element) for element in elements) if isinstance(elements, list) else ""
    if kind == "data_visualization":
        return _chart(node)
    if kind == "image":
        return str(node.get("alt_text") or "")
    return shown_in(
        [node[key] for key in ("caption", "text", "fields", "elements", "rows", "accessory") if key in node]
    )


def _chart(block: dict[str, Any]) -> str:
    chart = block.get("chart") if isinstance(block.get("chart"), dict) else {}
    axes = chart.get("axis_config") if isinstance(chart, dict) else None
    parts = [block.get("title"), *_values(chart, "segments", "label"), *_values(chart, "series", "name")]
    if isinstance(axes, dict):
        parts += [axes.get("x_label"), axes.get("y_label"), *(axes.get("categories") or [])]
    return "\n".join(str(part) for part in parts if part)


def _values(node: Any, key: str, name: str) -> list[Any]:
    found = node.get(key) if isinstance(node, dict) else None
    return [item.get(name) for item in found if isinstance(item, dict)] if isinstance(found, list) else []
