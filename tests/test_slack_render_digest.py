"""Digests and answers as `--format slack` prints them: what a strict double of Slack accepts whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.analysis import rules
from bot.digest.build import Digest, build
from bot.dispatch import Answer
from bot.message import Message, Text
from bot.models import Week
from bot.printing import printed_answer, printed_digest
from bot.text import Wording
from tests.doubles.slack import live, shown, violations
from tests.factories import make_pr, make_week
from tests.slack_payloads import URL, prose, ref

HOSTILE = "<!channel> <@U012AB3CD> <https://evil.example|x> `a` *b* &lt; www.evil.example \u202eredir 修复"


def digest_of(week: Week) -> Digest:
    return build(week, rules.load(), Wording(lambda number: f"{URL}{number}"))


def messages(text: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads(text)
    return loaded


@pytest.mark.parametrize("count", [0, 1, 60, 500])
def test_a_digest_is_accepted_whole(count: int) -> None:
    changed = {f"engine/part{part}/core.py": (300, 20) for part in range(3)}
    week = make_week(*(make_pr(number, f"{HOSTILE} {number}", files=changed) for number in range(1, count + 1)))
    digest = digest_of(week)
    printed = messages(printed_digest(digest, "slack"))
    assert {tuple(one) for one in printed} == {("text", "blocks")}
    for one in printed:
        assert violations(one, total=8_000) == []
        assert {finding[: len(URL) + 5] for finding in live(one)} <= {f"link:{URL}"}
    assert printed[0]["text"] == digest.root.summary
    words = "\n".join(map(shown, printed))
    for section in digest.sections:
        assert f"{section.title}\n" in words
        assert all(span.text.strip() in words for span in section.message.spans() if "\u202e" not in span.text)


def test_an_answer_is_what_would_be_posted() -> None:
    answer = Answer(Message((Text(prose("见 ", ref(7))),)), answered=True)
    (one,) = messages(printed_answer(answer, "slack"))
    assert one["text"] == "见 #7"
    assert live(one) == [f"link:{URL}7"]
