"""The schema of the table and data_table blocks.

Sources: docs.slack.dev/reference/block-kit/blocks/table-block and .../data-table-block; that an empty cell is refused
was observed (nao#1143); every row as long as the first is documented for data_table and held for both.
"""

from __future__ import annotations

from typing import Any

from tests.doubles.slack import limits
from tests.doubles.slack.fields import Node, Wrong, flag, items, keys, listed, number, whole, words
from tests.doubles.slack.rich_text import rich_text
from tests.doubles.slack.shown import shown_in

ALIGNMENTS = ("left", "center", "right")


def table(block: Node, where: str) -> Wrong:
    """What is wrong with a table block."""
    yield from keys(block, where, ("type", "rows"), ("block_id", "column_settings"))
    yield from items(block.get("rows"), f"{where}.rows", limits.TABLE_ROWS)
    yield from _rows(block, where)
    if "column_settings" in block:
        yield from items(block["column_settings"], f"{where}.column_settings", limits.TABLE_COLUMNS, least=0)
    for index, setting in enumerate(listed(block.get("column_settings"))):
        yield from _setting(setting, f"{where}.column_settings[{index}]")


def data_table(block: Node, where: str) -> Wrong:
    """What is wrong with a data_table block."""
    optional = ("block_id", "page_size", "row_header_column_index")
    yield from keys(block, where, ("type", "rows", "caption"), optional)
    yield from words(block.get("caption"), f"{where}.caption", limits.IDENTIFIER)
    yield from items(block.get("rows"), f"{where}.rows", limits.DATA_TABLE_ROWS, least=2)
    yield from _rows(block, where)
    if "page_size" in block:
        yield from whole(block["page_size"], f"{where}.page_size", 1, limits.DATA_TABLE_PAGE)
    rows = listed(block.get("rows"))
    if "row_header_column_index" in block:
        last = max(len(listed(rows[0])) - 1, 0) if rows else 0
        yield from whole(block["row_header_column_index"], f"{where}.row_header_column_index", 0, last)
    if rows and any(isinstance(cell, dict) and cell.get("type") == "rich_text" for cell in listed(rows[0])):
        yield f"{where}.rows[0]: a header cell cannot be rich_text"


def _rows(block: Node, where: str) -> Wrong:
    rows = listed(block.get("rows"))
    for index, row in enumerate(rows):
        yield from _row(row, f"{where}.rows[{index}]")
    if len({len(listed(row)) for row in rows}) > 1:
        yield f"{where}.rows: every row must have the same number of cells"
    characters = limits.length("".join(shown_in(row) for row in rows))
    if characters > limits.TABLE_CHARACTERS:
        yield f"{where}.rows: must be at most {limits.TABLE_CHARACTERS} characters in all, has {characters}"


def _row(row: Any, where: str) -> Wrong:
    yield from items(row, where, limits.TABLE_COLUMNS)
    for index, cell in enumerate(listed(row)):
        yield from _cell(cell, f"{where}[{index}]")


def _cell(cell: Any, where: str) -> Wrong:
    if not isinstance(cell, dict):
        yield f"{where}: must be an object"
        return
    match cell.get("type"):
        case "raw_text":
            yield from keys(cell, where, ("type", "text"))
            yield from words(cell.get("text"), f"{where}.text", limits.TABLE_CHARACTERS)
        case "raw_number":
            yield from keys(cell, where, ("type", "value", "text"))
            yield from number(cell.get("value"), f"{where}.value")
            yield from words(cell.get("text"), f"{where}.text", limits.TABLE_CHARACTERS)
        case "rich_text":
            yield from rich_text(cell, where)
        case kind:
            yield f"{where}: unsupported type: {kind}"
    if not shown_in(cell).strip():
        yield f"{where}: a cell cannot be empty"


def _setting(setting: Any, where: str) -> Wrong:
    if setting is None:
        return
    if not isinstance(setting, dict):
        yield f"{where}: must be an object"
        return
    yield from keys(setting, where, (), ("align", "is_wrapped"))
    if "align" in setting and setting["align"] not in ALIGNMENTS:
        yield f"{where}.align: must be one of {', '.join(ALIGNMENTS)}"
    yield from flag(setting, "is_wrapped", where)
