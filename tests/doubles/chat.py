"""A strict chat platform kept in a file, so that several processes share it and it outlives those that are killed.

Like Slack it has no idempotent posting: what is sent twice stands there twice.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from bot.message import Message, PullRequestRef
from bot.ports import CannotLook, NotSent, Part, Refused, ThreadGone, Unsure
from bot.rendering.plain import to_plain

Fault = Literal["limited", "refused", "lost-before", "lost-after", "kill-before", "kill-after", "bug"]
KEY_LENGTH = 64


@dataclass
class Chat:
    """Fulfils `bot.ports.ChatPlatform`. `faults` are by the number of the call of `send`, counted from 1.

    `pause` is called with that number once a message is accepted and before the caller learns its id. `lag` is after
    how long a message can be found, `retry_after` what a limited call is told.
    """

    path: Path
    now: Callable[[], datetime]
    channels: tuple[str, ...] = ("C1",)
    faults: Mapping[int, Fault] = field(default_factory=dict)
    pause: Callable[[int], None] = lambda _: None
    lag: timedelta = timedelta(0)
    retry_after: float | None = None
    history: bool = True
    sends: int = 0
    looks: int = 0
    name: str = "double"

    def parts(self, message: Message) -> tuple[Part, ...]:
        """One part a message."""
        cites = dict.fromkeys(span.url for span in message.spans() if isinstance(span, PullRequestRef))
        return (Part(json.dumps({"text": to_plain(message)}), tuple(cites)),)

    def send(self, channel: str, part: Part, key: str, thread: str | None = None, since: datetime | None = None) -> str:  # noqa: ARG002 - posted whole
        """Post, unless a fault comes first."""
        self.sends += 1
        number = self.sends
        fault = self.faults.get(number)
        self._fail_before(fault)
        with self._posts() as posts:
            self._check(posts, channel, key, thread)
            remote = f"{len(posts) + 1}.0"
            text = json.loads(part.body)["text"]
            posts.append(
                {"id": remote, "channel": channel, "thread": thread, "key": key, "text": text, "deleted": False}
                | {"at": self.now().isoformat()}
            )
        self.pause(number)
        if fault == "kill-after":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "lost-after":
            raise Unsure("the connection was lost")
        return remote

    def find(self, channel: str, key: str, since: datetime, thread: str | None = None) -> str | None:
        """Look, as far as is allowed."""
        self.looks += 1
        if not self.history:
            raise CannotLook("the history scope is missing: add it and install the app again")
        seen = self.now() - self.lag
        with self._posts() as posts:
            for post in posts:
                matches = (post["channel"], post["key"], post["thread"]) == (channel, key, thread)
                if matches and not post["deleted"] and since <= datetime.fromisoformat(post["at"]) <= seen:
                    return str(post["id"])
        return None

    def withdraw(self, channel: str, message: str) -> None:
        """Delete."""
        with self._posts() as posts:
            found = [post for post in posts if (post["channel"], post["id"]) == (channel, message)]
            if not found or found[0]["deleted"]:
                raise Refused(f"no message {message}")
            found[0]["deleted"] = True

    def post(self, channel: str, message: Message, thread: str | None = None) -> str:
        """Post without a name of its own."""
        return self.send(channel, self.parts(message)[0], "0" * KEY_LENGTH, thread)

    def permalink(self, channel: str, message: str) -> str | None:
        """An address."""
        return f"https://chat.example.com/{channel}/{message}"

    def external(self, channel: str) -> bool | None:  # noqa: ARG002 - of every channel
        """Nobody else reads here."""
        return False

    def shares(self, channel: str, user: str) -> bool | None:  # noqa: ARG002 - of every channel and user
        """Everybody is everywhere."""
        return True

    def visible(self, channel: str = "C1") -> list[tuple[str | None, str]]:
        """What people see: the text of the root it stands under, if any, and its own, oldest first."""
        with self._posts() as posts:
            text = {post["id"]: post["text"] for post in posts}
            return [
                (post["thread"] and text[post["thread"]], post["text"])
                for post in posts
                if post["channel"] == channel and not post["deleted"]
            ]

    def _fail_before(self, fault: Fault | None) -> None:
        match fault:
            case "limited":
                raise NotSent("too many requests", self.retry_after)
            case "refused":
                raise Refused("not in the channel: invite the bot")
            case "lost-before":
                raise Unsure("no answer")
            case "kill-before":
                os.kill(os.getpid(), signal.SIGKILL)
            case "bug":
                raise KeyError("blocks")

    def _check(self, posts: list[dict[str, Any]], channel: str, key: str, thread: str | None) -> None:
        if channel not in self.channels:
            raise Refused(f"no channel {channel}: name another")
        if len(key) != KEY_LENGTH:
            raise Refused(f"a key of {len(key)} characters")
        if thread is None:
            return
        root = next((post for post in posts if (post["channel"], post["id"]) == (channel, thread)), None)
        if root is None or root["deleted"]:
            raise ThreadGone(f"no thread {thread}")
        if root["thread"] is not None:
            raise Refused(f"{thread} is itself a reply")

    @contextmanager
    def _posts(self) -> Iterator[list[dict[str, Any]]]:
        with self.path.open("a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            posts = json.loads(file.read() or "[]")
            before = json.dumps(posts)
            yield posts
            if json.dumps(posts) != before:
                file.seek(0)
                file.truncate()
                file.write(json.dumps(posts))
