"""A chat platform in memory, with faults, for many channels and long times.

Like Slack it has no idempotent posting: what is sent twice stands there twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from bot.message import Message, PullRequestRef
from bot.ports import NotSent, Part, Refused, ThreadGone, Unsure
from bot.rendering.plain import to_plain

Fault = Literal["limited", "lost-before", "lost-after", "killed-before", "killed-after"]
FAULTS: tuple[Fault, ...] = ("limited", "lost-before", "lost-after", "killed-before", "killed-after")
_KEY_LENGTH = 64


class Killed(BaseException):
    """The process ends here: nothing that it would still do happens."""


@dataclass
class Post:
    """A message as it stands there; `at` is the platform's own time."""

    id: str
    channel: str
    thread: str | None
    key: str
    text: str
    at: datetime
    deleted: bool = False


@dataclass
class Room:
    """Fulfils `bot.ports.ChatPlatform`; `now` is the platform's own time.

    `fault` tells how a post goes wrong.
    """

    now: Callable[[], datetime]
    fault: Callable[[str, str], Fault | None] = lambda _channel, _text: None
    posts: list[Post] = field(default_factory=list)
    name: str = "double"
    _by_key: dict[tuple[str, str, str | None], Post] = field(default_factory=dict)

    def parts(self, message: Message) -> tuple[Part, ...]:
        """One part a message."""
        cites = dict.fromkeys(span.url for span in message.spans() if isinstance(span, PullRequestRef))
        return (Part(json.dumps({"text": to_plain(message)}), tuple(cites)),)

    def send(self, channel: str, part: Part, key: str, thread: str | None = None, since: datetime | None = None) -> str:  # noqa: ARG002 - posted whole
        """Post, unless a limit or a fault comes first."""
        text = json.loads(part.body)["text"]
        fault = self.fault(channel, text)
        if fault is not None:
            self._fail(fault, "before")
        self._check(channel, key, thread)
        post = Post(str(len(self.posts)), channel, thread, key, text, self.now())
        self.posts.append(post)
        self._by_key.setdefault((channel, key, thread), post)
        if fault is not None:
            self._fail(fault, "after")
        return post.id

    def find(self, channel: str, key: str, since: datetime, thread: str | None = None) -> str | None:
        """Look through what was posted since."""
        post = self._by_key.get((channel, key, thread))
        return None if post is None or post.deleted or post.at < since else post.id

    def withdraw(self, channel: str, message: str) -> None:
        """Delete."""
        post = self.posts[int(message)]
        if post.channel != channel or post.deleted:
            raise Refused(f"no message {message}")
        post.deleted = True

    def post(self, channel: str, message: Message, thread: str | None = None) -> str:
        """Post without a name of its own."""
        return self.send(channel, self.parts(message)[0], "0" * _KEY_LENGTH, thread)

    def permalink(self, channel: str, message: str) -> str | None:
        """An address."""
        return f"https://chat.example.com/{channel}/{message}"

    def external(self, channel: str) -> bool | None:  # noqa: ARG002 - of every channel
        """Nobody else reads here."""
        return False

    def shares(self, channel: str, user: str) -> bool | None:  # noqa: ARG002 - of every channel and user
        """Everybody is everywhere."""
        return True

    def visible(self) -> dict[str, list[Post]]:
        """What stands in each channel, oldest first."""
        found: dict[str, list[Post]] = {}
        for post in self.posts:
            if not post.deleted:
                found.setdefault(post.channel, []).append(post)
        return found

    def _fail(self, fault: Fault, when: Literal["before", "after"]) -> None:
        if fault == f"killed-{when}":
            raise Killed
        if fault == f"lost-{when}":
            raise Unsure("the connection was lost")
        if fault == "limited" and when == "before":
            raise NotSent("too many requests", 5.0)

    def _check(self, channel: str, key: str, thread: str | None) -> None:
        if len(key) != _KEY_LENGTH:
            raise Refused(f"a key of {len(key)} characters")
        if thread is None:
            return
        root = self.posts[int(thread)]
        if root.deleted or root.channel != channel:
            raise ThreadGone(f"no thread {thread}")
        if root.thread is not None:
            raise Refused(f"{thread} is itself a reply")
