"""Events as Slack sends them, and which of them an app gets: by scope, subscription and membership.

Sources: docs.slack.dev/reference/events (app_mention, message and its subtypes, member_joined_channel) and
docs.slack.dev/apis/events-api for the outer object.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tests.doubles.slack.workspace import SCOPE_OF, Channel, Message, Workspace

Event = dict[str, Any]
SUBSCRIPTION = {"channel": "message.channels", "group": "message.groups", "im": "message.im"}


class Events:
    """Turns what happens in the workspace into event payloads and hands them to `send`."""

    def __init__(self, workspace: Workspace, send: Callable[[Event], None]) -> None:
        self.workspace = workspace
        self._send = send

    def said(self, message: Message, *, mention_first: bool = True) -> None:
        """A new message: its `message` event and, when it mentions the bot outside direct messages, `app_mention`."""
        channel = self.workspace.channels[message.channel]
        mentions = [self._mention(message)] if self._mentioned(message, channel) else []
        both = [*mentions, self._message(message)]
        for event in both if mention_first else reversed(both):
            self.emit(event, channel)

    def changed(self, message: Message, before: Message) -> None:
        """An edit; one that newly mentions the bot is an `app_mention` too."""
        channel = self.workspace.channels[message.channel]
        inner = {"message": message.as_event(), "previous_message": before.as_event()}
        self.emit(self._hidden(message, "message_changed") | inner, channel)
        if self._mentioned(message, channel) and not self._mentioned(before, channel):
            self.emit(self._mention(message) | {"edited": message.as_event()["edited"]}, channel)

    def deleted(self, message: Message) -> None:
        channel = self.workspace.channels[message.channel]
        inner = {"deleted_ts": message.ts, "previous_message": message.as_event()}
        self.emit(self._hidden(message, "message_deleted") | inner, channel)

    def joined(self, channel: Channel, user: str, inviter: str | None) -> None:
        event = {"type": "member_joined_channel", "user": user, "channel": channel.id, "team": self.workspace.app.team}
        kind = {"channel": "C", "group": "G", "im": "D"}[channel.kind]
        self.emit(event | {"channel_type": kind} | ({"inviter": inviter} if inviter else {}), channel)

    def emit(self, event: Event, channel: Channel | None = None) -> None:
        """Send an event if the app gets it; one without a channel is always sent."""
        if channel is None or self._gets(event, channel):
            self._send(self._outer(event, channel))

    def _gets(self, event: Event, channel: Channel) -> bool:
        app = self.workspace.app
        kind, scope = SCOPE_OF[channel.kind], {"app_mention": "app_mentions:read"}
        needed = {"message": f"{kind}:history", "member_joined_channel": f"{kind}:read"} | scope
        name = SUBSCRIPTION[channel.kind] if event["type"] == "message" else event["type"]
        allowed = needed.get(event["type"]) in {None, *app.scopes}
        return app.bot_user in channel.members and name in app.events and allowed

    def _mentioned(self, message: Message, channel: Channel) -> bool:
        by_itself = message.user == self.workspace.app.bot_user
        return f"<@{self.workspace.app.bot_user}>" in message.text and channel.kind != "im" and not by_itself

    def _message(self, message: Message) -> Event:
        kind = self.workspace.channels[message.channel].kind
        event = copy.deepcopy(message.as_event()) | {"channel": message.channel, "channel_type": kind}
        root = self.workspace.find(message.channel, message.thread_ts) if message.thread_ts else None
        parent = {"parent_user_id": root.user} if root else {}
        return event | parent | {"event_ts": message.ts, "team": self.workspace.app.team}

    def _mention(self, message: Message) -> Event:
        kept = (
            "user",
            "text",
            "ts",
            "thread_ts",
            "client_msg_id",
            "blocks",
            "files",
            "bot_id",
            "subtype",
            "app_id",
            "parent_user_id",
        )
        event = {key: value for key, value in self._message(message).items() if key in kept}
        more = {"type": "app_mention", "channel": message.channel, "event_ts": message.ts}
        return event | more | {"team": self.workspace.app.team}

    def _hidden(self, message: Message, subtype: str) -> Event:
        kind, ts = self.workspace.channels[message.channel].kind, self.workspace.clock.ts()
        inner = {"type": "message", "subtype": subtype, "hidden": True, "channel": message.channel}
        return inner | {"channel_type": kind, "ts": ts, "event_ts": ts}

    def _outer(self, event: Event, channel: Channel | None) -> Event:
        app = self.workspace.app
        authorised = {"enterprise_id": None, "team_id": app.team, "user_id": app.bot_user, "is_bot": True}
        return {
            "token": "double",
            "team_id": app.team,
            "context_team_id": app.team,
            "api_app_id": app.app_id,
            "event": event,
            "type": "event_callback",
            "event_id": self.workspace.new_id("Ev"),
            "event_time": int(self.workspace.clock.now()),
            "authorizations": [authorised | {"is_enterprise_install": False}],
            "is_ext_shared_channel": bool(channel and channel.external),
            "event_context": self.workspace.new_id("4-"),
        }
