"""What a message says in one line, for notifications and screen readers: its title and the beginning of its text."""

from __future__ import annotations

from collections.abc import Iterator

from bot.message import Block, Buttons, Chart, Context, Heading, ListBlock, Message, Spans, Table, Text
from bot.text import Wording

_LONGEST = 120
_ROWS = 5


def gist_of(wording: Wording, title: str, message: Message, about: Spans = ()) -> str:
    """One line in plain words, taken from blocks that were checked; `about` says of which repository."""
    parts = list(_parts(message))
    return wording.sentence("digest/gist", about=about, title=title, parts=_fitting(parts))


def _parts(message: Message) -> Iterator[str]:
    """The first block that is not small print, or, of rows and charts, the first of them by name."""
    charts = [block.title for block in message.blocks if isinstance(block, Chart)]
    if charts:
        yield from charts
        return
    block = next((block for block in message.blocks if not isinstance(block, Heading | Context | Buttons)), None)
    yield from _said(block) if block is not None else ()


def _said(block: Block) -> Iterator[str]:
    match block:
        case Text(spans=spans):
            yield _plain(spans)
        case ListBlock(items=items):
            yield _plain(items[0])
        case Table(rows=rows):
            yield from (" ".join(_plain(cell) for cell in row[:2]) for row in rows[:_ROWS])


def _plain(spans: Spans) -> str:
    return "".join(span.text for span in spans)


def _fitting(parts: list[str]) -> list[str]:
    """As many as fit, the first one cut where it does not."""
    kept: list[str] = []
    for part in parts:
        left = _LONGEST - sum(map(len, kept))
        if len(part) > left and kept:
            break
        kept.append(part if len(part) <= left else f"{part[: left - 1]}…")
    return kept
