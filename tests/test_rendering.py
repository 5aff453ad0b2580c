"""A message as text for a terminal and as Markdown: the same facts, and nothing foreign does anything."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from wcwidth import wcswidth

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
    Span,
    Spans,
    Table,
    Text,
)
from bot.rendering.markdown import to_markdown
from bot.rendering.plain import to_plain

URL = "https://github.com/acme/engine/pull/7"
ZERO_WIDTH_SPACE = "\u200b"
HOSTILE = [
    "<!channel> <at id=all></at> **x** | [a](javascript:b) <script>alert(1)</script>",
    "@someone #123 GH-12 acme/engine#5 dev@users.example https://example.com www.example.com :bug: `c`",
    "\x1b[31mred\x1b]8;;https://example.com\x07\x9b2J\u202egnp.exe\u2066",
    "a\nb\r\n\n# c\n- d\n```\ne\n```\u2028f\tg\x0b\x00",
    "**修掉了。** __粗__ ~~删~~ *斜* _斜_ ![i](https://example.com/i.png) [r]: https://example.com",
    "&lt;b&gt; &#64;dev &amp &copy; <!-- x --> <https://example.com> $x$ [^1] [ ] [!NOTE]",
    "``` a ` b `` c",
    "a\\|b\\\\|c\\",
    "--- *** ___ === | --- | :-: |",
    "👩‍💻 é e\u0301 中文，标点。「引号」 العربية",
]
STARTS = ["- a", "+ a", "* a", "1. a", "12) a", "# a", "> a", "    a", "---", "===", "~~~", "```", "| a |", "!", "1."]


def prose(*parts: str | Span) -> Spans:
    return tuple(Plain(part) if isinstance(part, str) else part for part in parts)


def shown(text: str) -> str:
    """What a reader sees of a text: no white space, nothing invisible."""
    return "".join(char for char in text if not char.isspace() and unicodedata.category(char) not in {"Cc", "Cf", "Cs"})


Styled = list[tuple[str, bool, bool, str]]
"""Each visible character with: bold, code, address."""


def styled(text: str, *, bold: bool = False, code: bool = False, url: str = "") -> Styled:
    return [(char, bold, code, url) for char in shown(text)]


def styled_spans(spans: Sequence[Span], *, bold: bool = False) -> Styled:
    result: Styled = []
    for span in spans:
        match span:
            case Plain(text=text):
                result += styled(text, bold=bold or span.bold)
            case Code(text=text):
                result += styled(text, code=True)
            case Link(text=text, url=url) | PullRequestRef(text=text, url=url):
                result += styled(text, bold=bold or span.bold, url=unquote(url))
    return result


def expected_lines(block: Block) -> list[Styled]:
    match block:
        case Heading(spans=spans) | Text(spans=spans) | Context(spans=spans):
            return [styled_spans(spans)]
        case ListBlock(items=items):
            return [styled_spans(item) for item in items]
        case Table(header=header, rows=rows):
            return [styled_spans(cell) for row in (header, *rows) for cell in row]
        case Fields(pairs=pairs):
            return [styled_spans(label, bold=True) + styled(":") + styled_spans(value) for label, value in pairs]
        case Chart(title=title, labels=labels, series=series):
            cells = [name for name, _ in series]
            for place, label in enumerate(labels):
                cells += [label, *(str(values[place]).removesuffix(".0") for _, values in series)]
            return [styled(title, bold=True), *map(styled, cells)]
        case Buttons(buttons=buttons):
            line: Styled = []
            for place, button in enumerate(buttons):
                line += styled("·" * bool(place)) + styled(button.label) + styled(":")
                line += styled(button.command, code=True)
            return [line]


def tokens_of(markdown: str) -> list[Token]:
    parser = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable(["table", "strikethrough"])
    return parser.parse(markdown)


def inline_lines(markdown: str) -> Iterator[Styled]:
    for token in tokens_of(markdown):
        if token.type == "inline":
            yield list(_inline(token.children or []))


def _inline(children: Sequence[Token]) -> Iterator[tuple[str, bool, bool, str]]:
    bold, url = False, ""
    for child in children:
        match child.type:
            case "text":
                yield from styled(child.content, bold=bold, url=url)
            case "code_inline":
                yield from styled(child.content, code=True)
            case "strong_open" | "strong_close":
                bold = child.type == "strong_open"
            case "link_open" | "link_close":
                url = unquote(str(child.attrs.get("href", "")))
            case _:
                pytest.fail(f"the text became {child.type}")


def non_empty(lines: Iterator[Styled] | list[Styled]) -> list[Styled]:
    return [line for line in lines if line]


EXAMPLE = Message(
    (
        Heading(prose("引擎周报 ", Plain("03-02～03-08", bold=True)), 1),
        Heading(prose("执行摘要")),
        Text(prose(Plain("修掉了。", bold=True), "后来 ", PullRequestRef(7, URL), " 改了 ", Code("a|b"))),
        ListBlock(
            (prose("挂起 ", PullRequestRef(7, URL, bold=True)), prose(Link("讨论", "https://example.com/a?b=1&c=(2)")))
        ),
        ListBlock((prose("先升级"), prose("再看")), ordered=True),
        Table((prose("模块"), prose("本周")), ((prose(Code("core|x")), prose("12")), (prose("线性层"), prose("6")))),
        Chart("每周合入", "bar", ("02-23", "03-02"), (("PR", (198.0, 99.0)),)),
        Chart("趋势", "line", ("02-23", "03-02"), (("PR", (198.0, 99.0)), ("平均重要性", (4.89, 5.0)))),
        Fields(((prose("作者"), prose("@dev")), (prose("重要性"), prose("6.0")))),
        Buttons((Button("风险", "/digest risks"), Button("热点", "/digest hot"))),
        Context(prose("核对了 212 个数字")),
    ),
    summary="合入 12 个",
)

EXAMPLE_PLAIN = """\
引擎周报 03-02～03-08
=====================

