"""Digests and answers in the forms that the command line prints."""

from __future__ import annotations

import json
from typing import Any, Literal

from bot.digest.as_json import as_json
from bot.digest.build import Digest, whole
from bot.dispatch import Answer
from bot.message import Message
from bot.rendering.markdown import to_markdown
from bot.rendering.plain import to_plain

Form = Literal["text", "markdown", "json"]


def printed_digest(digest: Digest, form: Form) -> str:
    """The whole digest."""
    if form == "json":
        return _json(as_json(digest, digest.view.wording.url, to_plain))
    return _rendered(whole(digest), form)


def printed_answer(answer: Answer, form: Form) -> str:
    """An answer; as JSON with the pull requests and files it cites."""
    if form != "json":
        return _rendered(answer.message, form)
    return _json(
        {
            "text": to_plain(answer.message),
            "pull_requests": list(answer.pull_requests),
            "files": list(answer.files),
            "answered": answer.answered,
        }
    )


def _rendered(message: Message, form: Literal["text", "markdown"]) -> str:
    return to_markdown(message) if form == "markdown" else to_plain(message)


def _json(value: Any) -> str:  # noqa: ANN401 - anything that JSON holds
    return json.dumps(value, ensure_ascii=False, indent=2)
