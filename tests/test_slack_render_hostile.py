"""Whatever titles hold, and however many there are: Slack accepts every message, nothing is live, nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block as SdkBlock

from bot.message import (
    Block,
    Button,
    Buttons,
    Chart,
    Code,
    Context,
    Fields,
    Heading,
    Link,
    ListBlock,
    Message,
    Plain,
    PullRequestRef,
    Spans,
    Table,
    Text,
    spans_of,
)
from bot.platforms.slack.render import Payload, body_of, payload_of, payloads
from bot.rendering.forms import one_line
from tests.doubles.slack import live, shown, violations
from tests.slack_payloads import URL, fallback_of, prose, ref, sent

HOSTILE = (
    "<!channel> <!here|here> <!everyone> <@U012AB3CD> <#C012AB3CD|general> <!subteam^S012AB3CD>",
    "@channel @here #general <https://evil.example|#7> <mailto:dev@users.example> https://evil.example/x",
    "www.evil.example setup.py README.md dev@users.example mailto:dev@users.example tel:+123 ftp://evil.example",
    "&lt;!channel&gt; &amp;lt; &#60;!here&#62; & < >",
    "`a` ```b``` *c* _d_ ~e~ >f :bug: :tada:: • 1. g \\n",
    '[x](https://evil.example) ![y](https://evil.example/i.png) {"type":"user","user_id":"U1"}',
    "\u202egnp.exe\u2066 \u200b\u200d\ufeff\u00ad\u2028\u2029\x00\x1b[31m \ue000\ue0010\ue001 \ud800",
    "👩‍💻🏳️‍🌈👍🏽 e\u0301\u0302 العربية עברית 中文，标点。「引号」",
    "字" * 10_000,
    "👍" * 6_000,
    "https://evil.example/" + "a" * 9_000,
    "a. " * 4_000,
    "",
    " \n\t",
)
TITLES = st.one_of(
    st.sampled_from(HOSTILE), st.text(max_size=30), st.text("<>!@#|&;`*_~:/.\u202e\u200b字👍a", max_size=60)
)


def span_of(number: int, title: str) -> Spans:
    return (ref(number), Plain(f"「{title}」"), Code(title), Plain(title, bold=True))


def numbered(titles: Sequence[str]) -> Message:
    """Each title in every kind of block, and each with a number of its own."""
    items = tuple(span_of(number, title) for number, title in enumerate(titles, 1))
    first = items[:1] or ((),)
    blocks: tuple[Block, ...] = (
        Heading(prose(titles[0] if titles else "")),
        Heading(first[0], 3),
        Text(first[0]),
        ListBlock(items, ordered=True),
        ListBlock(items),
        Table((prose("标题"), prose("数")), tuple((item, prose("3")) for item in items)),
        Fields(tuple((prose(title), item) for title, item in zip(titles, items, strict=True))),
        Buttons(tuple(Button(title, title) for title in titles)),
        Context(first[0]),
        Context(prose(titles[0] if titles else "")),
    )
    return Message(blocks, titles[0] if titles else "")


def chart_of(titles: Sequence[str]) -> Message:
    values = tuple(float(place) for place in range(len(titles)))
    return Message((Chart(titles[0] if titles else "", "bar", tuple(titles), (("数", values), ("其中修复", values))),))


def visible(text: str) -> str:
    return "".join(one_line(text).split())


def expected_words(message: Message) -> str:
    """Where a table is told, the names of its other columns stand in the rows."""
    blocks = (replace(one, header=one.header[:1]) if isinstance(one, Table) else one for one in message.blocks)
    return "".join(visible(span.text) for block in blocks for span in spans_of(block))


def is_within(words: str, text: str) -> bool:
    """Whether every character of `words` is in `text` in this order; the rest of it are marks and repeated headers."""
    rest = iter(text)
    return all(char in rest for char in words)


def addresses(message: Message) -> list[str]:
    return [span.url for block in message.blocks for span in spans_of(block) if isinstance(span, PullRequestRef)]


def linked(payload: dict[str, object]) -> Iterator[str]:
    return (finding.removeprefix("link:") for finding in live(payload))


def check(message: Message) -> tuple[Payload, ...]:
    """Every promise that holds for any message; returns its payloads."""
    parts = payloads(message)
    for payload in (form(part) for part in parts for form in (sent, fallback_of)):
        assert violations(payload, total=8_000) == []
        assert len(payload["blocks"]) <= 45
        assert 0 < len(payload["text"].encode("utf-16-le")) <= 2 * 300
        assert live({"text": payload["text"]}) == []
    for part in parts:
        known = [block for block in part.blocks if block["type"] != "data_visualization"]
        assert [block.to_dict() for block in SdkBlock.parse_all(known)] == known
        assert tuple(dict.fromkeys(linked(sent(part)))) == part.cites
        assert payload_of(body_of(part)) == part
        json.dumps(part.blocks).encode()
    for form in (sent, fallback_of):
        found = [url for part in parts for url in linked(form(part))]
        assert without_repeats(found) == without_repeats(addresses(message))
        text = "".join(visible(shown(form(part))) for part in parts)
        assert is_within(expected_words(message), text)
    return parts


def without_repeats(urls: list[str]) -> list[str]:
    """A link that is cut in two is the same link twice."""
    return urls[:1] + [after for before, after in pairwise(urls) if before != after]


@settings(deadline=None, max_examples=25)
@given(st.lists(TITLES, max_size=6))
@example(list(HOSTILE))
def test_hostile_titles(titles: list[str]) -> None:
    check(numbered(titles))


@pytest.mark.parametrize("title", HOSTILE)
def test_each_hostile_title(title: str) -> None:
    check(numbered([title]))


@settings(deadline=None, max_examples=40)
@given(st.lists(TITLES, max_size=22))
@example(["a", "a"])
@example(["字" * 21, "字" * 22, "字" * 23])
def test_hostile_charts(titles: list[str]) -> None:
    message = chart_of(titles)
    parts = check(message)
    for form in (sent, fallback_of):
        text = "".join(visible(shown(form(part))) for part in parts).replace("…", "")
        for title in titles:
            assert visible(title).replace("…", "") in text


@pytest.mark.parametrize("count", [0, 1, 60, 500])
def test_any_number_of_items(count: int) -> None:
    titles = [f"{HOSTILE[number % 6]} {number}" for number in range(count)]
    items = tuple((ref(number), Plain(f"「{title}」")) for number, title in enumerate(titles, 1))
    table = Table((prose("标题"), prose("数")), tuple((item, prose("3")) for item in items))
    message = Message((Heading(prose("本周")), ListBlock(items), ListBlock(items, ordered=True), table))
    parts = check(message)
    cited = [url for part in parts for url in part.cites]
    assert set(cited) == {f"{URL}{number}" for number in range(1, count + 1)}


@settings(deadline=None, max_examples=40)
@given(TITLES, TITLES)
def test_foreign_addresses(text: str, url: str) -> None:
    """A link is our own; where its address is none it is written out."""
    for one in (url, f"https://example.com/{url}"):
        for part in payloads(Message((Text((Link(text, one), PullRequestRef(1, one))),), text)):
            assert violations(sent(part), total=8_000) == []
            assert set(linked(sent(part))) <= {one}
