"""A message as HTML: the same facts as in the other forms, and no element, attribute or address of a stranger's."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

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
    Table,
    Text,
)
from bot.rendering.charts import clipped, draw
from bot.rendering.html import to_html
from bot.rendering.markdown import to_markdown
from bot.rendering.plain import to_plain
from tests.test_rendering import (
    _MESSAGES,
    EXAMPLE,
    HOSTILE,
    STARTS,
    URL,
    Styled,
    every_block_with,
    expected_lines,
    non_empty,
    prose,
    shown,
    styled,
    styled_spans,
)

LINK = {"href", "target", "rel"}
WRITTEN: dict[str, set[str]] = {
    **{f"h{depth}": set() for depth in range(1, 7)},
    **{tag: set() for tag in ("strong", "code", "ul", "ol", "li", "dt", "dd", "title", "desc", "thead", "tbody")},
    **{tag: set() for tag in ("tr", "td")},
    "p": {"class"},
    "a": LINK,
    "div": {"class", "role", "tabindex", "aria-label"},
    "table": {"class"},
    "caption": {"class"},
    "th": {"scope"},
    "dl": {"class"},
    "figure": {"class"},
    "figcaption": {"aria-hidden"},
    "span": {"class"},
    "button": {"type", "data-command"},
    "svg": {"class", "role", "width", "height", "focusable"},
    "line": {"class", "x1", "y1", "x2", "y2"},
    "rect": {"class", "x", "y", "width", "height", "rx"},
    "circle": {"class", "cx", "cy", "r"},
    "text": {"class", "x", "y", "dx", "text-anchor"},
}
"""Every element of the templates with its attributes."""
FOREIGN = {"href", "data-command", "aria-label"}  # the attributes that hold what a message says
ONE_LINE = {"h1", "h2", "h3", "h4", "h5", "h6", "p", "li", "td", "th", "dt", "dd", "figcaption", "button"}
UNREAD = {"svg", "caption", "span"}  # what says a chart's numbers and a table's name once more
VOID = {"line", "rect"}


class Reader(HTMLParser):
    """What a browser makes of it: elements with attributes, and the lines of text with their style."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.lines: list[Styled] = []
        self.unclosed: list[str] = []
        self._url = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(attrs) == len(dict(attrs)), "an attribute twice"
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self._url = dict(attrs).get("href") or "" if tag == "a" else self._url
        if tag in ONE_LINE and not self._unread():
            self.lines.append([])
        if tag not in VOID:
            self.unclosed.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.unclosed.pop() == tag, "an element was closed by what it holds"
        if tag == "a":
            self._url = ""

    def handle_data(self, data: str) -> None:
        if shown(data) and not self._unread():
            bold, code = "strong" in self.unclosed, "code" in self.unclosed
            self.lines[-1] += styled(data, bold=bold, code=code, url=self._url)

    def handle_comment(self, data: str) -> None:
        pytest.fail(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        pytest.fail(f"a declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        pytest.fail(f"an instruction: {data}")

    def _unread(self) -> bool:
        return any(tag in UNREAD for tag in self.unclosed)


def read(message: Message) -> Reader:
    reader = Reader()
    reader.feed(to_html(message))
    reader.close()
    assert reader.unclosed == []
    return reader


def as_html(block: Block) -> list[Styled]:
    """The lines of a block as HTML shows them: what Markdown marks by bold or a colon has an element of its own."""
    match block:
        case Fields(pairs=pairs):
            return [styled_spans(spans) for pair in pairs for spans in pair]
        case Buttons(buttons=buttons):
            return [styled(button.label) for button in buttons]
        case Chart(title=title):
            return [styled(title), *expected_lines(block)[1:]]
    return expected_lines(block)


def addresses(spans: Sequence[Span]) -> set[str]:
    return {span.url for span in spans if isinstance(span, Link | PullRequestRef)}


@given(_MESSAGES)
def test_html_reads_back_as_exactly_what_was_said(message: Message) -> None:
    found = [[(char, bold, code, url) for char, bold, code, url in line] for line in read(message).lines]
    expected = [
        [(char, bold, code, url) for char, bold, code, url in line]
        for block in message.blocks
        for line in as_html(block)
    ]
    assert non_empty(found) == non_empty(expected)


@given(_MESSAGES)
@settings(max_examples=60)
def test_only_templates_write_elements_and_attributes(message: Message) -> None:
    commands = {shown(button.command) for one in message.blocks if isinstance(one, Buttons) for button in one.buttons}
    for tag, attributes in read(message).elements:
        assert set(attributes) <= WRITTEN[tag]
        if tag == "a":
            assert set(attributes) == LINK
            assert attributes["href"] in addresses(tuple(message.spans()))
            assert (attributes["target"], attributes["rel"]) == ("_blank", "noopener noreferrer")
        if tag == "button":
            assert shown(attributes["data-command"]) in commands
        for name in set(attributes) - FOREIGN:
            assert re.fullmatch(r"[\w .%-]+", attributes[name], re.ASCII)


def structure(message: Message) -> list[tuple[str, tuple[str, ...]]]:
    return [(tag, tuple(attributes)) for tag, attributes in read(message).elements]


@pytest.mark.parametrize("text", [*HOSTILE, *STARTS, "\"' onload=x", "]]>", "</svg><script>", "{{ 7*7 }}{% x %}"])
def test_the_structure_is_that_of_harmless_text(text: str) -> None:
    assert structure(every_block_with(text)) == structure(every_block_with("x"))


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JAVASCRIPT://x",
        "data:text/html,x",
        "//example.com",
        "",
        " https://x",
        "vbscript:x",
        "\0",
    ],
)
def test_an_address_of_another_kind_is_written_out_not_linked(url: str) -> None:
    reader = read(Message((Text((Link("点", url), PullRequestRef(7, url, bold=True))),)))
    assert [tag for tag, _ in reader.elements] == ["p", "strong"]
    assert reader.lines == [styled(f"点({url})") + styled("#7", bold=True)]


