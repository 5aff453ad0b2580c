"""What is wrong with a typed command, for the wording of the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.commands.table import Command

_SHOWN = 60  # characters of foreign text that an answer quotes


class CommandProblem(Exception):  # noqa: N818 - the asker's to mend, not an error of ours
    """A text that is no command. `values` feed the wording; each is a str, "" where there is none.

    unknown_command       given, nearest (a name of the table), suggestion (the whole command mended; it parses)
    unknown_option        given, nearest
    missing_argument      of (a command's name, or an option's with its sign), usage
    bad_number            command, given, usage
    unexpected_argument   command, given, usage
    several_repositories  given (their names, sorted)
    """

    def __init__(self, code: str, *, given: str = "", **values: str) -> None:
        super().__init__(code)
        self.code = code
        self.values: Mapping[str, str] = {"given": _clipped(given), **values}


def at_most(row: Command, words: Sequence[str], limit: int) -> tuple[str, ...]:
    """The words, of which there are no more than `limit`. Raises CommandProblem."""
    if len(words) > limit:
        raise unexpected(row, words[limit])
    return tuple(words)


def unexpected(row: Command, given: str) -> CommandProblem:
    """The problem of a word that the command can do nothing with."""
    return CommandProblem("unexpected_argument", command=row.name, given=given, usage=row.usage)


def _clipped(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
