"""Digests and answers in the forms that the command line prints."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal

from bot.digest.as_json import as_json
from bot.digest.build import Digest, whole
from bot.digest.posting import messages_of
from bot.dispatch import Answer
from bot.message import Message
from bot.platforms.slack.render import payloads
from bot.rendering.markdown import to_markdown
from bot.rendering.plain import to_plain

Form = Literal["text", "markdown", "json", "slack"]


def printed_digest(digest: Digest, form: Form) -> str:
    """The whole digest; for Slack the messages as they would be posted, the root first."""
    match form:
        case "json":
            return _json(as_json(digest, digest.view.wording.url, to_plain))
        case "slack":
            return _for_slack(messages_of(digest))
        case _:
            return _rendered(whole(digest), form)


def printed_answer(answer: Answer, form: Form) -> str:
    """An answer; as JSON with the pull requests and files it cites, for Slack as the messages it would be."""
    match form:
        case "json":
            return _json(
                {
                    "text": to_plain(answer.message),
                    "pull_requests": list(answer.pull_requests),
                    "files": list(answer.files),
                    "answered": answer.answered,
                }
            )
        case "slack":
            return _for_slack([answer.message])
        case _:
            return _rendered(answer.message, form)


def _for_slack(messages: Iterable[Message]) -> str:
    """`text` and `blocks` of each message, as its API and its Block Kit Builder take them."""
    parts = [part for message in messages for part in payloads(message)]
    return _json([{"text": part.text, "blocks": part.blocks} for part in parts])


def _rendered(message: Message, form: Literal["text", "markdown"]) -> str:
    return to_markdown(message) if form == "markdown" else to_plain(message)


def _json(value: Any) -> str:  # noqa: ANN401 - anything that JSON holds
    return json.dumps(value, ensure_ascii=False, indent=2)