@pytest.mark.parametrize("url", ["https://example.com/?a=1&lt;=2&copy=3#x", "http://example.com/\"'><b>", URL])
def test_an_address_stays_one_address(url: str) -> None:
    assert [one["href"] for tag, one in read(Message((Text((Link("点", url),)),))).elements if tag == "a"] == [url]


def numbered(message: Message) -> tuple[Message, int]:
    """The message with every text replaced by a word that occurs nowhere else."""
    count = 0

    def word(_text: str = "") -> str:
        nonlocal count
        count += 1
        return f"w{count}w"

    def spans(given: Sequence[Span]) -> tuple[Span, ...]:
        return tuple(Plain(word()) if isinstance(span, Plain) else Code(word()) for span in given)

    def block(given: Block) -> Block:
        match given:
            case Heading() | Text() | Context():
                return type(given)(spans(given.spans))
            case ListBlock(items=items):
                return ListBlock(tuple(map(spans, items)), given.ordered)
            case Table(header=header, rows=rows):
                return Table(tuple(map(spans, header)), tuple(tuple(map(spans, row)) for row in rows))
            case Fields(pairs=pairs):
                return Fields(tuple((spans(label), spans(value)) for label, value in pairs))
            case Buttons(buttons=buttons):
                return Buttons(tuple(Button(word(), word()) for _ in buttons))
            case Chart():
                title, names = word(), tuple(word() for _ in given.series)
                series = tuple((name, values) for name, (_, values) in zip(names, given.series, strict=True))
                return Chart(title, given.kind, tuple(map(word, given.labels)), series)

    return Message(tuple(map(block, message.blocks))), count


def words_of_html(message: Message) -> list[str]:
    """In reading order, a button's command after its label as the other forms have it."""
    text = re.sub(r"<svg.*?</svg>|<caption.*?</caption>| aria-label=\"[^\"]*\"", "", to_html(message), flags=re.DOTALL)
    text = re.sub(r'data-command="(\w+)">(\w+)<', r">\2 \1<", text)
    return re.findall(r"w\d+w", re.sub(r"<span class=\"legend\">.*?</figcaption>", "", text))


@given(_MESSAGES)
def test_every_form_says_the_same_facts_in_the_same_order(message: Message) -> None:
    known, count = numbered(message)
    expected = [f"w{place + 1}w" for place in range(count)]
    forms: list[Callable[[Message], str]] = [to_plain, to_markdown]
    for form in forms:
        assert re.findall(r"w\d+w", form(known)) == expected
    assert words_of_html(known) == expected


