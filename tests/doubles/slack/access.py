"""Who may call what: tokens, scopes, membership.

Sources: the "Errors" and "Required scopes" of each page of docs.slack.dev/reference/methods.
"""

from __future__ import annotations

from typing import Any

from tests.doubles.slack.workspace import SCOPE_OF, App, Channel, Workspace


class ApiError(Exception):
    """What Slack answers with `ok: false`: an error code, and what else the answer says."""

    def __init__(self, code: str, **more: Any) -> None:
        super().__init__(code)
        self.code = code
        self.more = more


def check_token(app: App, token: str | None, kinds: tuple[str, ...]) -> None:
    """`kinds` are those a method takes: bot, app. Raises ApiError."""
    if not token:
        raise ApiError("not_authed")
    known = {app.bot_token: "bot", app.app_token: "app"}
    if token not in known:
        raise ApiError("invalid_auth")
    if known[token] not in kinds:
        raise ApiError("not_allowed_token_type")


def check_scopes(app: App, *scopes: str) -> None:
    """Raises ApiError with what is needed and what was provided."""
    missing = [scope for scope in scopes if scope not in app.scopes]
    if missing:
        raise ApiError("missing_scope", needed=",".join(missing), provided=",".join(sorted(app.scopes)))


def visible(workspace: Workspace, channel_id: str) -> Channel:
    """A channel that the bot can know of: a public one, or one it is a member of. Raises ApiError."""
    channel = workspace.channels.get(channel_id)
    if channel is None or (channel.kind != "channel" and workspace.app.bot_user not in channel.members):
        raise ApiError("channel_not_found")
    return channel


def readable(workspace: Workspace, channel_id: str, what: str, *, member: bool = True) -> Channel:
    """A channel that the bot may read: `what` is history or read. Raises ApiError."""
    channel = workspace.channels.get(channel_id)
    check_scopes(workspace.app, f"{SCOPE_OF[channel.kind if channel else 'channel']}:{what}")
    channel = visible(workspace, channel_id)
    if member and workspace.app.bot_user not in channel.members:
        raise ApiError("not_in_channel")
    return channel


def writable(workspace: Workspace, target: str) -> Channel:
    """A channel that the bot may post to; a user's id is the direct messages with them. Raises ApiError."""
    if target in workspace.users and target != workspace.app.bot_user:
        return workspace.direct(target)
    channel = visible(workspace, target)
    if workspace.app.bot_user not in channel.members:
        raise ApiError("not_in_channel")
    if channel.archived:
        raise ApiError("is_archived")
    return channel
