"""Posting one message where everybody sees it, or to one person alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.platforms.slack.api import SlackApi
from bot.platforms.slack.pace import Pace
from bot.platforms.slack.render import Payload
from bot.platforms.slack.submitting import Body, Send, Submitting
from bot.ports import CannotLook, NotSent, ThreadGone

EVENT_TYPE = "digest_bot"
"""The type of the metadata in which the key of a post is kept."""

Look = Callable[[str], str | None]
"""The id of what was posted under a key before; None: nothing was. Raises CannotLook and NotSent."""

_PATIENCE = 5.0  # seconds that a post waits for its channel's turn
_BREATH = 1.0  # seconds to wait where Slack does not say how many


def _unseen(_key: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a message goes: `thread` is the root's id; `user`: the only one to see it."""

    channel: str
    thread: str | None = None
    user: str | None = None


class Poster:
    """Posts through the Web API.

    Usable from several threads. Every method tries once and raises NotSent, Refused, Unsure and ThreadGone.
    """

    def __init__(self, api: SlackApi, pace: Pace) -> None:
        self._api = api
        self._pace = pace
        self.submitting = Submitting()

    def post(self, spot: Spot, payload: Payload, key: str = "", look: Look = _unseen, *, again: bool = False) -> str:
        """Post in a channel, under a key by which it can be found; returns the id.

        Where Slack takes it in pieces only, `look` says which of those before the last are there already. `again`: an
        earlier process may have begun it. Raises too what `look` raises, but CannotLook.
        """
        keyed = key != ""
        send: Send = lambda body, piece: self._post(spot, body, piece if keyed else "")  # noqa: E731 - see its type
        return self.submitting.submit(payload, key, send, partial(_seen, look), again=again)

    def _post(self, spot: Spot, body: Body, key: str) -> str:
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


def _seen(look: Look, piece: str) -> str | None:
    """What `look` finds; where it may not look nothing says that the piece was posted, or a person has looked."""
    try:
        return look(piece)
    except CannotLook:
        return None
