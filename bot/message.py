"""The platform-neutral message: blocks of spans. Text is data here; each platform gives it its own native form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from bot.figures import Claim


@dataclass(frozen=True, slots=True)
class Plain:
    """Text as it is. `claim` is set when it came from the facts, None when a template wrote it."""

    text: str
    bold: bool = False
    claim: Claim | None = None


@dataclass(frozen=True, slots=True)
class Code:
    text: str
    claim: Claim | None = None


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    url: str
    bold: bool = False


@dataclass(frozen=True, slots=True)
class PullRequestRef:
    """A pull request by number, shown as #N and linked."""

    number: int
    url: str
    bold: bool = False

    @property
    def text(self) -> str:
        return f"#{self.number}"


Span = Plain | Code | Link | PullRequestRef
Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    spans: Spans
    level: int = 2


@dataclass(frozen=True, slots=True)
class Text:
    spans: Spans


@dataclass(frozen=True, slots=True)
class ListBlock:
    items: tuple[Spans, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    header: tuple[Spans, ...]
    rows: tuple[tuple[Spans, ...], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Numbers worth a picture. `series` pairs a name with one value per label."""

    title: str
    kind: Literal["bar", "line"]
    labels: tuple[str, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True, slots=True)
class Fields:
    """Short label–value pairs shown side by side."""

    pairs: tuple[tuple[Spans, Spans], ...]


@dataclass(frozen=True, slots=True)
class Button:
    label: str
    command: str


@dataclass(frozen=True, slots=True)
class Buttons:
    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """Small print."""

    spans: Spans


Block = Heading | Text | ListBlock | Table | Chart | Fields | Buttons | Context


@dataclass(frozen=True, slots=True)
class Message:
    """What the bot says. `summary` is the essence in plain words, for notifications and screen readers."""

    blocks: tuple[Block, ...]
    summary: str = ""

    def spans(self) -> Iterator[Span]:
        """Every span in reading order."""
        for block in self.blocks:
            yield from spans_of(block)


def spans_of(block: Block) -> Iterator[Span]:
    """The spans of one block in reading order; a chart and buttons have none."""
    match block:
        case Heading(spans=spans) | Text(spans=spans) | Context(spans=spans):
            yield from spans
        case ListBlock(items=items):
            for item in items:
                yield from item
        case Table(header=header, rows=rows):
            for row in (header, *rows):
                for cell in row:
                    yield from cell
        case Fields(pairs=pairs):
            for label, value in pairs:
                yield from label
                yield from value
        case Chart() | Buttons():
            return
