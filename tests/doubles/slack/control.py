"""Control over HTTP: what a test does by calling the double, another process or a person does by POST.

`POST /control/say {"channel": "C…", "user": "U…", "text": "hello"}`; `GET /control` lists the verbs. Keyword arguments
go as JSON (or as a query), in the names of the methods of `Slack`.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

VERBS = (
    *("user", "channel", "dm", "say", "other_bot", "edit", "delete", "add_bot", "remove_bot", "slash", "press"),
    *("show", "messages", "everything", "by_app", "keys", "alive", "calls", "latencies", "connected"),
    *("fail", "heal", "disconnect", "drop", "freeze", "thaw", "advance", "hold", "release", "redeliver", "emit"),
    *("use_http", "about", "scopes"),
)
Result = tuple[int, Any]


class Control:
    """Runs the verbs on `double`, an object that has them as methods."""

    def __init__(self, double: Any) -> None:
        self._verbs: dict[str, Callable[..., Any]] = {name: getattr(double, name) for name in VERBS}

    def run(self, name: str, query: str, body: bytes) -> Result:
        """The HTTP status and the JSON answer of one order."""
        if not name:
            return HTTPStatus.OK, {verb: str(inspect.signature(run)) for verb, run in self._verbs.items()}
        if name not in self._verbs:
            return HTTPStatus.NOT_FOUND, {"error": f"no such verb: {name}"}
        try:
            arguments = dict(parse_qsl(query)) | (json.loads(body) if body else {})
            inspect.signature(self._verbs[name]).bind(**arguments)
        except (ValueError, TypeError) as error:
            return HTTPStatus.BAD_REQUEST, {"error": str(error)}
        try:
            return HTTPStatus.OK, {"result": _plain(self._verbs[name](**arguments))}
        except (LookupError, ValueError, OSError) as error:
            return HTTPStatus.BAD_REQUEST, {"error": str(error)}


def _plain(value: Any) -> Any:
    """As JSON takes it."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return value
