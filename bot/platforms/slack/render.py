"""A message as Slack takes it: payloads of blocks within its limits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from bot.message import Message
from bot.platforms.slack.blocks import blocks_of, without_native
from bot.platforms.slack.limits import Node
from bot.platforms.slack.notification import notification
from bot.platforms.slack.pieces import Figure, Item, Paragraph, Piece, Press, Row, pieces_of
from bot.platforms.slack.rich_text import Runs, text_of
from bot.platforms.slack.split import split
from bot.platforms.slack.tables import told


@dataclass(frozen=True, slots=True)
class Payload:
    """One Slack message: the notification's text and the blocks.

    `cites` are the addresses of the pull requests it names, each once, in reading order. `fallback` are the same facts
    as blocks without native charts and tables, for when Slack refuses those; None where there are none.
    """

    text: str
    blocks: list[Node]
    cites: tuple[str, ...] = ()
    fallback: list[Node] | None = None


def payloads(message: Message, *, charts: bool = True) -> tuple[Payload, ...]:
    """The message in one payload or several; nothing is lost and nothing that it holds is live. No content: ().

    The first one is announced by the message's summary, others by their first words. `charts` False: the workspace
    refuses the native chart, so charts come as lists.
    """
    parts = list(split(pieces_of(message, drawn=charts)))
    return tuple(_payload(part, message.summary if place == 0 else "") for place, part in enumerate(parts))


def body_of(payload: Payload) -> str:
    """The payload as JSON, as the ledger keeps it."""
    return json.dumps(asdict(payload), ensure_ascii=False, separators=(",", ":"))


def payload_of(body: str) -> Payload:
    """The payload that `body_of` wrote. Raises ValueError, KeyError and TypeError for anything else."""
    held = json.loads(body)
    return Payload(held["text"], held["blocks"], tuple(held["cites"]), held["fallback"])


def _payload(pieces: tuple[Piece, ...], summary: str) -> Payload:
    native = any(isinstance(piece, Figure | Row) for piece in pieces)
    return Payload(
        notification(summary) or notification(" ".join(filter(None, map(_words, pieces)))),
        blocks_of(pieces),
        tuple(dict.fromkeys(_cited(pieces))),
        blocks_of(without_native(pieces)) if native else None,
    )


def _words(piece: Piece) -> str:
    match piece:
        case Figure(chart=chart):
            return chart.title
        case Press(buttons=buttons):
            return " ".join(label for label, _ in buttons)
        case Row(header=header, cells=cells):
            return text_of(told(header, cells))
    return " ".join(filter(None, map(text_of, _runs(piece))))


def _cited(pieces: Iterable[Piece]) -> Iterator[str]:
    for piece in pieces:
        for runs in _runs(piece):
            yield from (run.url for run in runs if run.cites and run.url)


def _runs(piece: Piece) -> tuple[Runs, ...]:
    match piece:
        case Paragraph(runs=runs) | Item(runs=runs):
            return (runs,)
        case Row(cells=cells):
            return cells
    return ()
