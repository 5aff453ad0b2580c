"""A chat platform in memory: keeps what is posted, and fails as it is told."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime

from bot.message import Message
from bot.ports import Part, ThreadGone
from bot.rendering.plain import to_plain


@dataclass(frozen=True)
class Posted:
    id: str
    channel: str
    thread: str | None
    text: str
    key: str | None = None


@dataclass
class ChatRoom:
    """Fulfils `bot.ports.ChatPlatform`. `failures` are raised by the next posts, first come first; `lost` after one."""

    name: str = "slack"
    posted: list[Posted] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    lost: Exception | None = None
    deaf: Exception | None = None
    deleted: set[str] = field(default_factory=set)
    outside: bool | None = False

    def parts(self, message: Message) -> tuple[Part, ...]:
        return (Part(json.dumps({"text": to_plain(message)})),)

    def send(self, channel: str, part: Part, key: str, thread: str | None = None, since: datetime | None = None) -> str:  # noqa: ARG002 - posted whole
        return self._keep(channel, json.loads(part.body)["text"], thread, key)

    def find(self, channel: str, key: str, since: datetime, thread: str | None = None) -> str | None:
        if self.deaf is not None:
            raise self.deaf
        assert since.tzinfo is not None
        assert thread is None
        return next((one.id for one in self.posted if (one.channel, one.key) == (channel, key)), None)

    def withdraw(self, channel: str, message: str) -> None:
        self.posted = [one for one in self.posted if (one.channel, one.id) != (channel, message)]

    def post(self, channel: str, message: Message, thread: str | None = None) -> str:
        return self._keep(channel, to_plain(message), thread)

    def permalink(self, channel: str, message: str) -> str | None:
        return f"https://chat.example.com/{channel}/{message}"

    def external(self, channel: str) -> bool | None:
        assert channel
        return self.outside

    def shares(self, channel: str, user: str) -> bool | None:
        return bool(channel and user)

    def _keep(self, channel: str, text: str, thread: str | None, key: str | None = None) -> str:
        if self.failures:
            raise self.failures.pop(0)
        if thread in self.deleted:
            raise ThreadGone(f"{thread} was deleted")
        self.posted.append(Posted(f"{len(self.posted) + 1}.0", channel, thread, text, key))
        if self.lost is not None:
            lost, self.lost = self.lost, None
            raise lost
        return self.posted[-1].id
