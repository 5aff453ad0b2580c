"""What undoes what: reverts by number, commit, exact or cut title, reverts of reverts, and what was redone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from functools import cached_property

from bot.analysis.revert_titles import LONGEST, folded, is_revert, reapplies, undoing, without_areas
from bot.models import PullRequest

__all__ = ["Reversal", "is_revert", "reverts_of"]

_BODY = re.compile(r"\breverts?\s+(?:[\w.-]+/[\w.-]+)?#(\d{1,9})\b", re.IGNORECASE)
_COMMIT = re.compile(r"\breverts?\s+commit\s+([0-9a-f]{7,64})\b", re.IGNORECASE)
_REMARK = re.compile(r"\s*\([^)]*\)\s*$")  # "(take 2)"
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"\w{2,}")
_PLAIN = frozenset({"the", "for", "of", "to", "and"})
_BESIDE = frozenset({"test", "tests", "ci", "doc", "docs"})  # what a follow-up changes besides the work itself
_SHORTEST_PREFIX = 20
_SAME_SUBJECT = 0.6
_SAME_FILES = 1 / 2  # of the target's
_FEWEST_WORDS, _FEWEST_WORDS_OF_A_REDO = 3, 2


@dataclass(frozen=True, slots=True)
class Reversal:
    """`number` undoes `target`; `redone` is the later pull request that brought the target's work back, if any."""

    number: int
    target: int
    redone: int | None = None


def reverts_of(pull_requests: Sequence[PullRequest], earlier: Iterable[PullRequest]) -> tuple[Reversal, ...]:
    """The reverts among `pull_requests` whose target is found among them or among `earlier` (both oldest first).

    A revert of a revert is listed with the revert as its target, and it is what redoes the first one's work. A revert
    of several is listed once for each. Work that was brought back and reverted again counts as not redone.
    """
    known = _Known([*earlier, *pull_requests])
    pairs = [(one, target) for one in pull_requests for target in _targets(one, known)]
    gone = {target.number for _, target in pairs}
    standing = [one for one in pull_requests if one.number not in gone]
    restorers = {target.number: one for one, target in pairs if one.number not in gone}
    return tuple(_reversal(one, target, restorers.get(one.number), standing) for one, target in pairs)


class _Known:
    """The pull requests among which targets are looked for."""

    def __init__(self, pull_requests: Sequence[PullRequest]) -> None:
        self.pull_requests = pull_requests
        self.by_number = {one.number: one for one in pull_requests}

    @cached_property
    def by_title(self) -> Mapping[str, Sequence[PullRequest]]:
        """By folded title."""
        found: dict[str, list[PullRequest]] = {}
        for one in self.pull_requests:
            found.setdefault(folded(one.title), []).append(one)
        return found

    @cached_property
    def by_bare_title(self) -> Mapping[str, Sequence[PullRequest]]:
        """By folded title without its areas."""
        found: dict[str, list[PullRequest]] = {}
        for title, some in self.by_title.items():
            found.setdefault(without_areas(title), []).extend(some)
        return found


def _targets(one: PullRequest, known: _Known) -> Sequence[PullRequest]:
    said = undoing(one.title)
    if said is None:
        return ()
    return (
        _by_number(said.numbers, one, known)
        or _by_number((int(number) for number in _BODY.findall(one.body)), one, known)
        or _by_commit(one, known)
        or (_by_title(folded(said.quoted), one, known, cut=said.cut) if said.quoted else ())
    )


def _when(one: PullRequest) -> tuple[datetime, int]:
    return one.merged_at, one.number


def _by_number(numbers: Iterable[int], one: PullRequest, known: _Known) -> Sequence[PullRequest]:
    found = (known.by_number.get(number) for number in dict.fromkeys(numbers))
    return [other for other in found if other and other.number != one.number and _when(other) < _when(one)]


def _by_commit(one: PullRequest, known: _Known) -> Sequence[PullRequest]:
    commits = tuple(commit.lower() for commit in _COMMIT.findall(one.body))
    return [other for other in known.pull_requests if other.commit and other.commit.startswith(commits)]


def _by_title(title: str, one: PullRequest, known: _Known, *, cut: bool) -> Sequence[PullRequest]:
    """The latest earlier one of that title, with its areas or else without; of a cut title, if no two begin like it."""
    if cut and len(prefix := title.rstrip("….").rstrip()) >= _SHORTEST_PREFIX:
        alike = [some for whole, some in known.by_title.items() if whole.startswith(prefix)]
        found = known.by_title.get(prefix) or (alike[0] if len(alike) == 1 else ())
    else:
        found = known.by_title.get(title) or known.by_bare_title.get(title, ())
    return sorted((other for other in found if _when(other) < _when(one)), key=_when)[-1:]


def _reversal(
    one: PullRequest, target: PullRequest, restorer: PullRequest | None, standing: Sequence[PullRequest]
) -> Reversal:
    redone = restorer or next(_redoing(one, target, standing), None)
    return Reversal(one.number, target.number, redone.number if redone else None)


def _redoing(reversal: PullRequest, target: PullRequest, standing: Sequence[PullRequest]) -> Iterator[PullRequest]:
    """Later pull requests that take up the target's subject over its files, or say that they reapply it."""
    paths = {file.path for file in target.files}
    numbers = {str(target.number), str(reversal.number)}
    for other in standing:
        if _when(other) <= _when(reversal) or is_revert(other.title):
            continue
        same_files = sum(file.path in paths for file in other.files) >= max(_SAME_FILES * len(paths), 1)
        named = not numbers.isdisjoint(_DIGITS.findall(other.title))
        if (same_files and _takes_up(other, target)) or (named and reapplies(other.title)):
            yield other


def _takes_up(later: PullRequest, target: PullRequest) -> bool:
    ones, others = _words(_REMARK.sub("", later.title[:LONGEST])), _words(target.title[:LONGEST])
    if reapplies(later.title):
        return len(ones & others) >= _FEWEST_WORDS_OF_A_REDO
    return _same_subject(ones, others)


def _same_subject(ones: set[str], others: set[str]) -> bool:
    if (ones - others) & _BESIDE:
        return False
    if len(others) >= _FEWEST_WORDS and others <= ones:
        return True
    return SequenceMatcher(None, sorted(ones), sorted(others)).ratio() >= _SAME_SUBJECT


def _words(title: str) -> set[str]:
    return set(_WORD.findall(title.casefold())) - _PLAIN
