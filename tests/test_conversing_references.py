"""The pull requests and repositories that a text names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversing.references import (
    Reference,
    known_as,
    references,
    repositories_named,
    with_bare_numbers,
    without_references,
)

NAMES = ("acme/engine", "acme/web-ui", "other/web-ui")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#12", [(12, None)]),
        ("＃１２ 呢", [(12, None)]),
        ("#12的背景", [(12, None)]),
        ("PR 12 和 pr13、PR#14", [(12, None), (13, None), (14, None)]),
        ("PR：12", [(12, None)]),
        ("pull request 12", [(12, None)]),
        ("合并请求 12", [(12, None)]),
        ("12 号 PR", [(12, None)]),
        ("acme/engine#12", [(12, "acme/engine")]),
        ("engine#12", [(12, "engine")]),
        ("看 https://github.example/acme/engine/pull/12/files#r1 的改动", [(12, "acme/engine")]),
        ("看https://github.example:8443/acme/engine/pull/12。", [(12, "acme/engine")]),
        ("#12 #12", [(12, None)]),
        ("C#8", []),
        ("nobody/knows#8", [(8, "nobody/knows")]),
        ("issue #12、工单 #13", []),
        ("#0", []),
        ("#99999999999999999999", []),
        ("#12abc", []),
        ("v1.12 2026-03-02 12", []),
        ("&#12;", []),
        ("", []),
    ],
)
def test_references(text: str, found: list[tuple[int, str | None]]) -> None:
    assert [(one.number, one.repository) for one in references(text, NAMES)] == found


def test_only_an_address_is_a_link() -> None:
    assert references("https://github.example/acme/engine/pull/12") == (Reference(12, "acme/engine", by_link=True),)
    assert references("acme/engine#12") == (Reference(12, "acme/engine"),)


def test_what_is_said_beside_them() -> None:
    assert without_references("请看 #12 和 https://news.example/post 的 PR 13 吧") == "请看 和 的 吧"
    assert without_references("C#8 和 engine#8", NAMES) == "C#8 和"


def test_a_question_without_its_repositories() -> None:
    asked = "acme/engine 里 engine#12 和 https://github.example/acme/engine/pull/13 谁写的 repo=web-ui"
    assert with_bare_numbers(asked, NAMES) == "里 #12 和 #13 谁写的"
    assert with_bare_numbers("acme/engine/core.py 谁改的", NAMES) == "acme/engine/core.py 谁改的"


def test_repositories_are_named_in_full_by_option_and_with_a_number() -> None:
    assert repositories_named("ACME/Engine 怎么样", NAMES) == ("acme/engine",)
    assert repositories_named("engine#1 和 acme/engine#2", NAMES) == ("acme/engine",)
    assert repositories_named("#1 repo=engine", NAMES) == ("acme/engine",)
    assert repositories_named("#1 仓库：engine", NAMES) == ("acme/engine",)
    assert repositories_named("#1 repo=nothing", NAMES) == ("nothing",)
    assert repositories_named("engine 怎么样", NAMES) == ()
    assert repositories_named("acme/engine-two 怎么样", NAMES) == ()


def test_a_short_name_that_two_have_means_neither() -> None:
    assert known_as("web-ui", NAMES) is None
    assert known_as("ACME/web-UI", NAMES) == "acme/web-ui"


@given(st.text(max_size=200), st.integers(1, 2**31 - 1))
def test_a_number_after_any_text_is_found_and_taken_out(text: str, number: int) -> None:
    said = f"{text} 、acme/engine#{number} 、"
    assert Reference(number, "acme/engine") in references(said, NAMES)
    assert f"#{number}" in with_bare_numbers(said, NAMES)
    assert "acme/engine#" not in with_bare_numbers(said, NAMES)
    assert Reference(number, "acme/engine") not in references(without_references(said, NAMES), NAMES)
