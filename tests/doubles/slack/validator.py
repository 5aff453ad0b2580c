"""What Slack refuses in the body of a post, an update, an ephemeral message or a `response_url` call."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.doubles.slack import limits
from tests.doubles.slack.blocks import block
from tests.doubles.slack.fields import Node, Wrong
from tests.doubles.slack.shown import shown_in

EVENT_TYPE = re.compile(r"[A-Za-z0-9_.:-]+")


def violations(payload: Node, *, charts: bool = True, total: int = limits.ALL_BLOCK_TEXT) -> list[str]:
    """Everything for which Slack would refuse a message; nothing is wrong: an empty list.

    `payload` is the body as it is sent: `text`, `blocks` (a list) and `metadata` are looked at. `charts` False: the
    workspace has no native charts. `total` is how many characters the blocks may show in all. Each line opens with
    Slack's own error code: `invalid_blocks: blocks[3].rows[0][1]: a cell cannot be empty`.
    """
    return [
        *_text(payload),
        *_blocks(payload.get("blocks"), charts=charts, total=total),
        *_metadata(payload.get("metadata")),
    ]


def refusal(lines: list[str]) -> tuple[str, list[str]] | None:
    """The error code that Slack answers with for these violations, and its messages; None: there are none."""
    if not lines:
        return None
    code = lines[0].split(":", 1)[0]
    return code, [line.split(": ", 1)[1] for line in lines if line.startswith(code)]


def _text(payload: Node) -> Wrong:
    text = payload.get("text")
    if text is not None and not isinstance(text, str):
        yield "invalid_arguments: text: must be a string"
    elif text and limits.length(text) > limits.TEXT:
        yield f"msg_too_long: text: must be at most {limits.TEXT} characters, has {limits.length(text)}"
    elif not (text or "").strip() and not payload.get("blocks"):
        yield "no_text: neither text nor blocks say anything"
    for key in ("attachments", "markdown_text"):
        if payload.get(key):
            yield f"invalid_arguments: {key}: not accepted here, use blocks"


def _blocks(blocks: Any, *, charts: bool, total: int) -> Wrong:
    if blocks is None:
        return
    if not isinstance(blocks, list):
        yield "invalid_blocks_format: blocks: must be a list"
        return
    if len(blocks) > limits.BLOCKS:
        yield f"invalid_blocks: blocks: no more than {limits.BLOCKS} items allowed, has {len(blocks)}"
    for index, node in enumerate(blocks):
        yield from (f"invalid_blocks: {line}" for line in block(node, f"blocks[{index}]"))
    yield from (f"invalid_blocks: blocks: {line}" for line in _together(blocks, charts=charts))
    shown = limits.length("".join(shown_in(node) for node in blocks))
    if shown > total:
        yield f"msg_blocks_too_long: blocks: must show at most {total} characters in all, show {shown}"


def _together(blocks: list[Any], *, charts: bool) -> Iterator[str]:
    """What is wrong with blocks that are each right."""
    nodes = [node for node in blocks if isinstance(node, dict)]
    kinds = Counter(str(node.get("type")) for node in nodes)
    if kinds["table"] + kinds["data_table"] > limits.TABLES:
        yield f"at most {limits.TABLES} table in a message"
    if kinds["data_visualization"] > (limits.CHARTS if charts else 0):
        yield f"at most {limits.CHARTS} charts in a message" if charts else "unsupported type: data_visualization"
    markdown = sum(limits.length(str(node.get("text"))) for node in nodes if node.get("type") == "markdown")
    if markdown > limits.MARKDOWN_TEXT:
        yield f"markdown blocks must be at most {limits.MARKDOWN_TEXT} characters together, are {markdown}"
    named = Counter(str(node["block_id"]) for node in nodes if "block_id" in node)
    yield from (f"block_id must be unique: {name}" for name, count in named.items() if count > 1)


def _metadata(metadata: Any) -> Wrong:
    """docs.slack.dev/messaging/message-metadata: an event_type and an event_payload, an object."""
    if metadata is None:
        return
    if not isinstance(metadata, dict) or set(metadata) != {"event_type", "event_payload"}:
        yield "invalid_metadata_format: metadata: must be an object of event_type and event_payload"
        return
    kind = metadata["event_type"]
    if not isinstance(kind, str) or not EVENT_TYPE.fullmatch(kind) or len(kind) > limits.METADATA_TYPE:
        yield "invalid_metadata_schema: metadata.event_type: must be a short name"
    if not isinstance(metadata["event_payload"], dict):
        yield "invalid_metadata_schema: metadata.event_payload: must be an object"
    elif len(json.dumps(metadata["event_payload"])) > limits.METADATA_BYTES:
        yield f"metadata_too_large: metadata.event_payload: must be at most {limits.METADATA_BYTES} bytes"
