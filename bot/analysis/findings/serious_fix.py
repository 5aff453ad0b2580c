"""A serious fault mended: the title names a hang, a crash, wrong results …, and product source is changed."""

from __future__ import annotations

from collections.abc import Iterator

from bot.analysis.findings.evidence import Evidence, short_title
from bot.analysis.rules import Fault
from bot.figures import Claim, Count
from bot.models import Finding, FindingKind, PullRequest, Urgency

_TOLD = 3
"""Pull requests whose titles are told; the others are numbers."""


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding a kind of fault, with every pull request that mends one and was not taken back."""
    mended: dict[str, tuple[Fault, list[PullRequest]]] = {}
    for one in evidence.week.pull_requests:
        fault = evidence.features[one.number].fault
        if fault is not None and evidence.stands(one):
            mended.setdefault(fault.name, (fault, []))[1].append(one)
    for fault, pull_requests in mended.values():
        yield _finding(evidence, fault, pull_requests)


def _finding(evidence: Evidence, fault: Fault, pull_requests: list[PullRequest]) -> Finding:
    numbers = evidence.ordered(pull_requests)
    return Finding(
        kind=FindingKind.SERIOUS_FIX,
        urgency=Urgency.ACT,
        pull_requests=numbers,
        values={
            "fault": fault.name,
            "count": Count(len(numbers), Claim.about("pull_requests", numbers=numbers, fault=fault.name)),
            "told": [_told(evidence, number) for number in numbers[:_TOLD]],
            "others": numbers[_TOLD:],
        },
        weight=fault.reach,
    )


def _told(evidence: Evidence, number: int) -> dict[str, object]:
    one = evidence.pull_requests[number]
    return {
        "number": number,
        "title": short_title(one, evidence.rules),
        "platform": _platform(evidence, one),
    }


def _platform(evidence: Evidence, one: PullRequest) -> str:
    """The one platform in whose files alone the change is, where the title does not name it; else nothing."""
    paths = [file.path for file in evidence.source(one)]
    for rule in evidence.rules.tags:
        of_platform = rule.paths if rule.name in evidence.rules.platforms else None
        if of_platform is not None and all(of_platform.search(path) for path in paths):
            return "" if rule.title is not None and rule.title.search(one.title) else rule.name
    return ""
