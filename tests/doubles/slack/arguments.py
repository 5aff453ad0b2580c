"""The arguments of a method call: query, form or JSON, with Slack's tolerant ideas of what is true."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any
from urllib.parse import parse_qsl

from tests.doubles.slack.access import ApiError

STRUCTURED = ("blocks", "metadata", "attachments", "view", "loading_messages")
EVERYWHERE = ("token", "team_id")
TS = re.compile(r"\d{10}\.\d{6}")
Arguments = dict[str, Any]


def decode(query: str, content_type: str, body: bytes) -> Arguments:
    """The arguments of one request. Raises ApiError for a body that is not what it says to be."""
    arguments: Arguments = dict(parse_qsl(query, keep_blank_values=True))
    if content_type.startswith("application/json") and body:
        try:
            given = json.loads(body)
        except ValueError as error:
            raise ApiError("invalid_json") from error
        if not isinstance(given, dict):
            raise ApiError("json_not_object")
        arguments |= given
    elif body:
        arguments |= dict(parse_qsl(body.decode(), keep_blank_values=True))
    for key in STRUCTURED:
        if isinstance(arguments.get(key), str):
            arguments[key] = _structure(key, arguments[key])
    return arguments


def _structure(key: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ApiError({"blocks": "invalid_blocks_format"}.get(key, f"invalid_{key}")) from error


def check_known(arguments: Arguments, known: Collection[str]) -> None:
    """Slack only warns of unknown arguments; here they are refused. Raises ApiError."""
    unknown = sorted(set(arguments) - set(known) - set(EVERYWHERE))
    if unknown:
        raise ApiError("invalid_arguments", response_metadata={"messages": [f"[ERROR] unknown: {', '.join(unknown)}"]})


def required(arguments: Arguments, key: str, error: str = "invalid_arguments") -> str:
    value = arguments.get(key)
    if not isinstance(value, str) or not value:
        raise ApiError(error, response_metadata={"messages": [f"[ERROR] missing required field: {key}"]})
    return value


def flag(arguments: Arguments, key: str) -> bool:
    return arguments.get(key) in (True, "1", "true", "True")


def count(arguments: Arguments, key: str, default: int, most: int) -> int:
    """A whole number of 1 to `most`. Raises ApiError."""
    try:
        value = int(arguments.get(key) or default)
    except (TypeError, ValueError) as error:
        raise ApiError("invalid_limit") from error
    if not 1 <= value <= most:
        raise ApiError("invalid_limit")
    return value


def instant(arguments: Arguments, key: str) -> float | None:
    """A bound in seconds since the epoch. Raises ApiError."""
    value = arguments.get(key)
    if value in (None, ""):
        return None
    try:
        return float(str(value))
    except ValueError as error:
        raise ApiError(f"invalid_ts_{key}") from error
