"""Numbered series of pull requests: "[2/N]" in a title, and which titles belong to one series."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from difflib import SequenceMatcher

from bot.analysis.rules import Rules
from bot.models import PullRequest

_BRACKETS = re.compile(r"\[([^\]\[]*)\]")
_MARKER = re.compile(r"(\d+(?:\.\d+)?)\s*(?:/|of)\s*(\d+|\w)", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_SMALL = frozenset(["a", "an", "and", "as", "for", "from", "in", "into", "of", "on", "or", "the", "to", "vs", "with"])
_SAME_WORDS = 0.5
_SOON = timedelta(days=21)


@dataclass(frozen=True, slots=True)
class Part:
    """One numbered pull request. `marker` stands so in the title ("2/N"); `labels` are its bracketed areas, folded."""

    pull_request: PullRequest
    marker: str
    place: str
    total: str
    labels: frozenset[str]
    spelled: tuple[str, ...]
    words: frozenset[str]

    @property
    def open_ended(self) -> bool:
        """Whether the title leaves open how many there will be."""
        return not self.total.isdigit()

    @property
    def is_last(self) -> bool:
        """Whether it is the last that the title announces."""
        return self.place == self.total


def part_of(one: PullRequest, rules: Rules) -> Part | None:
    """The part of a series that a title says the pull request is; None when it says nothing of the kind."""
    found = rules.words["series"].search(one.title)
    marker = _MARKER.search(found[0]) if found else None
    if found is None or marker is None:
        return None
    rest = one.title[: found.start()] + " " + one.title[found.end() :]
    spelled = tuple(label.strip() for label in _BRACKETS.findall(rest) if not _says_nothing(label, rules))
    return Part(
        pull_request=one,
        marker=marker[0],
        place=marker[1],
        total=marker[2].casefold(),
        labels=frozenset(_folded(label) for label in spelled),
        spelled=spelled,
        words=frozenset(word for word in _WORD.findall(_BRACKETS.sub(" ", rest).casefold()) if len(word) > 1),
    )


def series_of(pull_requests: Sequence[PullRequest], rules: Rules) -> list[list[Part]]:
    """The series among pull requests that are given oldest first; each series oldest first, those of one part too."""
    series: list[list[Part]] = []
    for part in filter(None, (part_of(one, rules) for one in pull_requests)):
        before = next((some for some in reversed(series) if _continues(part, some)), None)
        if before is None:
            series.append([part])
        else:
            before.append(part)
    return series


def name_of(part: Part, before: Part | None) -> str:
    """How to call a series: its longest bracketed area, else what the titles of two parts share, else ""."""
    if part.spelled:
        return max(part.spelled, key=len)
    return _shared(part.pull_request.title, before.pull_request.title) if before else ""


def _continues(part: Part, earlier: Sequence[Part]) -> bool:
    """Only what is fairly certain: the same areas and way of counting, and the same hand, words or next number."""
    first = earlier[0]
    if part.labels != first.labels or part.open_ended != first.open_ended:
        return False
    if not part.open_ended and part.total != first.total:
        return False
    own = [other for other in earlier if other.pull_request.author == part.pull_request.author]
    follows = any(_follows(part, other) for other in (earlier if part.labels else own))
    alike = any(_alike(part, other) for other in (earlier if part.labels else own))
    is_next = follows and all(other.place != part.place for other in earlier)
    return alike or is_next or bool(part.labels and own)


def _alike(one: Part, other: Part) -> bool:
    either = one.words | other.words
    return bool(either) and len(one.words & other.words) >= _SAME_WORDS * len(either)


def _follows(part: Part, earlier: Part) -> bool:
    soon = part.pull_request.merged_at - earlier.pull_request.merged_at <= _SOON
    return soon and float(part.place) == float(earlier.place) + 1


def _says_nothing(label: str, rules: Rules) -> bool:
    return _folded(label) in rules.says_nothing or not _folded(label)


def _folded(label: str) -> str:
    return " ".join(_WORD.findall(label.casefold()))


def _shared(title: str, other: str) -> str:
    """The longest run of at least two words outside brackets that both titles have, as the first one spells it."""
    text = max(re.split(r"\[[^\]]*\]", title), key=len)
    words = list(re.finditer(r"[^\s()]+", text))
    others = re.findall(r"[^\s()]+", other)
    run = SequenceMatcher(None, [word[0] for word in words], others, autojunk=False).find_longest_match()
    shared = words[run.a : run.a + run.size]
    while shared and shared[0][0].casefold() in _SMALL:
        shared.pop(0)
    while shared and shared[-1][0].casefold() in _SMALL:
        shared.pop()
    return text[shared[0].start() : shared[-1].end()].strip(" :|,;-") if len(shared) > 1 else ""
