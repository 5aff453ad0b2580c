"""The address that Slack sends along with a command or a pressed button, for the answer to it.

https://docs.slack.dev/interactivity/handling-user-interaction#message_responses: five uses within half an hour, in
channels too that the bot is not in. What was said there before cannot be replaced for a command (bolt-python#1268).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPException
from threading import Lock
from typing import Any

from slack_sdk.errors import SlackClientError
from slack_sdk.webhook import WebhookClient, WebhookResponse

from bot.platforms.slack.api import TIMEOUT, quiet
from bot.platforms.slack.failures import refused, unanswered
from bot.ports import NotSent, Unsure

_CALL = "response_url"
_SPENT = frozenset({"expired_url", "used_url", "no_such_url"})
_GONE = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})


class Spent(Exception):  # noqa: N818 - says what is the case
    """The address takes nothing more."""


class ResponseUrl:
    """One such address. Four uses are for the answer, the fifth for saying that it failed."""

    def __init__(self, url: str | None, timeout: int = TIMEOUT) -> None:
        self._client = None
        if url is not None:
            self._client = WebhookClient(url, timeout, retry_handlers=[], logger=quiet("slack_sdk.response_url"))
            self._client.proxy = None  # left to urllib, NO_PROXY counts too
        self._lock = Lock()
        self._left = 4

    def send(self, body: Mapping[str, Any], *, last: bool = False) -> None:
        """Say something; `last`: with the use that is kept for the end.

        Raises Spent, NotSent, Refused and Unsure.
        """
        with self._lock:
            client = self._client
            if client is None or (self._left <= 0 and not last):
                raise Spent
            self._left -= 1
        try:
            response = client.send_dict(dict(body))
        except (OSError, HTTPException, ValueError, SlackClientError) as error:
            raise unanswered(error, _CALL, "Slack") from error
        self._check(response)

    def _check(self, response: WebhookResponse) -> None:
        """The SDK raises nothing for an answer that is no success."""
        status, data = response.status_code, _data(response.body)
        code = data.get("error")
        if status == HTTPStatus.OK and not code:
            return
        if code in _SPENT or status in _GONE:
            self._client = None
            raise Spent
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            raise NotSent(f"Slack asks to wait before {_CALL}", _after(response))
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR or not code:
            raise Unsure(f"{_CALL}: Slack failed ({status})")
        raise refused(str(code), _CALL, None, data)


def _data(body: str | None) -> Mapping[str, Any]:
    """What Slack says: JSON, the word of an error, or `ok`."""
    try:
        said = json.loads(body or "")
    except ValueError:
        word = (body or "").strip()
        return {"error": word} if word.replace("_", "").isalpha() and word != "ok" else {}
    return said if isinstance(said, dict) else {}


def _after(response: WebhookResponse) -> float | None:
    given = {name.lower(): value for name, value in response.headers.items()}.get("retry-after", "")
    return float(given) if isinstance(given, str) and given.isdecimal() else None
