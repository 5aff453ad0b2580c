"""What Slack delivers, read once: who said what where, how to answer it, and by which keys a copy is known."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from bot.platforms.slack.wording import typed
from bot.ports import Incoming, Joined

Kind = Literal["command", "button", "message", "joined"]

PLATFORM = "slack"
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_TRIGGER = re.compile(r"[A-Za-z0-9._-]{1,255}", re.ASCII)
_TS = re.compile(r"[0-9]{1,11}\.[0-9]{1,9}", re.ASCII)
_SUBTYPES = frozenset({None, "thread_broadcast", "file_share"})
_SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class Self:
    """The bot as Slack knows it: the ids of its user and of its bot, and the name of its command."""

    user: str
    bot: str
    command: str = "/digest"


@dataclass(frozen=True, slots=True)
class Arrival:
    """One thing to handle. A copy of it has one of its `keys`; the last of them names it.

    `response_url` takes the answer to a command or a pressed button. `at` is when it came, or was said. `token` tells
    this delivery from a copy of it.
    """

    keys: tuple[str, ...]
    kind: Kind
    what: Incoming | Joined
    at: datetime
    response_url: str | None = None
    token: str = ""

    def to_json(self) -> str:
        """Everything, in ASCII."""
        return json.dumps({**asdict(self), "at": self.at.isoformat()})

    @classmethod
    def from_json(cls, payload: str) -> Arrival:
        """What `to_json` gave."""
        values = json.loads(payload)
        what = Joined(**values["what"]) if values["kind"] == "joined" else Incoming(**values["what"])
        at = datetime.fromisoformat(values["at"])
        return cls(tuple(values["keys"]), values["kind"], what, at, values["response_url"], values["token"])


def arrival_of(body: Mapping[str, Any], me: Self, now: datetime) -> Arrival | None:
    """What a payload of Slack brings; None: nothing to answer, whatever it is. `now` is when it came.

    Nobody is answered who is a bot, nor an edit, a deletion or a notice of Slack's own.
    """
    match body:
        case {"command": str(), "channel_id": str(channel), "user_id": str(user)}:
            return _command(body, channel, user, me, now) if _are_ids(channel, user) else None
        case {"type": "block_actions", "user": {"id": str(user)}, "actions": [dict(action), *_]}:
            return _button(body, user, action, now)
        case {"type": "event_callback", "event": {"type": "message" | "app_mention"} as event}:
            return _message(body, event, me)
        case {"type": "event_callback", "event": {"type": "member_joined_channel"} as event}:
            return _joined(body, event, me, now)
    return None


def _command(body: Mapping[str, Any], channel: str, user: str, me: Self, now: datetime) -> Arrival:
    text = typed(_text(body.get("text")), me.user).text
    said = Incoming(
        PLATFORM,
        channel,
        user,
        f"{me.command} {text}".strip(),  # by whatever name Slack knows the command
        direct=_is_direct(channel),
        private=True,
    )
    return Arrival((_trigger_key(body),), "command", said, now, _url(body))


def _button(body: Mapping[str, Any], user: str, action: Mapping[str, Any], now: datetime) -> Arrival | None:
    container, message = _dict(body.get("container")), _dict(body.get("message"))
    channel = _dict(body.get("channel")).get("id") or container.get("channel_id")
    value = action.get("value")
    ts = message.get("ts") or container.get("message_ts")
    if action.get("type") != "button" or not _are_ids(channel, user) or not _text(value).strip():
        return None
    said = Incoming(
        PLATFORM,
        str(channel),
        user,
        _text(value).strip(),
        thread=_thread(message.get("thread_ts") or container.get("thread_ts"), ts),
        message=ts if _is_ts(ts) else None,
        direct=_is_direct(str(channel)),
        private=True,
    )
    return Arrival((_trigger_key(body),), "button", said, now, _url(body))


def _message(body: Mapping[str, Any], event: Mapping[str, Any], me: Self) -> Arrival | None:
    channel, user, ts = event.get("channel"), event.get("user"), event.get("ts")
    if _is_noise(event, me) or not _are_ids(channel, user) or not _is_ts(ts):
        return None
    words = typed(_text(event.get("text")), me.user)
    if not words.text and not words.to_bot:
        return None
    direct = event.get("channel_type") == "im" or _is_direct(str(channel))
    addressed = direct or words.to_bot or event["type"] == "app_mention"
    thread = _thread(event.get("thread_ts"), ts)
    if not addressed and thread is None:  # what people say to each other in a channel is not even kept
        return None
    said = Incoming(
        PLATFORM,
        str(channel),
        str(user),
        words.text,
        thread=thread,
        message=str(ts),
        addressed=addressed,
        to_others=words.to_others,
        direct=direct,
        external=_external(body),
    )
    # Slack sends a mention twice, as `app_mention` and as `message`: other event ids, the same message.
    keys = (*_event_key(body), f"message:{channel}:{ts}")
    return Arrival(keys, "message", said, datetime.fromtimestamp(float(str(ts)), UTC))


def _joined(body: Mapping[str, Any], event: Mapping[str, Any], me: Self, now: datetime) -> Arrival | None:
    channel, inviter = event.get("channel"), event.get("inviter")
    if event.get("user") != me.user or not _are_ids(channel):
        return None
    by = str(inviter) if _are_ids(inviter) else None
    keys = _event_key(body) or (_hash_key(body),)
    return Arrival(keys, "joined", Joined(PLATFORM, str(channel), by, _external(body)), now)


def _is_noise(event: Mapping[str, Any], me: Self) -> bool:
    """What no person said here and now: a bot's, an edit (it keeps its `ts`), a deletion, a notice of Slack's own."""
    subtype = event.get("subtype")
    return bool(
        event.get("bot_id")
        or event.get("bot_profile")
        or event.get("user") in (me.user, _SLACKBOT)
        or event.get("hidden")
        or event.get("edited")
        or not (subtype is None or isinstance(subtype, str))
        or subtype not in _SUBTYPES
    )


def _thread(root: object, ts: object) -> str | None:
    """A reply has the `thread_ts` of another message; a root with replies has its own."""
    return str(root) if _is_ts(root) and root != ts else None


def _event_key(body: Mapping[str, Any]) -> tuple[str, ...]:
    event = body.get("event_id")
    return (f"event:{event}",) if _are_ids(event) else ()


def _trigger_key(body: Mapping[str, Any]) -> str:
    trigger = body.get("trigger_id")
    usable = isinstance(trigger, str) and _TRIGGER.fullmatch(trigger)
    return f"trigger:{trigger}" if usable else _hash_key(body)


def _hash_key(body: Mapping[str, Any]) -> str:
    whole = json.dumps(body, sort_keys=True, default=str)
    return f"body:{hashlib.sha256(whole.encode('ascii')).hexdigest()}"


def _external(body: Mapping[str, Any]) -> bool | None:
    external = body.get("is_ext_shared_channel")
    return external if isinstance(external, bool) else None


def _url(body: Mapping[str, Any]) -> str | None:
    url = body.get("response_url")
    return url if isinstance(url, str) and url.startswith(("https://", "http://")) and url.isascii() else None


def _are_ids(*values: object) -> bool:
    return all(isinstance(value, str) and _ID.fullmatch(value) for value in values)


def _is_ts(value: object) -> bool:
    return isinstance(value, str) and _TS.fullmatch(value) is not None


def _is_direct(channel: str) -> bool:
    return channel.startswith("D")


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
