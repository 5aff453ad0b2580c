"""The pull requests that a text names: by number, by short form and by address."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from bot.commands import normalised
from bot.commands.arguments import LARGEST_NUMBER

_ONE = r"[\w.-]{1,100}"  # bounded, so that a long text costs no more than its length
_NAME = rf"{_ONE}/{_ONE}"
_LINK = rf"(?<![\w.-])(?:https?://)?[\w.-]{{1,253}}(?::[0-9]+)?/(?P<linked>{_NAME})/pull/(?P<in_link>[0-9]+)(?:[/?#|][^\s,，。;；]*)?"
_SHORT = rf"(?<![\w.-])(?P<short>{_NAME}|(?=[\w.-]{{0,100}}[A-Za-z]){_ONE})#(?P<in_short>[0-9]+)"
_WORD = r"(?:\b(?:prs?|pull ?requests?)|合并请求)"
_BARE = rf"(?<![\w&/])(?:{_WORD} ?[:#]? ?#?|# ?)(?P<bare>[0-9]+)|(?<![\w.#/-])(?P<counted>[0-9]{{2,}}) ?号 ?{_WORD}"
_REFERENCE = re.compile(rf"(?:{_LINK}|{_BARE}|{_SHORT})(?![A-Za-z0-9_])", re.IGNORECASE | re.ASCII)
_ISSUE = re.compile(r"(?:\b(?:issues?|ticket|bug)|工单|问题) ?$", re.IGNORECASE | re.ASCII)
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_REPOSITORY = re.compile(r"(?:--)?(?:repo|repository|仓库) ?[=:] ?(?P<name>[\w./-]+)", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Reference:
    """A pull request as a text names it. `repository` is a full or a short name as typed, None for a bare number."""

    number: int
    repository: str | None = None
    by_link: bool = False


def references(text: str, repositories: Collection[str] = ()) -> tuple[Reference, ...]:
    """The pull requests named, in reading order, each once.

    An issue's number is none, nor is one that GitHub never gives. A word before # that is the short name of no
    repository in `repositories` makes none either: C#8 is a language.
    """
    return tuple(dict.fromkeys(reference for _, reference in _found(normalised(text), repositories)))


def without_references(text: str, repositories: Collection[str] = ()) -> str:
    """The normalised text without the pull requests that it names and without addresses."""
    line = normalised(text)
    return " ".join(_ADDRESS.sub(" ", _rewritten(line, repositories, lambda _: " ")).split())


def with_bare_numbers(text: str, repositories: Collection[str]) -> str:
    """The normalised text with every pull request named by its number alone, and no repository named at all."""
    line = _rewritten(normalised(text), repositories, lambda one: f" #{one.number} ")
    for name in repositories:
        line = _full_name(name).sub(" ", line)
    return " ".join(_REPOSITORY.sub(" ", line).split())


def repositories_named(text: str, repositories: Collection[str]) -> tuple[str, ...]:
    """The repositories named, in full or with a pull request or by `repo=`: as in `repositories`, else as typed."""
    line = normalised(text)
    typed = [match["name"] for match in _REPOSITORY.finditer(line)]
    typed += [one.repository for one in references(line, repositories) if one.repository is not None]
    typed += [name for name in repositories if _full_name(name).search(line)]
    return tuple(dict.fromkeys(known_as(one, repositories) or one for one in typed))


def known_as(given: str, repositories: Collection[str]) -> str | None:
    """The one repository that a full or short name as typed means; None: there is none, or several."""
    folded = given.casefold()
    found = [name for name in repositories if folded in {name.casefold(), name.partition("/")[2].casefold()}]
    return found[0] if len(found) == 1 else None


def _full_name(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", re.IGNORECASE | re.ASCII)


def _rewritten(line: str, repositories: Collection[str], put: Callable[[Reference], str]) -> str:
    kept, end = [], 0
    for match, reference in _found(line, repositories):
        kept += [line[end : match.start()], put(reference)]
        end = match.end()
    return "".join([*kept, line[end:]])


def _found(line: str, repositories: Collection[str]) -> Iterator[tuple[re.Match[str], Reference]]:
    for match in _REFERENCE.finditer(line):
        digits = match["in_link"] or match["in_short"] or match["bare"] or match["counted"]
        repository: str | None = match["linked"] or match["short"]
        # Length first: int() refuses thousands of digits.
        significant = digits.lstrip("0")
        if not significant or len(significant) > len(str(LARGEST_NUMBER)) or int(significant) > LARGEST_NUMBER:
            continue
        if repository is not None and "/" not in repository and known_as(repository, repositories) is None:
            continue
        if not _ISSUE.search(line[: match.start()]):
            yield match, Reference(int(significant), repository, by_link=match["linked"] is not None)
