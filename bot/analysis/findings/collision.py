"""A collision point: one source file changed by many pull requests of many authors within the period."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.analysis.findings.evidence import Evidence, path
from bot.figures import Claim, Count
from bot.models import ChangedFile, Finding, FindingKind, PullRequest, Urgency

_LEAST = 4
"""Pull requests, and authors less one, from which on people get in each other's way."""

_REAL_LINES = 5
"""A smaller change of a file, an import or a log line, gets in nobody's way."""

_LIST_TOUCHES, _LIST_SHARE, _LIST_LINES = 10, 0.6, 9
"""A file is a list that everyone adds to when, of so many trailing changes, this share adds and removes nothing and
the usual one is no longer than so many lines."""

_SAME = 0.75
"""Two files that share this much of the smaller set of pull requests are one collision point."""

_MOST = 5
_ALSO = 2


@dataclass(frozen=True, slots=True)
class Point:
    """A file, the pull requests of people that changed it, and other files changed by nearly the same ones."""

    file: str
    pull_requests: tuple[PullRequest, ...]
    also: tuple[str, ...] = ()


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding a collision point, at most five, the most pull requests first."""
    return (_finding(evidence, point) for point in points(evidence))


def points(evidence: Evidence) -> list[Point]:
    """The collision points. Bots, reverts with their targets, and lists that everyone adds to are left out."""
    found: list[Point] = []
    for name, touching in evidence.by_path.items():
        people = tuple(one for one in touching if one.author_kind != "bot" and evidence.stands(one))
        if len(people) >= _LEAST and evidence.kind(name) == "source" and _collides(evidence, name, people):
            found.append(Point(name, people))
    return _merged(sorted(found, key=lambda point: (-len(point.pull_requests), -_lines(point), point.file)))[:_MOST]


def _collides(evidence: Evidence, name: str, people: Sequence[PullRequest]) -> bool:
    real = [one for one in people if _change(one, name).churn >= _REAL_LINES]
    return len(real) >= _LEAST and len({one.author for one in real}) >= _LEAST - 1 and not _is_list(evidence, name)


def _is_list(evidence: Evidence, name: str) -> bool:
    changes = [file for one in evidence.week.history for file in one.files if file.path == name]
    if len(changes) < _LIST_TOUCHES:
        return False
    adding = sum(file.deletions <= 1 for file in changes)
    usual = sorted(file.churn for file in changes)[len(changes) // 2]
    return adding >= _LIST_SHARE * len(changes) and usual <= _LIST_LINES


def _change(one: PullRequest, name: str) -> ChangedFile:
    return next(file for file in one.files if file.path == name)


def _lines(point: Point) -> int:
    return sum(_change(one, point.file).churn for one in point.pull_requests)


def _merged(found: Sequence[Point]) -> list[Point]:
    kept: list[Point] = []
    for point in found:
        index = next((i for i, other in enumerate(kept) if _overlap(point, other) >= _SAME), None)
        if index is None:
            kept.append(point)
        else:
            other = kept[index]
            kept[index] = Point(other.file, other.pull_requests, (*other.also, point.file))
    return kept


def _overlap(one: Point, other: Point) -> float:
    ones, others = ({pull_request.number for pull_request in point.pull_requests} for point in (one, other))
    return len(ones & others) / min(len(ones), len(others))


def _finding(evidence: Evidence, point: Point) -> Finding:
    people = point.pull_requests
    numbers = evidence.ordered(people)
    left_out = [one.number for one in evidence.by_path[point.file] if one not in people]
    before = evidence.week.span(1)
    earlier = sum(any(file.path == point.file for file in one.files) for one in before or ())
    return Finding(
        kind=FindingKind.COLLISION,
        urgency=Urgency.KNOW,
        pull_requests=numbers,
        files=(point.file, *point.also),
        values={
            "path": path(point.file, people),
            "count": Count(len(numbers), Claim.about("pull_requests", numbers=numbers, path=point.file)),
            "authors": Count(
                len({one.author for one in people}), Claim.about("authors", numbers=numbers, path=point.file)
            ),
            "left_out": Count(len(left_out), Claim.about("pull_requests", numbers=tuple(left_out), path=point.file)),
            "before": None if before is None else Count(earlier, Claim.about("pull_requests", span=1, path=point.file)),
            "also": [path(name, people) for name in point.also[:_ALSO]],
        },
        weight=len(people) + round(_lines(point) / (_lines(point) + 1000), 3),
    )
