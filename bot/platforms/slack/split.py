"""Splits pieces over Slack messages: at headings where that is possible, else between paragraphs, items and rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from bot.platforms.slack.blocks import fits
from bot.platforms.slack.pieces import Paragraph, Piece, Press

Pieces = tuple[Piece, ...]


def split(pieces: Sequence[Piece]) -> Iterator[Pieces]:
    """The pieces of each message, in order, none lost; a single piece fits by itself."""
    held: Pieces = ()
    for part in _parts(pieces):
        if fits((*held, *part)):
            held = (*held, *part)
        elif fits(part):
            if held:
                yield held
            held = part
        else:
            *full, held = _filled(held, part)
            yield from full
    if held:
        yield held


def _filled(held: Pieces, part: Pieces) -> Iterator[Pieces]:
    """What one message cannot hold, as much as fits to each."""
    units = list(_units(part))
    while units:
        count = _fitting(held, units)
        if not count and held:
            yield held
            held = ()
            continue
        count = count or 1
        held = (*held, *chain.from_iterable(units[:count]))
        del units[:count]
    yield held


def _fitting(held: Pieces, units: Sequence[Pieces]) -> int:
    """How many of the units fit beside what is held; tried in steps that double, because each trial renders them."""
    count, step = 0, 1
    while step:
        more = count + step
        if more <= len(units) and fits((*held, *chain.from_iterable(units[:more]))):
            count, step = more, 2 * step
        else:
            step //= 2
    return count


def _parts(pieces: Sequence[Piece]) -> Iterator[Pieces]:
    """From each heading to the next; headings that stand together begin one part."""
    part: list[Piece] = []
    for piece in pieces:
        if part and _heads(piece) and not _heads(part[-1]):
            yield tuple(part)
            part = []
        part.append(piece)
    if part:
        yield tuple(part)


def _units(part: Pieces) -> Iterator[Pieces]:
    """What is not torn apart: a heading and what it is above, buttons and what they are below."""
    unit: Pieces = ()
    for piece in part:
        if unit and (_heads(unit[-1]) or isinstance(piece, Press)) and fits((*unit, piece)):
            unit = (*unit, piece)
            continue
        if unit:
            yield unit
        unit = (piece,)
    if unit:
        yield unit


def _heads(piece: Piece) -> bool:
    return isinstance(piece, Paragraph) and piece.heads
