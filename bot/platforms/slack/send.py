"""Slack as `bot.ports.ChatPlatform`: messages in channels and threads, each post tried once."""

from __future__ import annotations

from datetime import datetime

from bot.message import Message
from bot.platforms.slack.api import SlackApi
from bot.platforms.slack.arrival import PLATFORM
from bot.platforms.slack.failures import Denied
from bot.platforms.slack.looking import Looking
from bot.platforms.slack.posting import Look, Poster, Spot
from bot.platforms.slack.render import body_of, payload_of, payloads
from bot.ports import NotSent, Part, ThreadGone, Unsure


class SlackPlatform:
    """Fulfils `bot.ports.ChatPlatform`. Ids are the `ts` of messages. Usable from several threads."""

    name = PLATFORM

    def __init__(self, api: SlackApi, poster: Poster, looking: Looking) -> None:
        self._api = api
        self._poster = poster
        self._looking = looking

    def parts(self, message: Message) -> tuple[Part, ...]:
        """The payloads of the message, with charts unless the workspace refused them before."""
        return tuple(Part(body_of(one), one.cites) for one in payloads(message, charts=self._poster.submitting.native))

    def send(self, channel: str, part: Part, key: str, thread: str | None = None, since: datetime | None = None) -> str:
        """Post one part; where Slack refuses its form, the same facts in another one, or in pieces."""
        spot, payload = Spot(channel, thread), payload_of(part.body)
        if since is None:
            return self._poster.post(spot, payload, key)
        look: Look = lambda piece: self._looking.find(channel, piece, since, thread)  # noqa: E731 - see its type
        return self._poster.post(spot, payload, key, look, again=True)

    def find(self, channel: str, key: str, since: datetime, thread: str | None = None) -> str | None:
        """Look through what was posted since, by metadata and by the bot's own id."""
        return self._looking.find(channel, key, since, thread)

    def withdraw(self, channel: str, message: str) -> None:
        """Delete a message of the bot's; one that is gone already is well."""
        try:
            self._api.read("chat.delete", {"channel": channel, "ts": message})
        except Denied as denied:
            if denied.code != "message_not_found":
                raise
        except (Unsure, ThreadGone) as error:
            raise NotSent(f"it is not known whether {message} was deleted: {error}") from error

    def post(self, channel: str, message: Message, thread: str | None = None) -> str:
        """Post every part of a message; returns the id of the first."""
        first = ""
        for payload in payloads(message, charts=self._poster.submitting.native):
            posted = self._poster.post(Spot(channel, thread), payload)
            first = first or posted
        return first

    def permalink(self, channel: str, message: str) -> str | None:
        """The message's address in the workspace."""
        return self._looking.permalink(channel, message)

    def external(self, channel: str) -> bool | None:
        """Whether the channel is one of Slack Connect, or invited to be; believed for a minute."""
        return self._looking.external(channel)

    def shares(self, channel: str, user: str) -> bool | None:
        """Whether the user is a member of the channel; believed for a minute."""
        return self._looking.shares(channel, user)
