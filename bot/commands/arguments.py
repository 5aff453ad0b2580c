"""The arguments of a command, by the kind that the table gives it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.commands.problem import CommandProblem, at_most
from bot.commands.subscribing import repositories, subscription
from bot.commands.table import ALL_WORDS, Command

LARGEST_NUMBER = 2**31 - 1  # GitHub's API gives pull-request numbers as signed 32-bit integers
PULL = re.compile(
    r"(?:(?:https?://)?[^\s/]+/(?P<linked>[\w.-]+/[\w.-]+)/pull/(?P<in_link>[0-9]+)(?:[/?#|].*)?"
    r"|(?P<short>[\w.-]+/[\w.-]+)#(?P<in_short>[0-9]+)"
    r"|(?:pr)?[#:]*(?P<bare>[0-9]+)号?)",
    re.IGNORECASE | re.ASCII,
)
BETWEEN_NUMBERS = re.compile("[ ,、;和与及]+")
_FILLERS = frozenset({"", "#", "pr", "&", "and"})
_COUNT = re.compile(r"前? ?([0-9]+) ?[个条项名]?(?: ?prs?)?", re.IGNORECASE)


def read_arguments(row: Command, words: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The arguments in canonical form, and the repositories that links among them name. Raises CommandProblem."""
    match row.kind:
        case "count":
            return _count(row, words), ()
        case "numbers":
            return _pull_requests(row, words)
        case "number":
            numbers, named = _pull_requests(row, words)
            return at_most(row, numbers, 1), named
        case "category":
            return ((" ".join(words),) if words else ()), ()
        case "baseline":
            return at_most(row, _at_least_one(row, words), 1), ()
        case "repositories":
            return repositories(row, words), ()
        case "subscription":
            return subscription(row, words), ()
    return at_most(row, words, 0), ()


def about(row: Command, word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The pull request that one word names, if it names one, and its repository if the word has it.

    Raises CommandProblem for a number that no pull request has.
    """
    match = PULL.fullmatch(word.strip("()[].,'"))
    return ((), ()) if match is None else _pull_requests(row, [word.strip("()[].,'")])


def _at_least_one(row: Command, words: Sequence[str]) -> Sequence[str]:
    if not words:
        raise CommandProblem("missing_argument", of=row.name, usage=row.usage)
    return words


def _count(row: Command, words: list[str]) -> tuple[str, ...]:
    if not words:
        return ()
    if "all" in row.usage and words[0].casefold() in ALL_WORDS:
        at_most(row, words, 1)
        return ("all",)
    if match := _COUNT.fullmatch(" ".join(words)):
        return (_number(row, match[1]),)
    if match := _COUNT.fullmatch(words[0]):
        _number(row, match[1])
        at_most(row, words, 1)
    raise _bad_number(row, words[0])


def _pull_requests(row: Command, words: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    pieces = [piece.strip("()[].'") for piece in BETWEEN_NUMBERS.split(" ".join(words))]
    numbers: list[str] = []
    named: list[str] = []
    for piece in _at_least_one(row, [piece for piece in pieces if piece.casefold() not in _FILLERS]):
        match = PULL.fullmatch(piece)
        if match is None:
            raise _bad_number(row, piece)
        numbers.append(_number(row, match["in_link"] or match["in_short"] or match["bare"]))
        named.extend(filter(None, (match["linked"], match["short"])))
    return tuple(dict.fromkeys(numbers)), tuple(named)


def _number(row: Command, digits: str) -> str:
    significant = digits.lstrip("0")
    # Length first: int() refuses thousands of digits.
    if not significant or len(significant) > len(str(LARGEST_NUMBER)) or int(significant) > LARGEST_NUMBER:
        raise _bad_number(row, digits)
    return significant


def _bad_number(row: Command, given: str) -> CommandProblem:
    return CommandProblem("bad_number", command=row.name, given=given, usage=row.usage)
