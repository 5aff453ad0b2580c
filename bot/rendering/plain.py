"""A message as text for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from wcwidth import ljust, width

from bot.message import (
    Block,
    Buttons,
    Chart,
    Context,
    Fields,
    Heading,
    Link,
    ListBlock,
    Message,
    Span,
    Spans,
    Table,
    Text,
)
from bot.rendering.forms import Row, chart_rows, one_line

_UNDERLINES = {1: "=", 2: "-"}
_BAR = 24  # columns of the longest bar


def to_plain(message: Message) -> str:
    """The blocks in order with a blank line between; long lines are left to the terminal. No blocks: "".

    Nothing in the text can control the terminal: see `one_line`.
    """
    blocks = (_block(block) for block in message.blocks)
    return "\n\n".join(lines for lines in blocks if lines.strip())


def _block(block: Block) -> str:
    match block:
        case Heading(spans=spans, level=level):
            return _heading(_text(spans), level)
        case Text(spans=spans) | Context(spans=spans):
            return _text(spans)
        case ListBlock(items=items, ordered=ordered):
            return "\n".join(f"{f'{place}.' if ordered else '-'} {_text(item)}" for place, item in enumerate(items, 1))
        case Table(header=header, rows=rows):
            return _table([tuple(map(_text, row)) for row in (header, *rows)])
        case Chart():
            return _chart(block)
        case Fields(pairs=pairs):
            return "\n".join(f"{_text(label)}: {_text(value)}".rstrip() for label, value in pairs)
        case Buttons(buttons=buttons):
            return "   ".join(f"[{one_line(button.label)}] {one_line(button.command)}" for button in buttons)


def _text(spans: Spans) -> str:
    return "".join(map(_span, spans)).strip()


def _span(span: Span) -> str:
    if isinstance(span, Link) and span.text != span.url:
        return one_line(f"{span.text} ({span.url})")
    return one_line(span.text)


def _heading(text: str, level: int) -> str:
    if not text:
        return ""
    underline = _UNDERLINES.get(level)
    return f"{text}\n{underline * width(text)}" if underline else f"-- {text} --"


def _table(rows: Sequence[Row]) -> str:
    """Columns as wide as their widest cell; a Chinese character is two columns wide."""
    columns = list(zip_longest(*rows, fillvalue=""))
    if not columns:
        return ""
    widths = [max(map(width, column)) for column in columns]
    rule = tuple("-" * wide for wide in widths)
    header, *body = zip(*columns, strict=True)
    return "\n".join(_row(cells, widths) for cells in (header, rule, *body))


def _row(cells: Iterable[str], widths: Iterable[int]) -> str:
    return "  ".join(ljust(cell, wide) for cell, wide in zip(cells, widths, strict=True)).rstrip()


def _chart(chart: Chart) -> str:
    rows = chart_rows(chart)
    if chart.kind == "bar" and len(chart.series) == 1:
        header, *body = rows
        bars = _bars(chart.series[0][1])
        rows = ((*header, ""), *((*row, bar) for row, bar in zip_longest(body, bars, fillvalue="")))
    return "\n".join(filter(None, (one_line(chart.title).strip(), _table(rows))))


def _bars(values: Sequence[float]) -> list[str]:
    longest = max((value for value in values if math.isfinite(value)), default=0.0)
    return ["█" * _length(value, longest) for value in values]


def _length(value: float, longest: float) -> int:
    """Columns of one bar: in proportion to the longest, and never nothing for something."""
    return max(1, round(_BAR * value / longest)) if 0 < value <= longest else 0
