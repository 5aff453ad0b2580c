"""A table as Slack's native block, and as a list where there is none.

https://docs.slack.dev/reference/block-kit/blocks/table-block: at most 100 rows of 20 cells, each raw_text or rich_text.
10,000 characters in all (NousResearch/hermes-agent#52746); a cell without text is refused (getnao/nao#1143); raw_text
cells were answered with internal errors (soxtoby/SlackNet#246).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from bot.message import Spans, Table
from bot.platforms.slack.limits import PART, Node, weight
from bot.platforms.slack.rich_text import Run, Runs, between, paragraph, runs_of, text_of

ROWS = 100  # the header among them
_COLUMNS = 20
_NOTHING: Runs = (Run("–"),)
_FIGURE = re.compile(r"[+\-−–]?[\d,.]*%?")

Cells = tuple[Runs, ...]


def cells_of(table: Table) -> tuple[Cells, ...]:
    """The header in bold, then the rows, all as wide as the widest; () where nothing is to be seen."""
    rows = [tuple(map(_bold, table.header)), *(tuple(map(runs_of, row)) for row in table.rows)]
    columns = list(zip_longest(*rows, fillvalue=()))
    cells = tuple(zip(*columns, strict=True))
    return cells if any(any(row) for row in cells) else ()


def comparable(cells: Sequence[Cells]) -> bool:
    """Whether there are rows to compare, and each of them fits a native table."""
    header, *rows = cells
    return bool(rows) and len(header) <= _COLUMNS and all(weight(native([header, row])) <= PART for row in rows)


def native(cells: Sequence[Cells]) -> Node:
    """The block; columns of figures stand to the right, others are wrapped so that a phone shows them whole."""
    rows = [[paragraph(cell or _NOTHING) for cell in row] for row in cells]
    return {"type": "table", "rows": rows, "column_settings": [_column(column) for column in zip(*cells, strict=True)]}


def told(header: Cells, row: Cells) -> Runs:
    """A row as a sentence: its first cell, then each other one after the name of its column."""
    named = [
        (*(replace(run, bold=False) for run in name), Run(" "), *cell) if name else cell
        for name, cell in zip(header[1:], row[1:], strict=True)
        if cell
    ]
    return between([row[0], *named])


def _bold(spans: Spans) -> Runs:
    return runs_of(spans, bold=True)


def _column(cells: Sequence[Runs]) -> Node:
    if all(_FIGURE.fullmatch(text_of(cell)) for cell in cells[1:]):
        return {"align": "right"}
    return {"is_wrapped": True}
