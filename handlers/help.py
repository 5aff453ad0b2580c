"""`help`: every command that this bot answers here, computed from the tables."""

from collections.abc import Iterable, Iterator

from bot.commands import COMMANDS, OPTIONS
from bot.dispatch import Context, Request
from bot.message import Message


def handle(context: Context, request: Request) -> Message:
    """One line a command: its notation, its Chinese name, what it gives."""
    rows = [
        {
            "name": row.name,
            "usage": f"{context.command} {row.name} {row.usage}".strip(),
            "chinese": _first(row.synonyms),
        }
        for row in COMMANDS
        if not row.for_admins and row.name in _answered()
    ]
    options = [{"name": option.name, "usage": option.usage} for option in OPTIONS]
    blocks = request.subject.wording.blocks(
        "replies/help", rows=rows, options=options, repositories=[subject.name for subject in context.subjects.values()]
    )
    return Message(blocks)


def _first(words: Iterable[str]) -> str:
    return next(iter(words), "")


def _answered() -> Iterator[str]:
    from handlers import HANDLERS  # noqa: PLC0415 - the table imports this module

    yield from HANDLERS
