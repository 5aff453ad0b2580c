"""The arguments of `subscribe` and `unsubscribe`: names of repositories, a day of the week, a time of the day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import time

from bot.commands.problem import at_most, unexpected
from bot.commands.spelling import one_of
from bot.commands.table import ALL_WORDS, DAYS, Command

_BETWEEN = re.compile("[ ,、;和与及]+")
_FILLERS = frozenset({"", "on", "at", "every", "weekly", "每周", "&", "and"})
_PART = "(?P<part>上午|早上|下午|晚上)?"
_TIME = re.compile(rf"{_PART}(?P<hour>[0-9]{{1,2}})(?::(?P<minute>[0-9]{{2}})|[点时](?P<half>半)?)")
_GLUED = re.compile(rf"(?<!\S)({one_of(DAYS)})(?=[^ ]*[0-9]{{1,2}}[:点时])", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)?", re.ASCII)
_NOON = 12


def subscription(row: Command, words: Sequence[str]) -> tuple[str, ...]:
    """The names, then the English name of a day and a time such as 09:00, where they were given.

    Raises CommandProblem for any other word, and for a second day or time.
    """
    names: list[str] = []
    days: list[str] = []
    times: list[str] = []
    for word in _BETWEEN.split(_GLUED.sub(r"\1 ", " ".join(words))):
        if word.casefold() in _FILLERS:
            continue
        if word.casefold() in DAYS:
            days.append(DAYS[word.casefold()])
        elif match := _TIME.fullmatch(word):
            times.append(_time(row, word, match))
        else:
            names.append(_name(row, word))
    return (*dict.fromkeys(names), *at_most(row, days, 1), *at_most(row, times, 1))


def repositories(row: Command, words: Sequence[str]) -> tuple[str, ...]:
    """The names, or "all". Raises CommandProblem for what is no name."""
    if words and words[0].casefold() in ALL_WORDS:
        at_most(row, words, 1)
        return ("all",)
    return tuple(dict.fromkeys(_name(row, word) for word in _BETWEEN.split(" ".join(words)) if word))


def _time(row: Command, given: str, match: re.Match[str]) -> str:
    hour, minute = int(match["hour"]), 30 if match["half"] else int(match["minute"] or 0)
    if match["part"] in {"下午", "晚上"} and hour < _NOON:
        hour += _NOON
    try:
        return f"{time(hour, minute):%H:%M}"
    except ValueError:
        raise unexpected(row, given) from None


def _name(row: Command, word: str) -> str:
    if not _NAME.fullmatch(word):
        raise unexpected(row, word)
    return word
