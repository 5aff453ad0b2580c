"""A serious fault mended: the title names a hang, a crash, wrong results …, and product source is changed."""

from __future__ import annotations

from collections.abc import Iterator

from bot.analysis.findings.evidence import Evidence
from bot.analysis.rules import Fault
from bot.figures import Claim, Count
from bot.models import Finding, FindingKind, PullRequest, Urgency


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
            "count": Count(len(numbers), Claim.about("pull_requests", fault=fault.name)),
        },
        weight=fault.reach,
    )
