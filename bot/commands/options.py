"""The options of a command: repo=, week= and share, wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.commands.problem import CommandProblem
from bot.commands.spelling import nearest, one_of
from bot.commands.table import NAMES, OPTION_NAMES, OPTIONS, SHARE_WORDS, WEEKS

WEEK_NUMBER = re.compile("[0-9]{4}-?W[0-9]{1,2}", re.IGNORECASE)
_KEYS = one_of(OPTION_NAMES.keys() - SHARE_WORDS)
_SIGN = re.compile(rf"(?:^|(?<= ))(?:--?({_KEYS})(?: ?[=:] ?| )|({_KEYS}) ?[=:] ?)", re.IGNORECASE)
_OPTION = re.compile(r"(-{0,2}\w[\w-]*)=(.*)")
_REPOSITORY_LINK = re.compile(r"https?://[^/]+/([^/]+/[^/?#]+?)(?:\.git)?(?:[/?#].*)?", re.IGNORECASE)


def words_of(line: str) -> list[str]:
    """The words of a normalised line, an option and its value being one: `repo: x`, `repo = x` and `--repo x` too."""
    joined = _SIGN.sub(r"\1\2=", re.sub(" ?= ?", "=", line))
    return [word for part in joined.split() if (word := part.strip("'"))]


def take_options(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The options by name, and the other words. Of an option given twice the last counts. Raises CommandProblem."""
    options: dict[str, str] = {}
    rest: list[str] = []
    for word in words:
        folded = word.lstrip("-").casefold()
        if folded in SHARE_WORDS:
            options["share"] = word
        elif folded in WEEKS or WEEK_NUMBER.fullmatch(word):
            options["week"] = WEEKS.get(folded, word)
        elif match := _OPTION.fullmatch(word):
            if match[1].casefold() in NAMES.keys() - OPTION_NAMES.keys():
                rest.append(f"{match[1]}:{match[2]}")  # pr=39205
            else:
                options |= _option(match[1], match[2].strip("'"))
        elif word.startswith("--"):
            options |= _option(word, "")
        else:
            rest.append(word)
    return options, rest


def written(options: dict[str, str]) -> list[str]:
    """The options as words to type."""
    return [name if name == "share" else f"{name}={value}" for name, value in options.items()]


def _option(typed: str, value: str) -> dict[str, str]:
    key = typed.lstrip("-")
    name = OPTION_NAMES.get(key.casefold())
    if name is None:
        raise CommandProblem("unknown_option", given=key, nearest=nearest(key, OPTION_NAMES))
    if name == "share":
        raise CommandProblem("unexpected_argument", command=name, given=value, usage=name)
    if not value or "=" in value or value.startswith("--"):
        usage = next(option.usage for option in OPTIONS if option.name == name)
        raise CommandProblem("missing_argument", of=f"{name}=", usage=usage)
    return {name: WEEKS.get(value.casefold(), value) if name == "week" else _repository(value)}


def _repository(value: str) -> str:
    link = _REPOSITORY_LINK.fullmatch(value)
    return link[1] if link else value
