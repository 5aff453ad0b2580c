"""Calls of Slack's Web API: each tried once, with every failure told apart by what may have happened."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from threading import Lock
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web import SlackResponse

from bot.platforms.slack.failures import answered, unanswered
from bot.ports import Refused

TIMEOUT = 10
"""Seconds that a call may take; well within the lease of a delivery."""

_PAGE = 200
Arguments = Mapping[str, Any]
Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the bot is. `scopes` are what it was granted, None where Slack does not say."""

    user: str
    bot: str
    scopes: tuple[str, ...] | None = None


class SlackApi:
    """The Web API with one token. Usable from several threads; nothing is asked before the first call.

    `setting` is the key of the configuration that the token came from.
    """

    def __init__(self, token: str, api_url: str, timeout: int = TIMEOUT, setting: str = "bot_token") -> None:
        self._client = web_client(token, api_url, timeout)
        self._url = api_url
        self._setting = setting
        self._lock = Lock()
        self._identity: Identity | None = None

    def write(self, method: str, body: Arguments) -> Answer:
        """Call a method with JSON, as the posting methods want it. Raises NotSent, Refused, Unsure and ThreadGone."""
        return _object(self._response(method, body.get("channel"), {"json": body}))

    def read(self, method: str, form: Arguments) -> Answer:
        """Call a method with a form, as the reading methods want it. Raises as `write` does."""
        return _object(self._response(method, form.get("channel"), {"params": form}))

    def pages(self, method: str, form: Arguments) -> Iterator[Answer]:
        """Every page of a reading method. Raises as `write` does."""
        cursor = ""
        while True:
            page = self.read(method, {**form, "limit": _PAGE, **({"cursor": cursor} if cursor else {})})
            yield page
            before, cursor = cursor, str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if cursor in ("", before):
                return

    def identity(self) -> Identity:
        """Who the bot is, asked once. Raises as `write` does."""
        with self._lock:
            if self._identity is None:
                self._identity = self._ask_identity()
            return self._identity

    def _ask_identity(self) -> Identity:
        response = self._response("auth.test", None, {})
        said = _object(response)
        scopes = next((value for name, value in response.headers.items() if name.lower() == "x-oauth-scopes"), None)
        if not said.get("user_id") or not said.get("bot_id"):
            raise Refused("auth.test: the token is not a bot's: slack.bot_token is the Bot User OAuth Token (xoxb-…)")
        granted = tuple(one.strip() for one in str(scopes or "").split(",") if one.strip())
        return Identity(str(said["user_id"]), str(said["bot_id"]), granted or None)

    def _response(self, method: str, channel: str | None, body: Mapping[str, Any]) -> SlackResponse:
        try:
            return self._client.api_call(method, **body)
        except SlackApiError as error:
            raise answered(error, method, channel, self._setting) from error
        # AttributeError: the SDK stumbles over JSON that is no object. ValueError: over bytes that are no text.
        except (OSError, HTTPException, ValueError, AttributeError, SlackClientError) as error:
            raise unanswered(error, method, self._url) from error


def _object(response: SlackResponse) -> Answer:
    return response.data if isinstance(response.data, dict) else {}


def web_client(token: str | None, api_url: str, timeout: int = TIMEOUT) -> WebClient:
    """A client that tries once (the ledger and the inbox own retries) and leaves telling of failures to its caller."""
    client = WebClient(token, base_url=api_url, timeout=timeout, retry_handlers=[], logger=quiet("slack_sdk.web"))
    client.proxy = None  # the SDK would use HTTPS_PROXY for every host; left to urllib, NO_PROXY counts too
    return client


def quiet(name: str) -> logging.Logger:
    """A logger for the SDK, which writes down every failure that it also raises, and at DEBUG whole messages."""
    logger = logging.getLogger(name)
    logger.setLevel(logging.CRITICAL)
    return logger
