"""The chat.* methods: each body is validated before anything is stored.

Source: docs.slack.dev/reference/methods/chat.postMessage, .postEphemeral, .update, .delete, .getPermalink.
"""

from __future__ import annotations

import copy
from typing import Any

from tests.doubles.slack.access import ApiError, visible, writable
from tests.doubles.slack.arguments import TS, Arguments, flag, required
from tests.doubles.slack.events import Events
from tests.doubles.slack.validator import refusal, violations
from tests.doubles.slack.workspace import DOMAIN, Message, Workspace

Answer = dict[str, Any]
BODY = ("channel", "text", "blocks", "attachments", "markdown_text", "parse", "link_names")
POST = (*BODY, "thread_ts", "reply_broadcast", "unfurl_links", "unfurl_media", "metadata", "mrkdwn")


def check_body(workspace: Workspace, body: dict[str, Any]) -> None:
    """Refuses what Slack refuses. Raises ApiError with the reasons."""
    app = workspace.app
    refused = refusal(violations(body, charts=app.charts, total=app.block_text))
    if refused:
        code, messages = refused
        errors = [f"[ERROR] {message}" for message in messages]
        raise ApiError(code, errors=messages, response_metadata={"messages": errors})


def content(body: dict[str, Any]) -> dict[str, Any]:
    """What of a body becomes the message."""
    return {"text": body.get("text") or "", "blocks": copy.deepcopy(body.get("blocks") or [])}


def own(workspace: Workspace, channel: str, body: dict[str, Any], **more: Any) -> Message:
    """A message by the app, not yet kept."""
    app = workspace.app
    author: dict[str, Any] = {"user": app.bot_user, "bot_id": app.bot_id, "app_id": app.app_id}
    return Message(channel=channel, ts=workspace.clock.ts(), asked=dict(body), **author, **content(body), **more)


def thread_of(workspace: Workspace, channel: str, arguments: Arguments) -> str | None:
    """The root to post under. Raises ApiError when there is no such root (any more)."""
    given = arguments.get("thread_ts")
    if given in (None, ""):
        return None
    if not isinstance(given, str) or not TS.fullmatch(given):
        raise ApiError("invalid_thread_ts")
    root = workspace.find(channel, given)
    if root is None:
        raise ApiError("thread_not_found")
    if root.thread_ts is not None:
        raise ApiError("cannot_reply_to_message")
    return given


def post_message(workspace: Workspace, events: Events, arguments: Arguments) -> Answer:
    channel = writable(workspace, required(arguments, "channel", "channel_not_found"))
    check_body(workspace, arguments)
    thread = thread_of(workspace, channel.id, arguments)
    broadcast = thread is not None and flag(arguments, "reply_broadcast")
    message = own(workspace, channel.id, arguments, thread_ts=thread, broadcast=broadcast, via="chat.postMessage")
    message.subtype = "thread_broadcast" if broadcast else None
    message.metadata = copy.deepcopy(arguments.get("metadata"))
    workspace.add(message)
    events.said(message)
    return {"channel": channel.id, "ts": message.ts, "message": message.as_event()}


def post_ephemeral(workspace: Workspace, _events: Events, arguments: Arguments) -> Answer:
    channel = visible(workspace, required(arguments, "channel", "channel_not_found"))
    if workspace.app.bot_user not in channel.members:
        raise ApiError("not_in_channel")
    if channel.archived:
        raise ApiError("is_archived")
    user = required(arguments, "user", "no_user")
    if user not in channel.members:
        raise ApiError("user_not_in_channel")
    check_body(workspace, arguments)
    thread = thread_of(workspace, channel.id, arguments)
    message = own(workspace, channel.id, arguments, thread_ts=thread, to=user, via="chat.postEphemeral")
    workspace.add(message)
    return {"message_ts": message.ts}


def _mine(workspace: Workspace, arguments: Arguments, error: str) -> Message:
    channel = visible(workspace, required(arguments, "channel", "channel_not_found"))
    message = workspace.find(channel.id, required(arguments, "ts", "message_not_found"))
    if message is None:
        raise ApiError("message_not_found")
    if message.app_id != workspace.app.app_id:
        raise ApiError(error)
    return message


def update(workspace: Workspace, events: Events, arguments: Arguments) -> Answer:
    message = _mine(workspace, arguments, "cant_update_message")
    check_body(workspace, arguments)
    before = copy.deepcopy(message)
    replace(workspace, message, arguments)
    events.changed(message, before)
    return {"channel": message.channel, "ts": message.ts, "text": message.text, "message": message.as_event()}


def replace(workspace: Workspace, message: Message, body: dict[str, Any]) -> None:
    """Give a message another content; its metadata stays unless the body has its own."""
    with workspace.changed:
        message.text, message.blocks = content(body).values()
        message.metadata = copy.deepcopy(body.get("metadata") or message.metadata)
        message.edited = workspace.clock.ts()
        workspace.changed.notify_all()


def delete(workspace: Workspace, events: Events, arguments: Arguments) -> Answer:
    message = _mine(workspace, arguments, "cant_delete_message")
    remove(workspace, message)
    events.deleted(message)
    return {"channel": message.channel, "ts": message.ts}


def remove(workspace: Workspace, message: Message) -> None:
    with workspace.changed:
        message.deleted = True
        workspace.changed.notify_all()


def get_permalink(workspace: Workspace, _events: Events, arguments: Arguments) -> Answer:
    channel = visible(workspace, required(arguments, "channel", "channel_not_found"))
    message = workspace.find(channel.id, required(arguments, "message_ts", "message_not_found"))
    if message is None:
        raise ApiError("message_not_found")
    link = f"https://{DOMAIN}.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}"
    thread = f"?thread_ts={message.thread_ts}&cid={channel.id}" if message.thread_ts else ""
    return {"channel": channel.id, "permalink": link + thread}
