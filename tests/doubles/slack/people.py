"""Acting as the people of the workspace: what they say, edit, delete, type as commands and press."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Iterable
from typing import Any, Literal

from tests.doubles.slack.core import Core
from tests.doubles.slack.deliveries import Delivery
from tests.doubles.slack.posting import remove
from tests.doubles.slack.typed import mentioning, typed
from tests.doubles.slack.workspace import DOMAIN, Channel, Message, User

NAMES = {"im": "directmessage", "group": "privategroup"}


class People(Core):
    """Users and channels are named by their id; `user` and `channel` make them and give the id."""

    def user(self, name: str, *, external: bool = False) -> str:
        """A new user; `external`: of another organisation."""
        user = User(self.workspace.new_id("U"), name, external)
        with self.workspace.lock:
            self.workspace.users[user.id] = user
        return user.id

    def channel(
        self,
        name: str,
        members: Iterable[str] = (),
        *,
        bot: bool = True,
        private: bool = False,
        external: bool = False,
        archived: bool = False,
        channel_id: str | None = None,
    ) -> str:
        """A new channel; `bot`: the bot is in it from the start, without an event. `external`: of Slack Connect."""
        inside = set(members) | ({self.app.bot_user} if bot else set())
        kind: Literal["channel", "group"] = "group" if private else "channel"
        name_of_its_own = channel_id or self.workspace.new_id("C")
        return self.workspace.open(Channel(name_of_its_own, name, kind, inside, external, archived)).id

    def dm(self, user: str) -> str:
        """The id of the direct messages between a user and the bot."""
        return self.workspace.direct(user).id

    def say(
        self,
        channel: str | None,
        user: str,
        text: str,
        *,
        thread: str | None = None,
        mention: bool = False,
        direct: bool = False,
        broadcast: bool = False,
        file: bool = False,
        raw: bool = False,
        mention_first: bool = True,
    ) -> str:
        """A user says something; returns its ts.

        `mention`: opened by a mention of the bot. `direct`: to the bot alone (`channel` does not matter). `broadcast`:
        a reply also shown in the channel. `file`: with a file. `raw`: the text as Slack passes it on, not as typed.
        `mention_first`: of the two events of a mention, `app_mention` goes first.
        """
        where = self.dm(user) if direct else self._place(channel, user)
        said = (text, {}) if raw else typed(text, self.workspace)
        said = mentioning(self.app.bot_user, said) if mention else said
        message = Message(where, self.clock.ts(), user, said[0], [said[1]] if said[1] else [], thread_ts=thread)
        message.broadcast, message.extra = broadcast, {"client_msg_id": str(uuid.uuid4())}
        message.subtype = "thread_broadcast" if broadcast else "file_share" if file else None
        if file:
            message.extra["files"] = [{"id": self.workspace.new_id("F"), "name": "notes.txt", "mimetype": "text/plain"}]
        self.workspace.add(message)
        self.happening.said(message, mention_first=mention_first)
        return message.ts

    def other_bot(self, channel: str, text: str, *, thread: str | None = None, raw: bool = True) -> str:
        """Another app says something; returns its ts."""
        said = text if raw else typed(text, self.workspace)[0]
        message = Message(channel, self.clock.ts(), "U0OTHERBOT1", said, thread_ts=thread, bot_id="B0OTHER001")
        message.app_id, message.subtype = "A0OTHER001", "bot_message"
        self.workspace.add(message)
        self.happening.said(message)
        return message.ts

    def edit(self, channel: str, ts: str, text: str) -> None:
        """The author changes a message."""
        message = self._message(ts, channel)
        before = copy.deepcopy(message)
        with self.workspace.changed:
            message.text, block = typed(text, self.workspace)
            message.blocks, message.edited = ([block] if block else []), self.clock.ts()
        self.happening.changed(message, before)

    def delete(self, channel: str, ts: str) -> None:
        """Somebody deletes a message, also one of the bot's."""
        message = self._message(ts, channel)
        remove(self.workspace, message)
        self.happening.deleted(message)

    def add_bot(self, channel: str, inviter: str | None = None) -> None:
        """The bot is added to a channel: `member_joined_channel`, and the line that says so in the channel."""
        with self.workspace.changed:
            self.workspace.channels[channel].members.add(self.app.bot_user)
        self.happening.joined(self.workspace.channels[channel], self.app.bot_user, inviter)
        text = f"<@{self.app.bot_user}> has joined the channel"
        joined = Message(channel, self.clock.ts(), self.app.bot_user, text, subtype="channel_join")
        self.workspace.add(joined)
        self.happening.said(joined)

    def remove_bot(self, channel: str) -> None:
        """The bot is taken out of a channel; Slack says nothing of it to the app."""
        with self.workspace.changed:
            self.workspace.channels[channel].members.discard(self.app.bot_user)

    def slash(self, channel: str, user: str, text: str = "", *, command: str = "/digest") -> Delivery:
        """A user types a command in a channel; Slack has none in threads. Raises LookupError for an unknown command."""
        if command not in self.app.commands or "commands" not in self.app.scopes:
            raise LookupError(f"{command} is not a command of the installed app")
        where, who = self.workspace.channels[channel], self.workspace.users[user]
        payload = {
            "token": "double",
            "team_id": self.app.team,
            "team_domain": DOMAIN,
            "channel_id": channel,
            "channel_name": NAMES.get(where.kind, where.name),
            "user_id": user,
            "user_name": who.name,
            "command": command,
            "text": text,
            "api_app_id": self.app.app_id,
            "is_enterprise_install": "false",
            "response_url": self.response_urls.issue(channel, user),
            "trigger_id": self.app_methods.new_trigger(),
        }
        return self.deliveries.send("slash_commands", payload)

    def press(self, message: str, button: str, user: str) -> Delivery:
        """A user presses a button, named by its action_id, value or label, of the message with this ts.

        Raises LookupError when the message has no such button, or cannot be seen by the user.
        """
        pressed = self._message(message, None)
        if pressed.to not in {None, user}:
            raise LookupError(f"{user} does not see the message {message}")
        block_id, element = self._button(pressed, button)
        shown = {k: element[k] for k in ("action_id", "text", "value", "style") if k in element}
        action = shown | {"type": "button", "block_id": block_id, "action_ts": self.clock.ts()}
        return self.deliveries.send("interactive", self._pressed(pressed, user) | {"actions": [action]})

    def _pressed(self, message: Message, user: str) -> dict[str, Any]:
        """The payload without its action; that of an ephemeral message does not hold the message."""
        channel, who = self.workspace.channels[message.channel], self.workspace.users[user]
        hidden = message.to is not None
        container = {"type": "message", "message_ts": message.ts, "channel_id": channel.id, "is_ephemeral": hidden}
        thread = {"thread_ts": message.thread_ts} if message.thread_ts else {}
        return {
            "type": "block_actions",
            "user": {"id": user, "username": who.name, "name": who.name, "team_id": self.app.team},
            "api_app_id": self.app.app_id,
            "token": "double",
            "container": container | thread,
            "trigger_id": self.app_methods.new_trigger(),
            "team": {"id": self.app.team, "domain": DOMAIN},
            "enterprise": None,
            "is_enterprise_install": False,
            "channel": {"id": channel.id, "name": NAMES.get(channel.kind, channel.name)},
            "state": {"values": {}},
            "response_url": self.response_urls.issue(channel.id, user, message),
        } | ({} if hidden else {"message": copy.deepcopy(message.as_event())})

    def _button(self, message: Message, wanted: str) -> tuple[str, dict[str, Any]]:
        if not self.app.interactivity:
            raise LookupError("interactivity is off for the installed app")
        found = [
            (block["block_id"], element)
            for block in message.blocks
            for element in [*(block.get("elements") or []), block.get("accessory") or {}]
            if element.get("type") == "button"
        ]
        for block_id, element in found:
            if wanted in {element.get("action_id"), element.get("value"), element["text"]["text"]}:
                return block_id, element
        labels = [element["text"]["text"] for _, element in found]
        raise LookupError(f"no button {wanted!r} on message {message.ts}; there are {labels}")

    def _place(self, channel: str | None, user: str) -> str:
        if channel is None:
            raise LookupError("name a channel, or say direct=True")
        with self.workspace.lock:
            self.workspace.channels[channel].members.add(user)
        return channel

    def _message(self, ts: str, channel: str | None) -> Message:
        with self.workspace.lock:
            found = [
                m for m in self.workspace.messages if m.ts == ts and not m.deleted and channel in {None, m.channel}
            ]
        if not found:
            raise LookupError(f"there is no message {ts}")
        return found[0]
