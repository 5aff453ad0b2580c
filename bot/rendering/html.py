"""A message as HTML. Only `templates/local/` writes elements and attributes; every text is escaped there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from bot.message import (
    Block,
    Buttons,
    Chart,
    Code,
    Context,
    Fields,
    Heading,
    Link,
    ListBlock,
    Message,
    PullRequestRef,
    Span,
    Spans,
    Table,
    Text,
)
from bot.rendering.charts import clipped, draw
from bot.rendering.forms import chart_rows, one_line
from bot.text import packaged

_LINKED = ("http://", "https://")
_DEEPEST = 6  # HTML has no <h7>
_CAPTION = 60  # columns of the name that a screen reader gives a table

View = Mapping[str, Any]


@lru_cache(maxsize=1)
def templates() -> Environment:
    """The HTML templates that come with the project; what is inserted is escaped."""
    return Environment(
        loader=FunctionLoader(packaged),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def to_html(message: Message, *, level: int = 1) -> str:
    """The blocks in order. A heading of level 1 is <h`level`>, deeper ones follow. No blocks: "".

    A button is `<button data-command="…">`: who shows the text says what pressing it does. An address that is not http
    or https is written out, not linked. There are no styles, scripts and ids, so it fits any page, also twice.
    """
    views: list[View] = []
    caption = message.summary
    for block in message.blocks:
        views.extend(_shown(block, level, caption))
        if isinstance(block, Heading | Text):
            caption = _plain(block.spans)
    return templates().get_template("local/message.html.j2").render(blocks=views).strip()


def _shown(block: Block, level: int, caption: str) -> Iterator[View]:
    """What the template needs of a block; nothing for one without content. `caption` stands before the block."""
    match block:
        case Heading(spans=spans) | Text(spans=spans) | Context(spans=spans) if not _plain(spans):
            return
        case Heading(spans=spans, level=depth):
            yield {"kind": "heading", "level": min(max(level + depth - 1, 1), _DEEPEST), "spans": _inline(spans)}
        case Text(spans=spans):
            yield {"kind": "text", "spans": _inline(spans)}
        case Context(spans=spans):
            yield {"kind": "context", "spans": _inline(spans)}
        case ListBlock(items=items, ordered=ordered) if items:
            yield {"kind": "list", "ordered": ordered, "items": [_inline(item) for item in items]}
        case Table(header=header, rows=rows) if header or rows:
            yield {"kind": "table", "caption": clipped(one_line(caption), _CAPTION), "rows": _rows((header, *rows))}
        case Chart(title=title):
            named = {"title": one_line(title).strip(), "names": [one_line(name) for name, _ in block.series]}
            yield {"kind": "chart", "form": block.kind, "picture": draw(block), "rows": chart_rows(block), **named}
        case Fields(pairs=pairs) if pairs:
            yield {"kind": "fields", "pairs": [(_inline(label), _inline(value)) for label, value in pairs]}
        case Buttons(buttons=buttons) if buttons:
            yield {"kind": "buttons", "buttons": [(one_line(one.label), one_line(one.command)) for one in buttons]}


def _rows(rows: Sequence[Sequence[Spans]]) -> list[list[list[View]]]:
    """The rows as wide as the widest of them."""
    columns = zip_longest(*rows, fillvalue=())
    return [[_inline(cell) for cell in row] for row in zip(*columns, strict=True)]


def _plain(spans: Spans) -> str:
    return "".join(one_line(span.text) for span in spans).strip()


def _inline(spans: Spans) -> list[View]:
    return [_span(span) for span in spans if one_line(span.text)]


def _span(span: Span) -> View:
    text = one_line(span.text)
    match span:
        case Code():
            return {"kind": "code", "text": text, "bold": False}
        case Link(url=url, bold=bold) | PullRequestRef(url=url, bold=bold) if (safe := one_line(url)).startswith(
            _LINKED
        ):
            return {"kind": "link", "text": text, "url": safe, "bold": bold}
        case Link(url=url, bold=bold):
            return {"kind": "plain", "text": f"{text} ({one_line(url)})", "bold": bold}
    return {"kind": "plain", "text": text, "bold": span.bold}
