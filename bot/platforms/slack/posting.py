"""Posting one message where everybody sees it, or to one person alone, in whatever form Slack takes it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.platforms.slack.api import SlackApi
from bot.platforms.slack.failures import NotAccepted
from bot.platforms.slack.forms import halves, texts
from bot.platforms.slack.limits import Node
from bot.platforms.slack.pace import Pace
from bot.platforms.slack.render import Payload
from bot.ports import NotSent, ThreadGone

EVENT_TYPE = "digest_bot"
"""The type of the metadata in which the key of a post is kept."""

Submit = Callable[[dict[str, Any], bool], str]
"""Sends a body of `text` and `blocks`, told whether it is the message's last; gives the id of what was posted."""

_PATIENCE = 5.0  # seconds that a post waits for its channel's turn
_BREATH = 1.0  # seconds to wait where Slack does not say how many
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a message goes: `thread` is the root's id; `user`: the only one to see it."""

    channel: str
    thread: str | None = None
    user: str | None = None


class Poster:
    """Posts through the Web API. What the workspace refused once (charts, tables) is not tried again.

    Usable from several threads. Every method tries once and raises NotSent, Refused, Unsure and ThreadGone.
    """

    def __init__(self, api: SlackApi, pace: Pace) -> None:
        self._api = api
        self._pace = pace
        self.native = True  # whether the workspace is believed to take native charts and tables

    def post(self, spot: Spot, payload: Payload, key: str | None = None) -> str:
        """Post in a channel, under a key by which it can be found; returns the id."""
        return self.in_some_form(payload, lambda body, last: self._post(spot, body, key if last else None))

    def in_some_form(self, payload: Payload, submit: Submit) -> str:
        """Submit a message, and where its form is refused another one: without charts, in parts, as text.

        Returns the id of the last.
        """
        plain, refused = payload.fallback, None
        if self.native or plain is None:
            try:
                return submit(_body(payload.text, payload.blocks), True)
            except NotAccepted as refusal:
                if plain is None:
                    return self._smaller(payload.text, payload.blocks, refusal, submit)
                refused = refusal
        try:
            sent = submit(_body(payload.text, plain), True)
        except NotAccepted as refusal:
            return self._smaller(payload.text, plain, refusal, submit)
        if refused is not None and not refused.too_long:
            _log.warning("from now on without native charts and tables: %s", refused)
            self.native = False
        return sent

    def _smaller(self, text: str, blocks: Sequence[Node], refusal: NotAccepted, submit: Submit) -> str:
        """The blocks in two messages where they are too many, else their words."""
        _log.warning("sent in another form: %s", refusal)
        parts = halves(blocks) if refusal.too_long else ()
        bodies = [_body(text, part) for part in parts] or [_body(words) for words in texts(blocks)] or [_body(text)]
        sent = ""
        for place, body in enumerate(bodies, 1):
            last = place == len(bodies)
            try:
                sent = submit(body, last)
            except NotAccepted as again:
                words = texts(body.get("blocks", ()))
                if not words:
                    raise
                _log.warning("sent as text: %s", again)
                for number, line in enumerate(words, 1):
                    sent = submit(_body(line), last and number == len(words))
        return sent

    def _post(self, spot: Spot, body: dict[str, Any], key: str | None) -> str:
        metadata: dict[str, Any] = (
            {"metadata": {"event_type": EVENT_TYPE, "event_payload": {"key": key}}} if key else {}
        )
        thread = {"thread_ts": spot.thread} if spot.thread else {}
        self._pace.turn(spot.channel, _PATIENCE)
        try:
            if spot.user is not None:
                said = {"channel": spot.channel, "user": spot.user, **body, **thread}
                return str(self._api.write("chat.postEphemeral", said).get("message_ts") or "")
            unfurl = {"unfurl_links": False, "unfurl_media": False}
            said = {"channel": spot.channel, **body, **thread, **unfurl} | metadata
            answer = self._api.write("chat.postMessage", said)
        except NotSent as busy:
            self._pace.hold(spot.channel, _BREATH if busy.after is None else busy.after)
            raise
        return self._under(spot, answer)

    def _under(self, spot: Spot, answer: Any) -> str:  # noqa: ANN401 - JSON
        """The id of what was posted; beside a deleted root it stands in the channel itself, and is taken back."""
        ts, message = str(answer.get("ts") or ""), answer.get("message") or {}
        if spot.thread and message and not message.get("thread_ts"):
            self._api.read("chat.delete", {"channel": spot.channel, "ts": ts})
            raise ThreadGone(f"the thread's root in {spot.channel} was deleted")
        return ts


def _body(text: str, blocks: Sequence[Node] = ()) -> dict[str, Any]:
    return {"text": text, "blocks": list(blocks)} if blocks else {"text": text}
