"""A message as pieces: the least that is posted together, each small enough for any Slack message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot.message import (
    Block,
    Button,
    Buttons,
    Chart,
    Context,
    Fields,
    Heading,
    ListBlock,
    Message,
    Spans,
    Table,
    Text,
)
from bot.platforms.slack import charts, tables
from bot.platforms.slack.cut import cut
from bot.platforms.slack.limits import BUTTON_TEXT, BUTTON_VALUE, BUTTONS, HEADER, TEXT_OBJECT, units
from bot.platforms.slack.rich_text import Run, Runs, joined, runs_of, text_of
from bot.rendering.forms import one_line

_DEEPEST_HEADER = 2  # Slack has one size of headers


@dataclass(frozen=True, slots=True)
class Paragraph:
    """`title`: a heading that no header block takes. Small print is a `quote` where it has links or code."""

    runs: Runs
    form: Literal["text", "header", "title", "small", "quote"] = "text"

    @property
    def heads(self) -> bool:
        """Whether it stands above what follows."""
        return self.form in {"header", "title"}


@dataclass(frozen=True, slots=True)
class Item:
    """An item of the `group`-th block, a list; `place` counts from 0."""

    runs: Runs
    group: int
    place: int
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the `group`-th block, a table with this header."""

    cells: tables.Cells
    header: tables.Cells
    group: int


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart that Slack can draw."""

    chart: Chart


@dataclass(frozen=True, slots=True)
class Press:
    """Buttons that fit one block, each with its label and command."""

    buttons: tuple[tuple[str, str], ...]


Piece = Paragraph | Item | Row | Figure | Press


def pieces_of(message: Message, *, drawn: bool = True) -> tuple[Piece, ...]:
    """The pieces in reading order; charts as lists unless `drawn`. What says nothing is left out."""
    return tuple(piece for group, block in enumerate(message.blocks) for piece in _pieces(block, group, drawn=drawn))


def as_text(rows: Sequence[Row]) -> tuple[Piece, ...]:
    """The same rows without a native table: the first column's name, then a list."""
    header, group = rows[0].header, rows[0].group
    items = [tables.told(header, row.cells) for row in rows]
    return (*_paragraphs(header[0]), *_items(items, group))


def as_list(chart: Chart, group: int) -> tuple[Piece, ...]:
    """The same figures without a native chart."""
    title, *values = charts.told(chart) or ((),)
    return (*_paragraphs(title), *_items(values, group))


def _pieces(block: Block, group: int, *, drawn: bool) -> Iterator[Piece]:
    match block:
        case Heading(spans=spans, level=level):
            yield from _heading(spans, level)
        case Text(spans=spans):
            yield from _paragraphs(runs_of(spans))
        case Context(spans=spans):
            yield from _small_print(runs_of(spans))
        case ListBlock(items=items, ordered=ordered):
            yield from _items(list(map(runs_of, items)), group, ordered=ordered)
        case Fields(pairs=pairs):
            yield from _items([_pair(label, value) for label, value in pairs], group)
        case Table():
            yield from _table(block, group)
        case Chart():
            yield from (Figure(block),) if drawn and charts.drawable(block) else as_list(block, group)
        case Buttons(buttons=buttons):
            yield from _press(buttons)


def _heading(spans: Spans, level: int) -> Iterator[Piece]:
    """A header block takes neither links nor long texts."""
    runs = runs_of(spans)
    if runs and level <= _DEEPEST_HEADER and units(text_of(runs)) <= HEADER and not any(run.url for run in runs):
        yield Paragraph(runs, "header")
    else:
        bold = joined(replace(run, bold=True) for run in runs)
        yield from (Paragraph(part, "title") for part in cut(bold))


def _paragraphs(runs: Runs) -> Iterator[Piece]:
    yield from (Paragraph(part) for part in cut(runs))


def _small_print(runs: Runs) -> Iterator[Piece]:
    """A context block is small but takes markup or plain text only; a quote keeps links and code."""
    if runs and units(text_of(runs)) <= TEXT_OBJECT and not any(run.url or run.code for run in runs):
        yield Paragraph(runs, "small")
    else:
        yield from (Paragraph(part, "quote") for part in cut(runs))


def _items(items: Sequence[Runs], group: int, *, ordered: bool = False) -> Iterator[Piece]:
    """What an item is too long for follows it as a paragraph, so that the numbers stay right."""
    for place, runs in enumerate(items):
        first, *others = cut(runs) or ((),)
        if first or ordered:
            yield Item(first or (Run("–"),), group, place, ordered)
        yield from map(Paragraph, others)


def _pair(label: Spans, value: Spans) -> Runs:
    return joined((*runs_of(label, bold=True), Run("："), *runs_of(value)))


def _table(table: Table, group: int) -> Iterator[Piece]:
    cells = tables.cells_of(table)
    if not cells:
        return
    header, *rows = cells
    made = [Row(row, header, group) for row in rows]
    if tables.comparable(cells):
        yield from made
    elif made:
        yield from as_text(made)
    else:
        yield from _paragraphs(tables.told(tuple(() for _ in header), header))


def _press(buttons: Sequence[Button]) -> Iterator[Piece]:
    texts = [(one_line(button.label).strip(), one_line(button.command).strip()) for button in buttons]
    fitting = [
        (label, command) for label, command in texts if _fits(label, BUTTON_TEXT) and _fits(command, BUTTON_VALUE)
    ]
    for start in range(0, len(fitting), BUTTONS):
        yield Press(tuple(fitting[start : start + BUTTONS]))
    for label, command in texts:
        if (label, command) not in fitting:
            yield from _paragraphs(joined((Run(f"{label} "), Run(command, code=True))))


def _fits(text: str, most: int) -> bool:
    return 0 < units(text) <= most
