"""A collision point: one source file changed by many pull requests of many authors within the period."""

from __future__ import annotations

from collections.abc import Iterator

from bot.analysis.findings.evidence import Evidence, path
from bot.figures import Claim, Count
from bot.models import Finding, FindingKind, PullRequest, Urgency

_LEAST = 4
"""Pull requests, and authors less one, from which on people get in each other's way."""


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding a file. Lists to which everyone adds a line, bots and reverts with their targets are left out."""
    for name, touching in evidence.by_path.items():
        people = [one for one in touching if one.author_kind != "bot" and evidence.stands(one)]
        if len(people) >= _LEAST and _collides(evidence, name, people):
            yield _finding(evidence, name, people)


def _collides(evidence: Evidence, name: str, people: list[PullRequest]) -> bool:
    lines = [file.churn for one in people for file in one.files if file.path == name]
    is_list = sorted(lines)[len(lines) // 2] <= 2  # noqa: PLR2004 - a line in a registry and its neighbour
    return evidence.kind(name) == "source" and not is_list and len({one.author for one in people}) >= _LEAST - 1


def _finding(evidence: Evidence, name: str, people: list[PullRequest]) -> Finding:
    numbers = evidence.ordered(people)
    return Finding(
        kind=FindingKind.COLLISION,
        urgency=Urgency.KNOW,
        pull_requests=numbers,
        files=(name,),
        values={
            "path": path(name, people),
            "count": Count(len(numbers), Claim.about("pull_requests", numbers=numbers, path=name)),
            "authors": Count(len({one.author for one in people}), Claim.about("authors", numbers=numbers, path=name)),
        },
        weight=len(people),
    )
