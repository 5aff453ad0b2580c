"""Answers to commands and pressed buttons: to the asker alone, unless they are to be shared."""

from __future__ import annotations

import logging
from functools import partial

from bot.message import Message
from bot.platforms.slack.arrival import Arrival
from bot.platforms.slack.failures import Denied
from bot.platforms.slack.hands import Hands
from bot.platforms.slack.posting import Spot
from bot.platforms.slack.render import Payload, payloads
from bot.platforms.slack.response_url import ResponseUrl, Spent
from bot.platforms.slack.submitting import Body
from bot.ports import Incoming, NotSent, Refused, Reply, ThreadGone, Unsure
from bot.text import Wording

_NOT_THERE = frozenset({"channel_not_found", "not_in_channel"})
_log = logging.getLogger(__name__)


class Aside:
    """Answers one command or button through its response_url, and when that takes no more through the Web API.

    A message whose button was pressed is never replaced. `again`: some of it may have been posted before.
    """

    def __init__(self, arrival: Arrival, incoming: Incoming, hands: Hands, url: ResponseUrl, *, again: bool) -> None:
        self._arrival = arrival
        self._incoming = incoming
        self._hands = hands
        self._url = url
        self._again = again

    def say(self, reply: Reply) -> None:
        """Post the reply. Raises as `Insistence.post` does."""
        # A command may come from a conversation of two other people, so nothing is shared in direct messages.
        send = self._share if reply.to_all and not self._incoming.direct else self._whisper
        for key, payload in self._hands.keyed(self._arrival, reply.message, "answer"):
            send(key, payload)

    def apologise(self, message: Message) -> None:
        """Say that there is no answer, with the use of the address that was kept for it."""
        for payload in payloads(message):
            try:
                self._submit(payload, "", kind="ephemeral", last_use=True)
            except Spent:
                self._hands.poster.post(self._spot(self._incoming.user), payload)

    def working(self) -> None:
        """Say that an answer is being made. Slack lets nothing replace that line, so it stays true."""
        for payload in payloads(Message(Wording(str).blocks("replies/working"))):
            try:
                self._submit(payload, "", kind="ephemeral")
            except (Spent, NotSent, Refused, Unsure, ThreadGone) as error:
                _log.info("not said that an answer is being made: %r", error)

    def done(self) -> None:
        """Nothing is left to be taken back."""

    def _whisper(self, key: str, payload: Payload) -> None:
        """To the asker alone, where nobody can look for it; if it is not known whether it came through, once more."""
        self._hands.insistence.post(partial(self._send_whisper, payload, key), lambda: None)

    def _send_whisper(self, payload: Payload, key: str) -> str:
        try:
            return self._submit(payload, key, kind="ephemeral")
        except Spent:
            return self._hands.poster.post(self._spot(self._incoming.user), payload, key)

    def _share(self, key: str, payload: Payload) -> None:
        """To everybody, under a key by which it is found again; without one where the bot is no member."""
        try:
            self._hands.post_once(self._arrival, self._spot(None), payload, key, again=self._again)
        except Denied as denied:
            if denied.code not in _NOT_THERE:
                raise
            self._hands.insistence.post(partial(self._share_via_url, payload, key, denied), lambda: None)

    def _share_via_url(self, payload: Payload, key: str, denied: Denied) -> str:
        try:
            return self._submit(payload, key, kind="in_channel")
        except Spent:
            raise denied from None

    def _spot(self, user: str | None) -> Spot:
        return Spot(self._incoming.channel, self._incoming.thread, user)

    def _submit(self, payload: Payload, key: str, *, kind: str, last_use: bool = False) -> str:
        send = partial(self._via_url, kind=kind, last_use=last_use)
        return self._hands.poster.submitting.submit(payload, key, send, lambda _: None)

    def _via_url(self, body: Body, _key: str, *, kind: str, last_use: bool) -> str:
        thread = {"thread_ts": self._incoming.thread} if self._incoming.thread else {}
        how = {"response_type": kind, "replace_original": False, "unfurl_links": False, "unfurl_media": False}
        self._url.send({**body, **how, **thread}, last=last_use)
        return ""
