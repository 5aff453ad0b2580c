"""Templates to spans: markup comes from templates alone."""

from datetime import date
from importlib.resources import files

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.figures import Claim, Count, Measure, Word
from bot.message import Block, Code, Context, Heading, ListBlock, Plain, PullRequestRef, Table, Text
from bot.text import Wording, clean, environment, markdown, packaged

CLAIM = Claim.about("pull_requests")


def rendered(source: str, **facts: object) -> tuple[Block, ...]:
    """Render template text given in place."""
    return Wording(lambda number: f"https://example.com/{number}", lambda _name: source).blocks("given", **facts)


def test_markup_of_the_template_becomes_spans() -> None:
    [block] = rendered("**{{ n }}** 个，`{{ path }}`，{{ 7 | ref }}", n=Count(1234, CLAIM), path=Word("a/b.py", CLAIM))
    assert block == Text(
        (
            Plain("1,234", bold=True, claim=CLAIM),
            Plain(" 个，"),
            Code("a/b.py", claim=CLAIM),
            Plain("，"),
            PullRequestRef(7, "https://example.com/7"),
        )
    )


def test_every_block_of_the_small_markdown() -> None:
    kinds = [
        type(block)
        for block in rendered(
            "## 标题\n\n段落\n\n- 一\n- 二\n\n1. 甲\n\n| a | b |\n| --- | --- |\n| c | d |\n\n> 小字\n"
        )
    ]
    assert kinds == [Heading, Text, ListBlock, ListBlock, Table, Context]


def test_values_are_shown_by_their_kind() -> None:
    [block] = rendered(
        "{{ mean }} {{ day }} {{ numbers | refs }} {{ names | words }}",
        mean=Measure(4.9, CLAIM, 2),
        day=date(2026, 4, 5),
        numbers=(1, 2),
        names=["甲", "乙"],
    )
    assert isinstance(block, Text)
    assert "".join(span.text for span in block.spans) == "4.90 04-05 #1、#2 甲、乙"


def test_a_line_end_in_a_template_is_no_space() -> None:
    [block] = rendered("上半句，\n下半句")
    assert isinstance(block, Text)
    assert "".join(span.text for span in block.spans) == "上半句，下半句"


def test_an_inline_if_that_does_not_hold_shows_nothing() -> None:
    assert rendered("甲{{ '乙' if no }}", no=False) == (Text((Plain("甲"),)),)


def test_a_missing_fact_is_an_error_not_a_blank() -> None:
    with pytest.raises(jinja2.UndefinedError):
        rendered("{{ nobody }}")


@pytest.mark.parametrize("value", [None, True, object()])
def test_what_cannot_be_shown_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        rendered("{{ value }}", value=value)


def test_filters_that_would_let_markup_through_do_not_exist() -> None:
    for source in ("{{ value | safe }}", "{{ value | join }}"):
        with pytest.raises(jinja2.TemplateAssertionError):
            rendered(source, value="**x**")


@given(st.text(min_size=1))
def test_no_value_turns_into_markup(value: str) -> None:
    source = "- **{{ v }}** `{{ v }}` {{ v }}\n\n| {{ v }} | b |\n| --- | --- |\n| {{ v }} | {{ [v, v] | words }} |\n"
    listed, table = rendered(source, v=value)
    shown = clean(value)
    assert listed == ListBlock(((Plain(shown, bold=True), Plain(" "), Code(shown), Plain(" "), Plain(shown)),))
    assert table == Table(
        ((Plain(shown),), (Plain("b"),)), (((Plain(shown),), (Plain(shown), Plain("、"), Plain(shown))),)
    )


@given(st.text())
def test_clean_text_is_one_line_without_control_characters(value: str) -> None:
    cleaned = clean(value)
    assert cleaned == clean(cleaned)
    assert not any(char in cleaned for char in "\n\r\t\x1b\u202e\u200b\ufeff\ue000")


def test_clean_keeps_every_script_and_mark() -> None:
    assert clean("修复 MLA café नमस्ते 🚀") == "修复 MLA café नमस्ते 🚀"


def test_every_template_parses_and_leaves_no_literal_asterisks() -> None:
    """Bold beside Chinese punctuation can fail to open; then the asterisks would be shown."""
    names = [
        f"{folder}/{entry.name}"
        for folder in ("digest", "replies", "replies/problem", "findings", "incomplete")
        for entry in files("templates").joinpath(folder).iterdir()
        if entry.name.endswith(".j2")
    ]
    assert names
    for name in names:
        source = packaged(name)
        assert environment(packaged).parse(source)
        literal = jinja2.Environment().lex(source)  # noqa: S701 - only to split template text from code
        shown = "".join(value if kind == "data" else "甲" for _, kind, value in literal if kind in {"data", "name"})
        for block in markdown().parse(shown):
            for child in block.children or ():
                assert child.type != "text" or "**" not in child.content, (name, child.content)
