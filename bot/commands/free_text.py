"""Commands that take any text: `wrong` and `correct`. Nothing in it is an option, and it stays as it was typed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from bot.commands.arguments import about
from bot.commands.problem import CommandProblem
from bot.commands.spelling import SLASHES, normalised, one_of, without_end
from bot.commands.table import ROWS, TEXTS
from bot.text import clean

_FREE = re.compile(rf"[{re.escape(SLASHES)}]?({one_of(TEXTS)})(?:[ :,]+(.*)|([#0-9].*))?", re.IGNORECASE)
_PR_FIRST = re.compile("^pr[ #:]*(?=[0-9])", re.IGNORECASE)
_NUMBER_FIRST = re.compile("^(#?[0-9]+)[,;:、] ?")
_REPOSITORY = re.compile("(?:repo|repository|仓库)[=:](.+)", re.IGNORECASE)
_BREAKS = ":：,，"
_MOST_BREAKS = 40  # before the text there are a command, a number and a repository


@dataclass(frozen=True, slots=True)
class FreeText:
    """A command by name, the pull request and the repositories it begins with, and the rest."""

    name: str
    arguments: tuple[str, ...]
    asked: str | None
    named: tuple[str, ...]
    text: str


def free_text(line: str) -> FreeText | None:
    """What a normalised line says, if it is a command that takes any text; None for any other line.

    Raises CommandProblem where there is no text and there must be, and for a number that no pull request has.
    """
    match = _FREE.fullmatch(line)
    if match is None:
        return None
    row, rest = ROWS[TEXTS[match[1].casefold()]], match[2] or match[3] or ""
    words = _NUMBER_FIRST.sub(r"\1 ", _PR_FIRST.sub("", rest)).split(" ")
    arguments, named = about(row, words[0]) if row.kind == "report" else ((), ())
    words = words[len(arguments) :]
    asked = _REPOSITORY.fullmatch(words[0]) if arguments and words else None
    text = " ".join(words[1:] if asked else words)
    if row.kind == "text" and not text:
        raise CommandProblem("missing_argument", of=row.name, usage=row.usage)
    return FreeText(row.name, arguments, asked and asked[1], named, text)


def is_free_text(line: str) -> bool:
    """Whether a normalised line is a command that takes any text."""
    return _FREE.fullmatch(line) is not None


def as_typed(text: str, rest: str) -> str:
    """The end of a typed text, on one line, that reads `rest` once it is normalised."""
    line = clean(text)
    starts = (index for index, before in enumerate(f" {line}") if before.isspace() or before in _BREAKS)
    ends = (line[start:].strip() for start in islice(starts, _MOST_BREAKS))
    return next((end for end in ends if without_end(normalised(end)) == rest), rest)
