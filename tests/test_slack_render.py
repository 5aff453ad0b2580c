"""A message as Slack takes it: what each block becomes, and that a strict double of Slack and Slack's SDK accept it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from slack_sdk.models.blocks import Block as SdkBlock

from bot.message import (
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
    Table,
    Text,
)
from bot.platforms.slack.render import body_of, payload_of, payloads
from tests.doubles.slack import live, shown, violations
from tests.slack_payloads import URL, fallback_of, kinds, only, prose, ref, sent

GOLDEN = Path(__file__).parent / "golden" / "slack.json"
PATHS = (
    "engine/layers/linear/__init__.py",
    "engine/layers/rotary/linear/__init__.py",
    "engine/worker/model_runner.py",
    "setup.py",
)


EXAMPLE = Message(
    (
        Heading(prose("引擎周报 ", Plain("03-02～03-08", bold=True)), 1),
        Heading(prose("见 ", ref(7))),
        Text(prose(Plain("修掉了。", bold=True), "后来 ", ref(7), " 改了 ", Code("a|b"), " <!channel> *x* & :bug:")),
        ListBlock((prose("挂起 ", ref(8, bold=True)), (), prose(Link("讨论", "https://example.com/a?b=1&c=(2)")))),
        ListBlock((prose("先升级"), prose("再看")), ordered=True),
        Heading(prose("模块"), 3),
        Table((prose("模块"), prose("本周"), prose("例")), ((prose(Code("core|x")), prose("12"), prose(ref(9))), ())),
        Fields(((prose("作者"), prose("@dev")), (prose("重要性"), prose("6.0")))),
        Chart("每周合入", "line", ("02-23", "03-02"), (("PR", (198.0, 99.5)), ("修复", (61.0, 30.0)))),
        Chart("热点文件", "bar", PATHS, (("PR 数", (9.0, 5.0, 4.0, 1.0)),)),
        Buttons((Button("风险", "risks"), Button("热点", "hot"))),
        Context(prose("核对了 212 个数字，其余见 ", Code("top all"))),
        Context(prose("未取得评审")),
    ),
    summary="引擎周报：合入 12 个 <PR> & 修复 3 个",
)


def test_golden(request: pytest.FixtureRequest) -> None:
    """What Slack is sent. `make golden` writes the file anew; read the difference before you commit it."""
    text = json.dumps([json.loads(body_of(one)) for one in payloads(EXAMPLE)], ensure_ascii=False, indent=1) + "\n"
    if request.config.getoption("--golden"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_the_double_and_the_sdk_accept_every_kind_of_block() -> None:
    for payload in payloads(EXAMPLE):
        assert violations(sent(payload)) == []
        assert violations(fallback_of(payload), charts=False) == []
        known = [
            block for block in payload.blocks if block["type"] != "data_visualization"
        ]  # the SDK has no such class
        assert [block.to_dict() for block in SdkBlock.parse_all(known)] == known


def test_only_our_own_links_are_live() -> None:
    found = [finding for payload in payloads(EXAMPLE) for finding in live(sent(payload))]
    assert found == [
        f"link:{URL}7",
        f"link:{URL}7",
        f"link:{URL}8",
        "link:https://example.com/a?b=1&c=(2)",
        f"link:{URL}9",
    ]


def test_pull_requests_are_cited_once_in_order() -> None:
    cited = only(Message((Text(prose(ref(2), "、", ref(1), "、", ref(2), Link("x", "https://example.com"))),)))
    assert cited.cites == (f"{URL}2", f"{URL}1")


def test_a_message_without_content_is_no_payload() -> None:
    empty = (Text(()), Heading(prose("")), Context(prose(" \u200b")), ListBlock(((),)), Table(((),), ((),)), Fields(()))
    assert payloads(Message((*empty, Buttons(())), summary="无")) == ()


def test_headings_are_headers_where_slack_has_them() -> None:
    headings = (
        Heading(prose("一"), 1),
        Heading(prose("二"), 2),
        Heading(prose("三"), 3),
        Heading(prose("字" * 151), 2),
        Heading(prose("见 ", ref(1)), 2),
    )
    payload = only(Message(headings))
    assert kinds(payload) == ["header", "header", "rich_text", "rich_text", "rich_text"]
    assert payload.blocks[0]["text"] == {"type": "plain_text", "text": "一", "emoji": False}
    for block in payload.blocks[2:]:
        (section,) = block["elements"]
        assert all(element["style"] == {"bold": True} for element in section["elements"])


def test_small_print_is_small_unless_it_has_links() -> None:
    payload = only(Message((Context(prose("来自 git 克隆")), Context(prose("见 ", ref(1))))))
    assert kinds(payload) == ["context", "rich_text"]
    assert payload.blocks[1]["elements"][0]["type"] == "rich_text_quote"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "https://",
        "https://example.com/a b",
        "https://example.com/x|y>z",
        "https://e.com/" + "x" * 3000,
    ],
)
def test_an_address_that_slack_would_refuse_is_written_out(url: str) -> None:
    payload = only(Message((Text(prose(Link("这里", url), PullRequestRef(5, url))),)))
    assert live(sent(payload)) == []
    assert payload.cites == ()
    assert shown(sent(payload)) == f"这里 ({url})#5"


def test_numbers_of_a_list_go_on_in_the_next_message() -> None:
    items = tuple(prose(f"第 {place} 项", "字" * 400) for place in range(1, 51))
    parts = payloads(Message((ListBlock(items, ordered=True),)))
    assert len(parts) > 1
    count = 0
    for part in parts:
        (block,) = part.blocks
        (listing,) = block["elements"]
        assert listing.get("offset", 0) == count
        assert shown(sent(part)).startswith(f"第 {count + 1} 项")
        count += len(listing["elements"])
    assert count == 50


def test_an_empty_item_keeps_the_numbers_of_those_after_it() -> None:
    payload = only(Message((ListBlock((prose("一"), (), prose("三")), ordered=True),)))
    assert shown(sent(payload)).splitlines() == ["一", "–", "三"]


def test_a_message_is_split_at_its_headings() -> None:
    def part(name: str, length: int) -> tuple[Heading | Text, ...]:
        return Heading(prose(name)), Text(prose("字" * length))

    parts = payloads(Message((*part("甲", 4000), *part("乙", 3000), *part("丙", 3000), *part("丁", 100))))
    assert [shown(sent(one))[:1] for one in parts] == ["甲", "丙"]


def test_a_message_has_45_blocks_at_most() -> None:
    parts = payloads(Message(tuple(Text(prose(f"{place}")) for place in range(100))))
    assert [len(part.blocks) for part in parts] == [45, 45, 10]


def test_a_heading_stays_with_what_it_is_above_and_buttons_with_what_they_are_below() -> None:
    text = Text(prose("字" * 3900))
    buttons = Buttons((Button("有误", "wrong 1"),))
    parts = payloads(Message((text, text, Heading(prose("甲")), Heading(prose("乙"), 3), text, buttons)))
    assert [kinds(one) for one in parts] == [
        ["rich_text", "rich_text"],
        ["header", "rich_text", "rich_text", "actions"],
    ]


def test_a_long_paragraph_is_cut_at_a_sentence_and_marked() -> None:
    sentence = "这一句话有十五个字，不多不少。"
    parts = payloads(Message((Text(prose(sentence * 900)),)))
    texts = [text for part in parts for text in shown(sent(part)).splitlines()]
    assert all(text.endswith("。…") for text in texts[:-1])
    assert all(text.startswith("…这") for text in texts[1:])
    assert "".join(texts).replace("…", "") == sentence * 900


def test_buttons_say_their_commands_and_have_ids_of_their_own() -> None:
    many = tuple(Button(f"键 {place}", f"pr {place}") for place in range(60))
    payload = only(Message((Text(prose("按")), Buttons(many))))
    buttons = [button for block in payload.blocks if block["type"] == "actions" for button in block["elements"]]
    assert [button["value"] for button in buttons] == [button.command for button in many]
    assert len({button["action_id"] for button in buttons}) == 60
    assert violations(sent(payload)) == []


def test_a_button_that_slack_would_refuse_is_told() -> None:
    payload = only(Message((Buttons((Button("好", "ok"), Button("长" * 76, "long"), Button("空", ""))),)))
    assert kinds(payload) == ["actions", "rich_text", "rich_text"]
    assert "长 long" in shown(sent(payload))


def test_the_notification_is_the_summary_or_the_first_words() -> None:
    text = Text(prose("合入 12 个，见 ", ref(7)))
    assert only(Message((text,), summary="一句话")).text == "一句话"
    assert only(Message((Heading(prose("周报")), text))).text == "周报 合入 12 个，见 #7"
    assert only(Message((Buttons((Button("风险", "risks"),)),))).text == "风险"
    first, second = payloads(Message((Text(prose("甲" * 5000)), Text(prose("乙" * 5000))), summary="一句话"))
    assert (first.text, second.text) == ("一句话", "乙" * 299 + "…")


@pytest.mark.parametrize(
    "summary",
    [
        "<!channel> <@U123> <https://example.com|x> & &lt;",
        "https://example.com www.example.com setup.py dev@users.example mailto:dev@users.example",
        "&" * 400,
        "字" * 299 + "&",
        "👍" * 200,
    ],
)
def test_nothing_in_the_notification_is_live(summary: str) -> None:
    text = only(Message((Text(prose("x")),), summary=summary)).text
    assert live({"text": text}) == []
    assert len(text.encode("utf-16-le")) <= 2 * 300
    read = unescape(text).replace("\u200b", "")
    assert read == summary or (read.endswith("…") and summary.startswith(read[:-1]))


def test_a_payload_is_the_same_after_the_ledger() -> None:
    for payload in payloads(EXAMPLE):
        assert payload_of(body_of(payload)) == payload
        assert payload_of(body_of(replace(payload, fallback=None))).fallback is None


def test_rendering_needs_no_sdk() -> None:
    code = "import sys, bot.platforms.slack.render; sys.exit(any(name.startswith('slack_') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True)
