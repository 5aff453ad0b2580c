"""Slack's deliveries over HTTP: `POST /slack/events`, each request verified and read here, then given to `SlackEvents`.

https://docs.slack.dev/authentication/verifying-requests-from-slack: HMAC-SHA256 of `v0:TIMESTAMP:BODY`, within 300 s.
Forms are read here because bolt takes any with the word `payload` for a pressed button.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from slack_bolt import BoltResponse
from slack_sdk.signature import SignatureVerifier
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from bot.platforms.slack.manifest import EVENTS_PATH
from bot.platforms.slack.receive import SlackEvents

LARGEST = 1024 * 1024
"""Bytes of a request: a pressed button comes with the message that it stands on."""

_RETRY = ("x-slack-retry-num", "x-slack-retry-reason")
_MOST_FIELDS = 100
_log = logging.getLogger(__name__)


class Unreadable(Exception):  # noqa: N818 - says what is the case
    """A request with a right signature whose body is neither JSON nor a form."""


class SlackHttp:
    """Receives requests that Slack signed with `signing_secret`."""

    def __init__(self, events: SlackEvents, signing_secret: str) -> None:
        self._events = events
        self._verifier = SignatureVerifier(signing_secret)

    def routes(self) -> list[Route]:
        """What the listener serves."""
        return [Route(EVENTS_PATH, self.receive, methods=["POST"])]

    async def receive(self, request: Request) -> Response:
        """401 without a right and fresh signature, 413 when too large, 400 when unreadable, else what bolt answers."""
        body = b""
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST:
                    return Response(status_code=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        except ClientDisconnect:
            return Response(status_code=HTTPStatus.BAD_REQUEST)
        headers = {name.lower(): value for name, value in request.headers.items()}
        return await run_in_threadpool(self._answer, body, headers)

    def _answer(self, body: bytes, headers: Mapping[str, str]) -> Response:
        if not self._is_slacks(body, headers):
            return Response(status_code=HTTPStatus.UNAUTHORIZED)
        try:
            said = read(body)
        except Unreadable as error:
            _log.warning("a signed request cannot be read: %s", error)
            return Response(status_code=HTTPStatus.BAD_REQUEST)
        retry = {name: headers[name] for name in _RETRY if name in headers}
        return _response(self._events.dispatch(said, retry))

    def _is_slacks(self, body: bytes, headers: Mapping[str, str]) -> bool:
        try:
            return self._verifier.is_valid_request(body, dict(headers))
        except (ValueError, TypeError):  # a timestamp that is no number, a body or a signature that is no text
            return False


def read(body: bytes) -> dict[str, Any]:
    """What a request says: an event as JSON, a command as a form, a pressed button as JSON in a form's `payload`.

    Raises Unreadable.
    """
    try:
        text = body.decode()
        if text.lstrip().startswith("{"):
            return _object(text)
        form = dict(parse_qsl(text, keep_blank_values=True, strict_parsing=True, max_num_fields=_MOST_FIELDS))
    except ValueError as error:
        raise Unreadable(str(error)[:200]) from error
    return form if "command" in form or "payload" not in form else _object(form["payload"])


def _object(text: str) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(error)[:200]) from error
    if not isinstance(said, dict):
        raise Unreadable("JSON that is no object")
    return said


def _response(answer: BoltResponse) -> Response:
    headers = {name: values[0] for name, values in answer.headers.items() if name.lower() != "content-length"}
    return Response(answer.body, answer.status, headers)
