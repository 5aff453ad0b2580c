"""response_url: an address that answers one command or button, five times within half an hour.

Source: docs.slack.dev/interactivity/handling-user-interaction#message_responses. It works in channels that the bot
is no member of. Metadata sent to it is not kept: nothing says that Slack keeps it.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import Any

from tests.doubles.slack.access import ApiError
from tests.doubles.slack.arguments import check_known, flag
from tests.doubles.slack.events import Events
from tests.doubles.slack.posting import BODY, check_body, own, remove, replace, thread_of
from tests.doubles.slack.workspace import Message, Workspace

USES = 5
SECONDS = 1_800.0
SWITCHES = ("response_type", "replace_original", "delete_original", "thread_ts", "metadata", "mrkdwn")
KNOWN = (*BODY, *SWITCHES, "unfurl_links", "unfurl_media")
Response = tuple[int, dict[str, Any]]


@dataclass(eq=False)
class ResponseUrl:
    """`origin` is the message whose button was pressed, None for a command."""

    id: str
    channel: str
    user: str
    expires: float
    origin: Message | None = None
    uses: int = 0


class ResponseUrls:
    """Every response_url that was given out."""

    def __init__(self, workspace: Workspace, events: Events) -> None:
        self.address = ""
        self.all: dict[str, ResponseUrl] = {}
        self._workspace = workspace
        self._events = events

    def issue(self, channel: str, user: str, origin: Message | None = None) -> str:
        """A new address for what a user did in a channel."""
        expires = self._workspace.clock.now() + SECONDS
        made = ResponseUrl(secrets.token_hex(12), channel, user, expires, origin)
        with self._workspace.lock:
            self.all[made.id] = made
        return f"http://{self.address}/respond/{made.id}"

    def use(self, name: str, body: bytes) -> Response:
        """One call: the HTTP status and the JSON that Slack answers with."""
        with self._workspace.lock:
            url = self.all.get(name)
            if url is None:
                return 404, {"ok": False, "error": "no_such_url"}
            if url.expires <= self._workspace.clock.now():
                return 404, {"ok": False, "error": "expired_url"}
            if url.uses >= USES:
                return 404, {"ok": False, "error": "used_url"}
            url.uses += 1
            try:
                self.say(url, json.loads(body))
            except ApiError as error:
                return 400, {"ok": False, "error": error.code} | error.more
            except ValueError:
                return 400, {"ok": False, "error": "invalid_payload"}
            return 200, {"ok": True}

    def say(self, url: ResponseUrl, body: dict[str, Any], via: str = "response_url") -> None:
        """Post, replace or delete as the body says; also for what an acknowledgement says. Raises ApiError."""
        if not isinstance(body, dict):
            raise ApiError("invalid_payload")
        check_known(body, KNOWN)
        if flag(body, "delete_original") and url.origin:
            remove(self._workspace, url.origin)
            return
        check_body(self._workspace, body)
        if flag(body, "replace_original") and url.origin:
            replace(self._workspace, url.origin, {key: value for key, value in body.items() if key != "metadata"})
        else:
            self._post(url, body, via)

    def _post(self, url: ResponseUrl, body: dict[str, Any], via: str) -> None:
        kind = body.get("response_type", "ephemeral")
        if kind not in ("ephemeral", "in_channel"):
            raise ApiError("invalid_response_type")
        to = url.user if kind == "ephemeral" else None
        thread = thread_of(self._workspace, url.channel, body)
        message = self._workspace.add(own(self._workspace, url.channel, body, thread_ts=thread, to=to, via=via))
        if to is None:
            self._events.said(message)
