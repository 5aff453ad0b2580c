"""Who is answered: a table of what people say in a digest's thread, and the rules around it."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversing.manners import Manner, Setting, manner
from bot.conversing.references import references, repositories_named, with_bare_numbers
from bot.ports import Incoming
from tests.utterances import ANSWERED, SILENT

REPOSITORIES = ("acme/engine", "acme/web-ui")
CATEGORIES = ("核心路径变更", "缺少测试覆盖", "外部依赖", "平台兼容性", "配置变更", "新模型集成")
IN_DIGEST = Setting(in_digest=True, categories=CATEGORIES, repositories=REPOSITORIES)
LINK = "https://github.example/acme/engine/pull/39205"


def said(text: str, **changes: Any) -> Incoming:
    defaults: dict[str, Any] = {"thread": "1.1", "message": "2.2", "addressed": False}
    return Incoming("slack", "C1", "U1", text, **(defaults | changes))


def test_the_table_is_large() -> None:
    assert len(ANSWERED) > 100
    assert len(SILENT) > 100
    assert not set(ANSWERED) & set(SILENT)


@pytest.mark.parametrize("text", ANSWERED)
def test_what_asks_the_digest_is_answered(text: str) -> None:
    assert manner(said(text), IN_DIGEST) is Manner.ANSWER


@pytest.mark.parametrize("text", SILENT)
def test_what_asks_nothing_or_asks_people_is_not_answered(text: str) -> None:
    assert manner(said(text), IN_DIGEST) is Manner.SILENCE


@pytest.mark.parametrize("text", ANSWERED)
def test_nothing_is_answered_where_it_was_not_meant_for_the_bot(text: str) -> None:
    elsewhere = Setting(in_digest=False, categories=CATEGORIES, repositories=REPOSITORIES)
    mentions = Setting(in_digest=True, listen="mention", categories=CATEGORIES, repositories=REPOSITORIES)
    assert manner(said(text), elsewhere) is Manner.SILENCE
    assert manner(said(text), mentions) is Manner.SILENCE
    assert manner(said(text, to_others=True), IN_DIGEST) is Manner.SILENCE
    assert manner(said(f"@张三 {text}"), IN_DIGEST) is Manner.SILENCE
    assert manner(said(f"@alice {text}"), IN_DIGEST) is Manner.SILENCE


@pytest.mark.parametrize("text", ANSWERED)
@pytest.mark.parametrize("in_digest", [True, False])
def test_what_is_addressed_is_answered_anywhere(text: str, in_digest: bool) -> None:
    setting = Setting(in_digest=in_digest, listen="mention", categories=CATEGORIES, repositories=REPOSITORIES)
    assert manner(said(text, addressed=True), setting) is Manner.ANSWER


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("", Manner.GREET),
        (" ", Manner.GREET),
        ("？", Manner.GREET),
        ("你好", Manner.GREET),
        ("hello!", Manner.GREET),
        ("在吗？", Manner.GREET),
        ("你好，谢谢", Manner.GREET),
        ("谢谢", Manner.SILENCE),
        ("收到！", Manner.SILENCE),
        ("好的，谢谢大家", Manner.SILENCE),
        ("👍", Manner.SILENCE),
        (":+1:", Manner.SILENCE),
        ("thanks a lot", Manner.SILENCE),
        ("这个改动有风险吗", Manner.ANSWER),
        ("我们要升级吗", Manner.ANSWER),
        ("谢谢，那 #12 呢", Manner.ANSWER),
        ("好的" * 500, Manner.ANSWER),
    ],
)
def test_what_is_due_to_whoever_addresses_the_bot(text: str, due: Manner) -> None:
    assert manner(said(text, addressed=True), IN_DIGEST) is due


@pytest.mark.parametrize("text", ["谢谢", "", "👍", "ok"])
def test_a_slash_command_and_a_button_are_always_answered(text: str) -> None:
    assert manner(said(text, addressed=True, private=True, message=None), IN_DIGEST) is Manner.ANSWER
    assert manner(said(text, addressed=True, private=True), IN_DIGEST) is Manner.ANSWER


def test_the_name_of_the_command_and_of_a_risk_are_the_configured_ones() -> None:
    setting = Setting(in_digest=True, command="/周报", categories=("接口稳定性",))
    assert manner(said("/周报 top"), setting) is Manner.ANSWER
    assert manner(said("接口稳定性方面呢"), setting) is Manner.ANSWER
    assert manner(said("风险 接口稳定性"), setting) is Manner.ANSWER
    assert manner(said("风险 接口稳定性"), IN_DIGEST) is Manner.SILENCE


@given(st.text(max_size=400), st.booleans(), st.booleans())
def test_any_text_is_judged_and_only_addressed_ones_are_greeted(text: str, addressed: bool, in_digest: bool) -> None:
    setting = Setting(in_digest=in_digest, categories=CATEGORIES, repositories=REPOSITORIES)
    found = manner(said(text, addressed=addressed), setting)
    assert addressed or found is not Manner.GREET
    assert addressed or in_digest or found is Manner.SILENCE


@given(st.text(alphabet="谁哪什么风险#1 ?？PR改了@a:，,/.", max_size=2000))
def test_texts_of_telling_words_are_judged(text: str) -> None:
    assert manner(said(text), IN_DIGEST) in {Manner.ANSWER, Manner.SILENCE}
    assert manner(said(f"@a {text}"), IN_DIGEST) is Manner.SILENCE


@pytest.mark.parametrize(
    "text", ["a" * 40_000, "a/" * 20_000, "#" * 40_000, "a.b#" * 10_000, "1 " * 20_000, "谁" * 40_000, ":a" * 20_000]
)
def test_a_text_as_long_as_a_platform_allows_is_judged_at_once(text: str) -> None:
    begun = perf_counter()
    for addressed in (True, False):
        manner(said(text, addressed=addressed), IN_DIGEST)
    references(text, REPOSITORIES)
    with_bare_numbers(text, REPOSITORIES)
    repositories_named(text, REPOSITORIES)
    assert perf_counter() - begun < 2
