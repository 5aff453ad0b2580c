"""The methods that read: conversations.* and users.*.

Source: docs.slack.dev/reference/methods/conversations.history, .replies, .info, .members,
users.conversations and users.info.
"""

from __future__ import annotations

import base64
import copy
from typing import Any, TypeVar

from tests.doubles.slack.access import ApiError, check_scopes, readable
from tests.doubles.slack.arguments import TS, Arguments, count, flag, instant, required
from tests.doubles.slack.events import Events
from tests.doubles.slack.workspace import Channel, Message, Workspace

Answer = dict[str, Any]
Item = TypeVar("Item")
MOST = 999
WINDOW = ("channel", "oldest", "latest", "inclusive", "limit", "cursor", "include_all_metadata")
TYPES = {"public_channel": ("channel", "channels:read"), "private_channel": ("group", "groups:read")}
ALL_TYPES = TYPES | {"im": ("im", "im:read"), "mpim": ("mpim", "mpim:read")}


def _page(found: list[Item], arguments: Arguments, default: int) -> tuple[list[Item], str]:
    """The items from the cursor on, and the cursor of the next page, empty after the last."""
    size = count(arguments, "limit", default, MOST)
    try:
        start = int(base64.b64decode(arguments.get("cursor") or b"MA==", validate=True))
    except ValueError as error:
        raise ApiError("invalid_cursor") from error
    following = base64.b64encode(str(start + size).encode()).decode() if start + size < len(found) else ""
    return found[start : start + size], following


def _paged(cursor: str) -> Answer:
    return {"has_more": bool(cursor), "response_metadata": {"next_cursor": cursor}}


def _within(messages: list[Message], arguments: Arguments) -> list[Message]:
    oldest, latest = instant(arguments, "oldest") or 0.0, instant(arguments, "latest")
    both = flag(arguments, "inclusive")
    ends = [bound for bound in (oldest, latest) if bound]
    inside = [m for m in messages if float(m.ts) > oldest and (latest is None or float(m.ts) < latest)]
    edges = [m for m in messages if both and float(m.ts) in ends]
    return sorted([*inside, *edges], key=lambda m: m.ts)


def _shown(workspace: Workspace, message: Message, arguments: Arguments) -> dict[str, Any]:
    replies = workspace.replies(message.channel, message.ts)
    thread = {"thread_ts": message.ts, "reply_count": len(replies), "latest_reply": replies[-1].ts} if replies else {}
    metadata = {"metadata": message.metadata} if message.metadata and flag(arguments, "include_all_metadata") else {}
    return copy.deepcopy(message.as_event() | thread | metadata)


def history(workspace: Workspace, _events: Events, arguments: Arguments) -> Answer:
    channel = readable(workspace, required(arguments, "channel", "channel_not_found"), "history")
    found = [m for m in workspace.in_channel(channel.id) if m.in_channel and m.to is None]
    newest_first = _within(found, arguments)[::-1]
    page, cursor = _page(newest_first, arguments, 100)
    return {"messages": [_shown(workspace, m, arguments) for m in page]} | _paged(cursor)


def replies(workspace: Workspace, _events: Events, arguments: Arguments) -> Answer:
    """The root stands first on every page, whatever the bounds; a reply's own id gives that reply alone."""
    channel = readable(workspace, required(arguments, "channel", "channel_not_found"), "history")
    ts = required(arguments, "ts", "thread_not_found")
    root = workspace.find(channel.id, ts)
    if root is None or not TS.fullmatch(ts):
        raise ApiError("thread_not_found")
    page, cursor = _page(_within(workspace.replies(channel.id, ts), arguments), arguments, MOST)
    return {"messages": [_shown(workspace, m, arguments) for m in (root, *page)]} | _paged(cursor)


def _described(workspace: Workspace, channel: Channel) -> dict[str, Any]:
    kind, member = channel.kind, workspace.app.bot_user in channel.members
    what = {"is_channel": kind == "channel", "is_group": kind == "group", "is_im": kind == "im"}
    shared = {"is_shared": channel.external, "is_ext_shared": channel.external, "is_org_shared": False}
    state = {"is_archived": channel.archived, "is_member": member, "is_private": kind != "channel"}
    return {"id": channel.id, "name": channel.name, **what, **shared, **state}


def info(workspace: Workspace, _events: Events, arguments: Arguments) -> Answer:
    wanted = required(arguments, "channel", "channel_not_found")
    channel = readable(workspace, wanted, "read", member=False)
    return {"channel": _described(workspace, channel)}


def members(workspace: Workspace, _events: Events, arguments: Arguments) -> Answer:
    wanted = required(arguments, "channel", "channel_not_found")
    channel = readable(workspace, wanted, "read", member=False)
    page, cursor = _page(sorted(channel.members), arguments, 100)
    return {"members": page, "response_metadata": {"next_cursor": cursor}}


def user_conversations(workspace: Workspace, _events: Events, arguments: Arguments) -> Answer:
    """The channels of a user that the bot can know of: public ones, and private ones it shares with them."""
    kinds = [ALL_TYPES.get(name.strip()) for name in str(arguments.get("types") or "public_channel").split(",")]
    if None in kinds:
        raise ApiError("invalid_types")
    check_scopes(workspace.app, *(kind[1] for kind in kinds if kind))
    bot, wanted = workspace.app.bot_user, {kind[0] for kind in kinds if kind}
    user = str(arguments.get("user") or bot)
    if user not in workspace.users:
        raise ApiError("user_not_found")
    known = [c for c in workspace.channels.values() if user in c.members and (c.kind == "channel" or bot in c.members)]
    kept = [c for c in known if c.kind in wanted and not (c.archived and flag(arguments, "exclude_archived"))]
    page, cursor = _page(kept, arguments, 100)
    return {"channels": [_described(workspace, c) for c in page], "response_metadata": {"next_cursor": cursor}}


def user_info(workspace: Workspace, _events: Events, arguments: Arguments) -> Answer:
    user = workspace.users.get(required(arguments, "user", "user_not_found"))
    if user is None:
        raise ApiError("user_not_found")
    bot = user.id == workspace.app.bot_user
    said = {"id": user.id, "name": user.name, "deleted": False, "is_bot": bot, "is_stranger": user.external}
    team = "T0EXTERNAL1" if user.external else workspace.app.team
    return {"user": said | {"team_id": team, "profile": {"display_name": user.name}, "tz": "Asia/Shanghai"}}