执行摘要
--------

修掉了。后来 #7 改了 a|b

- 挂起 #7
- 讨论 (https://example.com/a?b=1&c=(2))

1. 先升级
2. 再看

模块    本周
------  ----
core|x  12
线性层  6

每周合入
       PR
-----  ---  ------------------------
02-23  198  ████████████████████████
03-02  99   ████████████

趋势
       PR   平均重要性
-----  ---  ----------
02-23  198  4.89
03-02  99   5

作者: @dev
重要性: 6.0

[风险] /digest risks   [热点] /digest hot

核对了 212 个数字"""

EXAMPLE_MARKDOWN = r"""
# 引擎周报 **03-02～03-08**

## 执行摘要

**修掉了。·**后来 [#7](https://github.com/acme/engine/pull/7) 改了 `a|b`

- 挂起 **·[#7](https://github.com/acme/engine/pull/7)·**
- [讨论](https://example.com/a?b=1&amp;c=%282%29)

1. 先升级
2. 再看

| 模块 | 本周 |
| --- | --- |
| `core\|x` | 12 |
| 线性层 | 6 |

**每周合入**

|  | PR |
| --- | --- |
| 02-23 | 198 |
| 03-02 | 99 |

**趋势**

|  | PR | 平均重要性 |
| --- | --- | --- |
| 02-23 | 198 | 4.89 |
| 03-02 | 99 | 5 |

- **作者**: @·dev
- **重要性**: 6.0

风险: `/digest risks` · 热点: `/digest hot`

> 核对了 212 个数字
""".strip()


def test_plain_text_of_every_kind_of_block() -> None:
    assert to_plain(EXAMPLE) == EXAMPLE_PLAIN


def test_markdown_of_every_kind_of_block() -> None:
    assert to_markdown(EXAMPLE).replace(ZERO_WIDTH_SPACE, "·") == EXAMPLE_MARKDOWN


def test_both_forms_carry_the_same_facts_in_the_same_order() -> None:
    facts = [span.text for span in EXAMPLE.spans()]
    markdown = "".join(char for line in inline_lines(to_markdown(EXAMPLE)) for char, *_ in line)
    for text in (shown(to_plain(EXAMPLE)), markdown):
        position = 0
        for fact in facts:
            position = text.index(shown(fact), position) + len(shown(fact))
        for figure in ("198", "99", "4.89", "每周合入", "平均重要性", "/digestrisks", "热点"):
            assert figure in text


@pytest.mark.parametrize("render", [to_plain, to_markdown])
def test_an_empty_message_is_an_empty_text(render: object) -> None:
    assert callable(render)
    empty = (
        Text(()),
        Heading(prose("")),
        Context(prose(" \u200b")),
        ListBlock(()),
        Table((), ()),
        Fields(()),
        Buttons(()),
    )
    assert render(Message((), summary="只在通知里")) == ""
    assert render(Message(empty)) == ""
    assert render(Message((*empty, Text(prose("有")), *empty))) == "有"


def test_columns_line_up_where_chinese_is_two_columns_wide() -> None:
    rows = tuple((prose(text), prose("|")) for text in ("a", "中文", "é", "e\u0301x", "👍", "ﾊﾝｶｸ", "\u200b零宽"))
    lines = to_plain(Message((Table((prose("名"), prose("|")), rows),))).splitlines()
    del lines[1]
    assert {wcswidth(line) for line in lines} == {7}


def test_a_short_or_long_row_loses_nothing() -> None:
    message = Message((Table((prose("甲"),), ((), (prose("乙"), prose("丙")))),))
    assert to_plain(message) == "甲\n--  --\n\n乙  丙"
    assert [line for line in inline_lines(to_markdown(message)) if line] == [styled("甲"), styled("乙"), styled("丙")]


def test_bars_are_in_proportion_and_never_nothing_for_something() -> None:
    chart = Chart("", "bar", ("a", "b", "c", "d", "e"), (("n", (2400.0, 1200.0, 1.0, 0.0, -5.0)),))
    bars = [line.count("█") for line in to_plain(Message((chart,))).splitlines()[2:]]
    assert bars == [24, 12, 1, 0, 0]


def test_a_series_of_another_length_than_the_labels_loses_nothing() -> None:
    chart = Chart("图", "bar", ("a",), (("n", (1.0, 2.5)),))
    for text in (to_plain(Message((chart,))), to_markdown(Message((chart,)))):
        assert "2.5" in text
    nothing = Chart("图", "bar", (), (("n", ()),))
    assert "n" in to_plain(Message((nothing,)))


def every_block_with(text: str) -> Message:
    spans: Spans = (Plain(text), Code(text), Link(text, text + "x"))
    cells = (spans, spans)
    chart = Chart(text, "bar", (text,), ((text, (1.0,)),))
    blocks = (Heading(spans), Text(spans), ListBlock(cells), Table(cells, (cells,)), Fields((cells,)), Context(spans))
    return Message((*blocks, chart, Buttons((Button(text, text),))))


@pytest.mark.parametrize("text", [*HOSTILE, *STARTS])
def test_nothing_foreign_reaches_the_terminal_as_control(text: str) -> None:
    plain = to_plain(every_block_with(text))
    categories = {unicodedata.category(char) for char in plain.replace("\n", "")}
    assert not categories & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert plain.count("\n") == to_plain(every_block_with("x")).count("\n")
    plain.encode()


@pytest.mark.parametrize("text", HOSTILE[:2])
def test_github_finds_nothing_to_link_later(text: str) -> None:
    markdown = to_markdown(Message((Text(prose(text[:40], text[40:])),)))
    assert "@someone" not in markdown
    assert "#123" not in markdown
    assert "#5" not in markdown
    assert "GH-12" not in markdown
    assert "@users" not in markdown
    assert "://" not in markdown
    assert "www." not in markdown
    assert ":bug:" not in markdown
    assert "<" not in markdown.replace("\\<", "")


def test_a_mention_split_over_two_spans_is_still_no_mention() -> None:
    markdown = to_markdown(Message((Text(prose("@", "dev", " &", "lt; ", "#", "123", " http", "://x")),)))
    assert markdown.replace(ZERO_WIDTH_SPACE, "·") == r"@·dev \&lt; \#·123 http:·//x"


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "", "ftp://example.com", " https://x"])
def test_an_address_of_another_kind_is_written_out_not_linked(url: str) -> None:
    message = Message((Text((Link("点", url), PullRequestRef(7, url))),))
    assert list(inline_lines(to_markdown(message))) == [styled(f"点({url})#7")]


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/a b",
        "https://example.com/(a)|b<c>\"d'`e\\f[g]*h*_i_",
        "https://example.com/?a=1&lt;=2&copy=3#x",
        "https://example.com/中文%2Fd%zz",
        "HTTPS://example.com/\n\x1b\ud800x",
    ],
)
def test_an_address_stays_one_address(url: str) -> None:
    for block in (Text((Link("点", url),)), Table((prose("名"), (Link("点", url),)), ())):
        links = [
            child
            for token in tokens_of(to_markdown(Message((block,))))
            for child in token.children or []
            if child.type == "link_open"
        ]
        assert len(links) == 1
        href = str(links[0].attrs["href"])
        assert href.isascii()
        assert href.lower().startswith("https://example.com/")
        assert not set(href) & set('()|<>"`\\ ')
    assert "&" not in url or href == url


def test_the_source_holds_addresses_encoded_and_bold_without_spaces_at_its_ends() -> None:
    spans = prose("a", Plain(" 粗 ", bold=True), "b", Link("点", "https://example.com/%zz?a=1&b=%2F"))
    expected = "a **粗** b[点](https://example.com/%25zz?a=1&amp;b=%2F)"
    assert to_markdown(Message((Text(spans),))) == expected


def test_lists_one_after_another_stay_apart() -> None:
    lists = (ListBlock((prose("a"),)), ListBlock((prose("b"),)), Fields(((prose("c"), prose("d")),)))
    ordered = (ListBlock((prose("a"),), ordered=True), ListBlock((prose("b"),), ordered=True))
    kinds = [token.type for token in tokens_of(to_markdown(Message((*lists, *ordered))))]
    assert kinds.count("bullet_list_open") == 3
    assert kinds.count("ordered_list_open") == 2


NEIGHBOURS = ["后", "a", "1", " ", "。", "「", "(", "*", "**", "_", "`", "!", "\\", "-", "é", "👍", ""]
CORES = ["修掉了。", "「引」", "x", "(y)", "**", "*", "`", " 空 ", "!", "_", "\\", "#1", "@dev", "👍", "1.", "…"]


@pytest.mark.parametrize("core", CORES)
def test_bold_holds_beside_anything(core: str) -> None:
    for before in NEIGHBOURS:
        for after in NEIGHBOURS:
            spans = (Plain(before), Plain(core, bold=True), Plain(after), Plain(core, bold=True), Code(core))
            assert list(inline_lines(to_markdown(Message((Text(spans),))))) == [styled_spans(spans)]


_TEXTS = st.one_of(
    st.sampled_from([*HOSTILE, *STARTS]),
    st.text(max_size=12),
    st.text(st.characters(), max_size=6),
    st.text(st.sampled_from("`*_~[]()<>!\\|#-+.:@&;$1a中。 \n\u200b"), max_size=12),
)
_URLS = st.sampled_from([URL, "https://example.com/a_b(c)?d=1&e=2", "http://example.com/*"])
_SPANS: st.SearchStrategy[Spans] = st.lists(
    st.one_of(
        st.builds(Plain, _TEXTS, st.booleans()),
        st.builds(Code, _TEXTS),
        st.builds(Link, _TEXTS.filter(shown), _URLS, st.booleans()),
        st.builds(PullRequestRef, st.integers(1, 10**6), _URLS, st.booleans()),
    ),
    max_size=5,
).map(tuple)
_TABLES = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(_SPANS, min_size=width, max_size=width).map(tuple), min_size=1, max_size=3).map(
        lambda rows: Table(rows[0], tuple(rows[1:]))
    )
)
_CHARTS = st.lists(st.tuples(_TEXTS, st.integers(-10, 10**6)), max_size=3).flatmap(
    lambda points: st.builds(
        Chart,
        _TEXTS,
        st.sampled_from(["bar", "line"]),
        st.just(tuple(label for label, _ in points)),
        st.lists(st.tuples(_TEXTS, st.just(tuple(float(value) for _, value in points))), max_size=2).map(tuple),
    )
)
_BUTTONS = st.builds(Button, _TEXTS.filter(shown), _TEXTS.filter(shown))
_BLOCKS = st.one_of(
    st.builds(Heading, _SPANS, st.integers(0, 9)),
    st.builds(Text, _SPANS),
    st.builds(Context, _SPANS),
    st.builds(ListBlock, st.lists(_SPANS, max_size=3).map(tuple), st.booleans()),
    _TABLES,
    _CHARTS,
    st.builds(Fields, st.lists(st.tuples(_SPANS, _SPANS), max_size=3).map(tuple)),
    st.builds(Buttons, st.lists(_BUTTONS, max_size=3).map(tuple)),
)
_MESSAGES = st.lists(_BLOCKS, max_size=3).map(lambda blocks: Message(tuple(blocks)))


@given(_MESSAGES)
@example(Message((Text((Code("a"), Plain(""), Code("`"), Plain("!"), Link("b", URL))),)))
@example(Message((Heading(prose("C #")), Text(prose("a\\")), Table((prose("\\"),), ((prose("|"),),)))))
def test_markdown_reads_back_as_exactly_what_was_said(message: Message) -> None:
    markdown = to_markdown(message)
    expected = [line for block in message.blocks for line in expected_lines(block)]
    assert non_empty(inline_lines(markdown)) == non_empty(expected)
    allowed = {"heading", "paragraph", "list_item", "bullet_list", "ordered_list", "blockquote", "inline"}
    allowed |= {"table", "thead", "tbody", "tr", "th", "td"}
    assert {token.type.removesuffix("_open").removesuffix("_close") for token in tokens_of(markdown)} <= allowed
    assert to_markdown(message) == markdown


@given(_MESSAGES)
def test_markdown_keeps_the_kinds_of_blocks(message: Message) -> None:
    blocks = [block for block in message.blocks if non_empty(expected_lines(block))]
    opened = [
        token.type for token in tokens_of(to_markdown(replace(message, blocks=tuple(blocks)))) if token.level == 0
    ]
    counts = {
        "heading_open": sum(isinstance(block, Heading) for block in blocks),
        "blockquote_open": sum(isinstance(block, Context) for block in blocks),
        "table_open": sum(isinstance(block, Table | Chart) for block in blocks),
        "bullet_list_open": sum(isinstance(block, Fields | ListBlock) for block in blocks),
    }
    ordered = sum(isinstance(block, ListBlock) and block.ordered for block in blocks)
    assert {kind: opened.count(kind) for kind in counts} == counts | {
        "bullet_list_open": counts["bullet_list_open"] - ordered
    }
    assert opened.count("ordered_list_open") == ordered


@given(_MESSAGES)
def test_plain_text_says_every_span_in_order_and_controls_nothing(message: Message) -> None:
    plain = to_plain(message)
    assert not {char for char in plain if char != "\n" and unicodedata.category(char) in {"Cc", "Cf", "Cs"}}
    text, position = shown(plain), 0
    for span in message.spans():
        position = text.index(shown(span.text), position) + len(shown(span.text))
    assert to_plain(message) == plain
