"""`help`: every command that this bot answers here, computed from the tables."""

from collections.abc import Iterable, Iterator

from bot.commands import COMMANDS, OPTIONS, Command
from bot.dispatch import Context, Request
from bot.message import Message


def handle(context: Context, request: Request) -> Message:
    """One line a command: its notation, its Chinese name, what it gives. Those for admins are shown to admins."""
    here = [row for row in COMMANDS if row.name in _answered()]
    options = [{"name": option.name, "usage": option.usage} for option in OPTIONS]
    blocks = request.subject.wording.blocks(
        "replies/help",
        rows=[_row(context, row) for row in here if not row.for_admins],
        for_admins=[_row(context, row) for row in here if row.for_admins and context.is_admin],
        options=options,
        repositories=[subject.name for subject in context.subjects.values()],
        platform=context.chat.platform if context.chat else "",
    )
    return Message(blocks)


def _row(context: Context, row: Command) -> dict[str, str]:
    return {
        "name": row.name,
        "usage": f"{context.command} {row.name} {row.usage}".strip(),
        "chinese": _first(row.synonyms),
    }


def _first(words: Iterable[str]) -> str:
    return next(iter(words), "")


def _answered() -> Iterator[str]:
    from handlers import HANDLERS  # noqa: PLC0415 - the table imports this module

    yield from HANDLERS
