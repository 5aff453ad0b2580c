"""Pieces as Slack's blocks, natively or in text alone, and whether one message holds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from bot.platforms.slack import charts, tables
from bot.platforms.slack.limits import BLOCKS, WEIGHT, Node, weight
from bot.platforms.slack.pieces import Figure, Item, Paragraph, Piece, Press, Row, as_list, as_text
from bot.platforms.slack.rich_text import listing, paragraph, quote, text_of


def blocks_of(pieces: Sequence[Piece]) -> list[Node]:
    """The blocks of one message; items of one list, and rows of one table, are one block."""
    blocks: list[Node] = []
    for _, some in groupby(enumerate(pieces), key=lambda placed: _together(*placed)):
        blocks += _blocks([piece for _, piece in some])
    return _numbered(blocks)


def without_native(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The same facts in pieces that every workspace shows: no chart, no table."""
    kept: list[Piece] = []
    for place, some in groupby(enumerate(pieces), key=lambda placed: _together(*placed)):
        group = [piece for _, piece in some]
        match group[0]:
            case Figure(chart=chart):
                kept += as_list(chart, -1 - place[1])  # no block of the message has this number
            case Row():
                kept += as_text([piece for piece in group if isinstance(piece, Row)])
            case _:
                kept += group
    return tuple(kept)


def fits(pieces: Sequence[Piece]) -> bool:
    """Whether one message holds the pieces, natively and in text alone."""
    figures = sum(isinstance(piece, Figure) for piece in pieces)
    grids = [piece.group for piece in pieces if isinstance(piece, Row)]
    if figures > charts.CHARTS or len(set(grids)) > 1 or len(grids) >= tables.ROWS:
        return False
    return _light(blocks_of(pieces)) and (not (figures or grids) or _light(blocks_of(without_native(pieces))))


def _light(blocks: list[Node]) -> bool:
    return len(blocks) <= BLOCKS and weight(blocks) <= WEIGHT


def _together(place: int, piece: Piece) -> tuple[bool, int]:
    """Equal for neighbours that are one block."""
    return (True, piece.group) if isinstance(piece, Item | Row) else (False, place)


def _blocks(pieces: list[Piece]) -> Iterator[Node]:
    match pieces[0]:
        case Paragraph():
            yield _paragraph(pieces[0])
        case Item(ordered=ordered, place=place):
            yield listing([item.runs for item in pieces if isinstance(item, Item)], ordered=ordered, offset=place)
        case Row(header=header):
            yield tables.native([header, *(row.cells for row in pieces if isinstance(row, Row))])
        case Figure(chart=chart):
            yield from charts.native(chart)
        case Press(buttons=buttons):
            yield {"type": "actions", "elements": [_button(label, command) for label, command in buttons]}


def _paragraph(piece: Paragraph) -> Node:
    match piece.form:
        case "header":
            return {"type": "header", "text": _plain(text_of(piece.runs))}
        case "small":
            return {"type": "context", "elements": [_plain(text_of(piece.runs))]}
        case "quote":
            return quote(piece.runs)
        case "text" | "title":
            return paragraph(piece.runs)


def _plain(text: str) -> Node:
    return {"type": "plain_text", "text": text, "emoji": False}  # else Slack makes a picture of :word:


def _button(label: str, command: str) -> Node:
    return {"type": "button", "text": _plain(label), "value": command}


def _numbered(blocks: list[Node]) -> list[Node]:
    """Buttons need an action_id each; a command says what a press means, so the id only has to differ."""
    buttons = [button for block in blocks if block["type"] == "actions" for button in block["elements"]]
    for place, button in enumerate(buttons):
        button["action_id"] = f"digest:{place}"
    return blocks