def test_every_kind_of_block() -> None:
    html = to_html(EXAMPLE, level=3)
    assert html.startswith("<h3>引擎周报 <strong>03-02～03-08</strong></h3>\n<h4>执行摘要</h4>\n<p>")
    for piece in (
        '<th scope="row"><code>core|x</code></th><td>12</td>',
        '<th scope="row">02-23</th><td>198</td><td>4.89</td>',
        "<div><dt>作者</dt><dd>@dev</dd></div>",
        '<button type="button" data-command="/digest risks">风险</button>',
        '<p class="context">核对了 212 个数字</p>',
        '<div class="table" role="region" tabindex="0" aria-label="修掉了。后来 #7 改了 a|b">',
    ):
        assert piece in html


@pytest.mark.parametrize(("level", "depth", "tag"), [(1, 1, "h1"), (3, 2, "h4"), (3, 9, "h6"), (1, 0, "h1")])
def test_headings_begin_where_the_page_says(level: int, depth: int, tag: str) -> None:
    assert to_html(Message((Heading(prose("题"), depth),)), level=level) == f"<{tag}>题</{tag}>"


def test_an_empty_message_is_an_empty_text() -> None:
    empty = (Text(()), Heading(prose("")), Context(prose(" \u200b")), ListBlock(()), Table((), ()), Fields(()))
    assert to_html(Message((), summary="只在通知里")) == ""
    assert to_html(Message((*empty, Buttons(())))) == ""
    assert to_html(Message((*empty, Text(prose("有")), *empty))) == "<p>有</p>"


def test_bars_are_in_proportion() -> None:
    picture = draw(Chart("", "bar", ("a", "b", "c", "d"), (("n", (2400.0, 1200.0, 0.0, -5.0)),)))
    wide = [bar.width for bar in picture.bars]
    assert wide[0] == 2 * wide[1] > 0
    assert wide[2:] == [0, 0]
    assert [label.text for label in picture.labels if label.role == "value"] == ["2400", "1200", "0", "-5"]


def test_lines_join_the_points_of_each_series() -> None:
    picture = draw(Chart("", "line", ("a", "b", "c"), (("n", (0.0, 50.0, 100.0)), ("m", (100.0, math.nan, 0.0)))))
    joined = [(line.x1, line.y1, line.x2, line.y2) for line in picture.lines if line.series == 0]
    assert joined[0][2:] == joined[1][:2]
    assert joined[0][1] > joined[1][1] > joined[1][3]
    assert [line.y1 < line.y2 for line in picture.lines if line.series == 1] == [True]
    assert [dot.text for dot in picture.dots if dot.series == 1] == ["m 100", "m 0"]


@given(
    st.sampled_from(["bar", "line"]),
    st.lists(st.text(max_size=60), max_size=20),
    st.lists(st.lists(st.floats(), max_size=20), max_size=4),
)
@example("line", ["a", "b"], [[1.7e308, 5e-324]])
@example("line", ["a", "b"], [[-1.7e308, math.inf]])
def test_everything_stands_inside_the_picture(kind: str, labels: list[str], series: list[list[float]]) -> None:
    named = tuple((f"s{place}", tuple(values)) for place, values in enumerate(series))
    picture = draw(Chart("", "bar" if kind == "bar" else "line", tuple(labels), named))
    across = [value for line in picture.lines for value in (line.x1, line.x2)]
    across += [dot.x for dot in picture.dots] + [label.x for label in picture.labels]
    across += [value for bar in picture.bars for value in (bar.x, bar.x + bar.width)]
    down: list[float] = [value for line in picture.lines for value in (line.y1, line.y2)]
    down += [dot.y for dot in picture.dots] + [bar.y + bar.height for bar in picture.bars]
    assert all(0 <= value <= 100 for value in across)
    assert all(0 <= value <= picture.height for value in down)


@pytest.mark.parametrize(("text", "fits"), [("abc", "abc"), ("abcdef", "abc…"), ("中文字", "中…"), ("", "")])
def test_a_label_is_clipped_to_its_columns(text: str, fits: str) -> None:
    assert clipped(text, 4) == fits
