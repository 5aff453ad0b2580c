"""What the tests of Slack's rendering share: spans in short, and a payload as it is sent."""

from __future__ import annotations

from typing import Any

from bot.message import Message, Plain, PullRequestRef, Span, Spans
from bot.platforms.slack.render import Payload, payloads

URL = "https://github.com/acme/engine/pull/"


def prose(*parts: str | Span) -> Spans:
    return tuple(Plain(part) if isinstance(part, str) else part for part in parts)


def ref(number: int, *, bold: bool = False) -> PullRequestRef:
    return PullRequestRef(number, f"{URL}{number}", bold)


def sent(payload: Payload) -> dict[str, Any]:
    return {"text": payload.text, "blocks": payload.blocks}


def fallback_of(payload: Payload) -> dict[str, Any]:
    return {"text": payload.text, "blocks": payload.fallback or payload.blocks}


def only(message: Message) -> Payload:
    (payload,) = payloads(message)
    return payload


def kinds(payload: Payload) -> list[str]:
    return [block["type"] for block in payload.blocks]
