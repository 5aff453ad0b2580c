"""The methods about the app itself: auth.test, apps.connections.open, assistant.threads.setStatus, views.open.

Source: the pages of docs.slack.dev/reference/methods. A status fades after two minutes and is replaced by a reply.
"""

from __future__ import annotations

import secrets
from typing import Any, ClassVar

from tests.doubles.slack.access import ApiError, visible
from tests.doubles.slack.arguments import Arguments, required
from tests.doubles.slack.events import Events
from tests.doubles.slack.posting import thread_of
from tests.doubles.slack.workspace import DOMAIN, Workspace

Answer = dict[str, Any]
TICKET_SECONDS = 30.0
TRIGGER_SECONDS = 3.0


class AppMethods:
    """`address` is the double's own, of the form host:port, known once it listens."""

    STATUS: ClassVar = ("channel_id", "thread_ts", "status", "loading_messages", "icon_emoji", "username")

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.address = ""
        self._tickets: dict[str, float] = {}
        self._triggers: dict[str, float] = {}

    def auth_test(self, workspace: Workspace, _events: Events, _arguments: Arguments) -> Answer:
        app = workspace.app
        who = {"user": "digest", "user_id": app.bot_user, "bot_id": app.bot_id, "app_id": app.app_id}
        where = {"url": f"https://{DOMAIN}.slack.com/", "team": "Example", "team_id": app.team}
        return who | where | {"is_enterprise_install": False}

    def open_connection(self, workspace: Workspace, _events: Events, _arguments: Arguments) -> Answer:
        ticket = secrets.token_hex(16)
        self._tickets[ticket] = workspace.clock.now() + TICKET_SECONDS
        return {"url": f"ws://{self.address}/link/?ticket={ticket}&app_id={workspace.app.app_id}"}

    def redeem(self, ticket: str) -> bool:
        """Whether a ticket opens a connection: each does once, and not for long."""
        with self._workspace.lock:
            return self._tickets.pop(ticket, 0.0) > self._workspace.clock.now()

    def new_trigger(self) -> str:
        """A trigger id, good for one `views.open` within three seconds."""
        trigger = f"{secrets.randbelow(10**12)}.{secrets.randbelow(10**12)}.{secrets.token_hex(16)}"
        with self._workspace.lock:
            self._triggers[trigger] = self._workspace.clock.now() + TRIGGER_SECONDS
        return trigger

    def set_status(self, workspace: Workspace, _events: Events, arguments: Arguments) -> Answer:
        channel = visible(workspace, required(arguments, "channel_id", "channel_not_found"))
        if workspace.app.bot_user not in channel.members:
            raise ApiError("not_in_channel")
        required(arguments, "thread_ts", "invalid_thread_ts")
        thread = thread_of(workspace, channel.id, arguments)
        status = arguments.get("status")
        if not isinstance(status, str):
            raise ApiError("invalid_arguments")
        workspace.statuses.append({"channel": channel.id, "thread_ts": thread, "status": status})
        workspace.changed.notify_all()
        return {}

    def open_view(self, workspace: Workspace, _events: Events, arguments: Arguments) -> Answer:
        expires = self._triggers.pop(required(arguments, "trigger_id", "invalid_trigger_id"), None)
        if expires is None:
            raise ApiError("invalid_trigger_id")
        if expires <= workspace.clock.now():
            raise ApiError("expired_trigger_id")
        view = arguments.get("view")
        if not isinstance(view, dict) or view.get("type") != "modal" or not isinstance(view.get("blocks"), list):
            raise ApiError("invalid_arguments")
        kept = view | {"id": workspace.new_id("V"), "team_id": workspace.app.team}
        workspace.views.append(kept)
        return {"view": kept}
