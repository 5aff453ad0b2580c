"""The workspace: users, channels, what was said in them, and the app that is installed."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.doubles.slack import limits
from tests.doubles.slack.clock import Clock
from tests.doubles.slack.shown import shown

REQUIRED_SCOPES = frozenset({"commands", "chat:write", "app_mentions:read"})
FULL_SCOPES = REQUIRED_SCOPES | {
    *("channels:history", "groups:history", "im:history", "channels:read", "groups:read", "im:read", "users:read"),
}
EVENTS = frozenset({"app_mention", "message.channels", "message.groups", "message.im", "member_joined_channel"})
ChannelKind = Literal["channel", "group", "im"]
SCOPE_OF = {"channel": "channels", "group": "groups", "im": "im"}
DOMAIN = "example"


@dataclass
class App:
    """The installed app: who it is, what it may do, and what its workspace offers."""

    scopes: set[str] = field(default_factory=lambda: set(FULL_SCOPES))
    events: set[str] = field(default_factory=lambda: set(EVENTS))
    commands: set[str] = field(default_factory=lambda: {"/digest"})
    interactivity: bool = True
    charts: bool = True
    block_text: int = limits.ALL_BLOCK_TEXT
    app_id: str = "A0DOUBLE01"
    bot_id: str = "B0DOUBLE01"
    bot_user: str = "U0DOUBLEBOT"
    team: str = "T0DOUBLE01"
    bot_token: str = "xoxb-double"  # noqa: S105 - of this double only
    app_token: str = "xapp-1-double"  # noqa: S105
    signing_secret: str = "double-signing-secret"  # noqa: S105


@dataclass
class User:
    id: str
    name: str
    external: bool = False


@dataclass
class Channel:
    id: str
    name: str
    kind: ChannelKind = "channel"
    members: set[str] = field(default_factory=set)
    external: bool = False
    archived: bool = False


@dataclass(eq=False)
class Message:
    """One message. `to` is the only user who sees it (None: everybody); `via` is how it came.

    `thread_ts` is the id of the root it stands under, None for a message of the channel itself. `asked` is the request
    that made it, with what Slack does not store (`unfurl_links`).
    """

    channel: str
    ts: str
    user: str
    text: str
    blocks: list[dict[str, Any]] = field(default_factory=list)
    metadata: dict[str, Any] | None = None
    thread_ts: str | None = None
    broadcast: bool = False
    bot_id: str | None = None
    app_id: str | None = None
    subtype: str | None = None
    to: str | None = None
    via: str = "user"
    edited: str | None = None
    deleted: bool = False
    extra: dict[str, Any] = field(default_factory=dict)
    asked: dict[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """The words it shows."""
        return shown({"text": self.text, "blocks": self.blocks})

    @property
    def in_channel(self) -> bool:
        """Whether it stands in the channel itself, not only in a thread."""
        return self.thread_ts is None or self.broadcast

    def as_event(self) -> dict[str, Any]:
        """The message as events and reading methods show it, without its metadata."""
        given = {
            "subtype": self.subtype,
            "bot_id": self.bot_id,
            "app_id": self.app_id,
            "blocks": self.blocks,
            "thread_ts": self.thread_ts,
            "edited": {"user": self.user, "ts": self.edited} if self.edited else None,
        }
        plain = {"type": "message", "user": self.user, "text": self.text, "ts": self.ts}
        return plain | {key: value for key, value in given.items() if value} | self.extra


class Workspace:
    """What is stored. Every access is under `lock`; `changed` is notified after each change."""

    def __init__(self, app: App, clock: Clock) -> None:
        self.app = app
        self.clock = clock
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.users: dict[str, User] = {}
        self.channels: dict[str, Channel] = {}
        self.messages: list[Message] = []
        self.statuses: list[dict[str, Any]] = []
        self.views: list[dict[str, Any]] = []
        self._made = 0
        self.users[app.bot_user] = User(app.bot_user, "digest")

    def new_id(self, prefix: str) -> str:
        with self.lock:
            self._made += 1
            return f"{prefix}{self._made:09d}"

    def add(self, message: Message) -> Message:
        """Keep a message; blocks and buttons without an id get one, as they do in Slack."""
        with self.changed:
            for block in message.blocks:
                block.setdefault("block_id", self.new_id("b"))
                for element in [*(block.get("elements") or []), block.get("accessory") or {}]:
                    if element.get("type") == "button":
                        element.setdefault("action_id", self.new_id("a"))
            self.messages.append(message)
            self.messages.sort(key=lambda kept: kept.ts)
            self.changed.notify_all()
        return message

    def find(self, channel: str, ts: str) -> Message | None:
        """A message that is still there and that everybody sees; None: there is none."""
        with self.lock:
            return next((m for m in self.in_channel(channel) if m.ts == ts and m.to is None), None)

    def in_channel(self, channel: str) -> list[Message]:
        """What was said in a channel and its threads and was not deleted, oldest first, ephemeral messages too."""
        with self.lock:
            return [m for m in self.messages if m.channel == channel and not m.deleted]

    def replies(self, channel: str, root: str) -> list[Message]:
        """What everybody sees under a root, oldest first."""
        return [m for m in self.in_channel(channel) if m.thread_ts == root and m.to is None]

    def direct(self, user: str) -> Channel:
        """The channel between a user and the bot; opened when it is not there yet."""
        with self.lock:
            pair = {user, self.app.bot_user}
            known = next((c for c in self.channels.values() if c.kind == "im" and c.members == pair), None)
            return known or self.open(Channel(self.new_id("D"), "directmessage", "im", pair))

    def open(self, channel: Channel) -> Channel:
        with self.changed:
            self.channels[channel.id] = channel
            self.changed.notify_all()
        return channel
