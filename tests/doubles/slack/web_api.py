"""The table of Web API methods and the path every call takes: method, token, scopes, arguments, answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.doubles.slack import looking, posting
from tests.doubles.slack.access import ApiError, check_scopes, check_token
from tests.doubles.slack.app_methods import AppMethods
from tests.doubles.slack.arguments import Arguments, check_known
from tests.doubles.slack.events import Events
from tests.doubles.slack.workspace import Workspace

Answer = dict[str, Any]
Run = Callable[[Workspace, Events, Arguments], Answer]


@dataclass(frozen=True)
class Method:
    run: Run
    arguments: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ("bot",)


def methods(app: AppMethods) -> dict[str, Method]:
    """Every method that the double knows; anything else is `unknown_method`."""
    write = ("chat:write",)
    paged = ("limit", "cursor")
    types = ("user", "types", "exclude_archived", *paged)
    update = (*posting.BODY, "ts", "metadata", "reply_broadcast")
    return {
        "auth.test": Method(app.auth_test, tokens=("bot", "app")),
        "apps.connections.open": Method(app.open_connection, tokens=("app",)),
        "assistant.threads.setStatus": Method(app.set_status, AppMethods.STATUS, write),
        "views.open": Method(app.open_view, ("trigger_id", "view")),
        "chat.postMessage": Method(posting.post_message, posting.POST, write),
        "chat.postEphemeral": Method(posting.post_ephemeral, (*posting.BODY, "user", "thread_ts"), write),
        "chat.update": Method(posting.update, update, write),
        "chat.delete": Method(posting.delete, ("channel", "ts"), write),
        "chat.getPermalink": Method(posting.get_permalink, ("channel", "message_ts")),
        "conversations.history": Method(looking.history, looking.WINDOW),
        "conversations.replies": Method(looking.replies, (*looking.WINDOW, "ts")),
        "conversations.info": Method(looking.info, ("channel", "include_num_members", "include_locale")),
        "conversations.members": Method(looking.members, ("channel", *paged)),
        "users.conversations": Method(looking.user_conversations, types),
        "users.info": Method(looking.user_info, ("user", "include_locale"), ("users:read",)),
    }


class WebApi:
    """Answers calls; one at a time, so that a test sees no half-done one."""

    def __init__(self, workspace: Workspace, events: Events, app: AppMethods) -> None:
        self._workspace = workspace
        self._events = events
        self._methods = methods(app)

    def call(self, method: str, token: str | None, arguments: Arguments) -> Answer:
        """What Slack answers, with `ok`."""
        try:
            return {"ok": True} | self._call(method, token, arguments)
        except ApiError as error:
            return {"ok": False, "error": error.code} | error.more

    def _call(self, name: str, token: str | None, arguments: Arguments) -> Answer:
        method = self._methods.get(name)
        if method is None:
            raise ApiError("unknown_method", req_method=name)
        app = self._workspace.app
        check_token(app, token, method.tokens)
        check_scopes(app, *method.scopes)
        check_known(arguments, method.arguments)
        with self._workspace.lock:
            return method.run(self._workspace, self._events, arguments)
