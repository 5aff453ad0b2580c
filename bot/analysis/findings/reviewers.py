"""Who else knows what was changed: recent authors of its collision points and core files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice

from bot.analysis.findings import collision
from bot.analysis.findings.evidence import Evidence, author, folder, path
from bot.analysis.importance import HIGH
from bot.analysis.paths import directory
from bot.figures import Claim, Count, Word
from bot.models import Finding, FindingKind, PullRequest, Urgency

_LEAST = 3
"""Pull requests on a file that make someone know it."""

_NARROW = 0.03
"""Knowing a folder means knowing its files when no more than this share of the trailing pull requests changed it."""

_PEOPLE = 3
_MOST = 5
_EXAMPLES = 3
_WEEKS = 13


@dataclass(frozen=True, slots=True)
class _Change:
    """A file and the pull requests in question."""

    file: str
    pull_requests: tuple[PullRequest, ...]


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding a file, at most five: collision points, then core files that important changes went through."""
    weeks = _weeks(evidence)
    points = collision.points(evidence) if weeks else []
    changes = [_Change(point.file, point.pull_requests) for point in points]
    changes += _core_changes(evidence, {point.file for point in points}) if weeks else []
    found = ((change, *_who_else(evidence, change)) for change in changes)
    for change, place, people in islice((one for one in found if one[2]), _MOST):
        yield _finding(evidence, change, place, people, weeks)


def _weeks(evidence: Evidence) -> int:
    """How many whole weeks before the period are known, at most 13."""
    covered = evidence.week.covered_since
    return 0 if covered is None else max(0, min(_WEEKS, (evidence.week.period.since - covered).days // 7))


def _core_changes(evidence: Evidence, told: AbstractSet[str]) -> list[_Change]:
    """Core files by the important pull requests that stand and changed them most, the most important first."""
    changes: dict[str, list[PullRequest]] = {}
    for number in evidence.ordered(evidence.week.pull_requests):
        one = evidence.pull_requests[number]
        core = {file.path: file.churn for file in evidence.source(one) if file.path in evidence.past.core - told}
        if evidence.importance(number) >= HIGH and evidence.stands(one) and core:
            changes.setdefault(max(core, key=lambda name: (core[name], name)), []).append(one)
    return [_Change(file, tuple(some)) for file, some in changes.items()]


def _who_else(evidence: Evidence, change: _Change) -> tuple[str, list[Word]]:
    """Where (the file, else its folder) people have three trailing pull requests or more, and who, most first.

    Those who made the changes, or reviewed all of them, are left out.
    """
    involved = {one.author for one in change.pull_requests} | _reviewed_all(change)
    for place in (change.file, directory(change.file)):
        touching = _touching(evidence, place)
        theirs = Counter(one.author for one in touching if one.author_kind == "human")
        known = [name for name, count in theirs.items() if count >= _LEAST and name not in involved]
        if known:
            last = {one.author: one for one in touching}
            return place, [
                author(last[name]) for name in sorted(known, key=lambda name: (-theirs[name], name))[:_PEOPLE]
            ]
    return "", []


def _touching(evidence: Evidence, place: str) -> list[PullRequest]:
    """The trailing pull requests that changed a file, or files of a folder; none for a folder where much goes on."""
    history = evidence.week.history
    if not place.endswith("/"):
        return [one for one in history if any(file.path == place for file in one.files)]
    inside = [one for one in history if any(file.path.startswith(place) for file in one.files)]
    return inside if len(inside) <= _NARROW * len(history) else []


def _reviewed_all(change: _Change) -> set[str]:
    reviewers = [{review.author for review in one.reviews or ()} for one in change.pull_requests]
    return set.intersection(*reviewers)


def _finding(evidence: Evidence, change: _Change, place: str, people: Sequence[Word], weeks: int) -> Finding:
    numbers = evidence.ordered(change.pull_requests)
    return Finding(
        kind=FindingKind.REVIEWERS,
        urgency=Urgency.KNOW,
        pull_requests=numbers,
        files=(change.file,),
        values={
            "path": path(change.file, change.pull_requests),
            "folder": folder(place, change.pull_requests) if place != change.file else None,
            "examples": numbers[:_EXAMPLES],
            "more": len(numbers) > _EXAMPLES,
            "people": list(people),
            "weeks": Count(weeks, Claim.about("weeks")),
        },
        weight=len(numbers) + evidence.importance(numbers[0]) / 100,
    )
