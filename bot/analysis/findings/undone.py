"""Undone by another: lines that one pull request had added days before are removed by another person's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bot.analysis.findings.evidence import Evidence, gap, of_diff, path, short_title
from bot.analysis.lineage import is_revert
from bot.figures import Claim, Count, Scalar
from bot.models import DiffFact, Finding, FindingKind, PullRequest, Urgency

_A_FIX = 40
"""How many removed lines it weighs as much as that they were of a fix."""

_MOST_LINES = 60

_OF_A_REMOVAL = 0.1
"""The share of a removal's deleted lines below which they were only taken along."""


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding a pull request, with the other's work that lost most.

    Reverts and what they take back, one's own work, files that were removed as a whole and what a large removal takes
    along speak for themselves and are left out. So is what an upgrade or a fix undoes of a new feature.
    """
    lost: dict[int, dict[int, list[DiffFact]]] = {}
    for fact in evidence.diff_facts("undone"):
        by, other = evidence.pull_requests[fact.number], evidence.known.get(fact.other)
        if other is not None and _perhaps_unknowingly(evidence, by, other) and not _taken_along(evidence, by, fact):
            lost.setdefault(by.number, {}).setdefault(other.number, []).append(fact)
    for number, others in lost.items():
        yield _finding(evidence, evidence.pull_requests[number], others)


def _taken_along(evidence: Evidence, by: PullRequest, fact: DiffFact) -> bool:
    if any(file.path == fact.path and file.status == "removed" for file in by.files):
        return True
    return evidence.says("removes", by) and fact.lines < _OF_A_REMOVAL * by.deletions


def _perhaps_unknowingly(evidence: Evidence, by: PullRequest, other: PullRequest) -> bool:
    if by.author == other.author or is_revert(by.title) or is_revert(other.title):
        return False
    on_purpose = any(evidence.says(words, by) for words in ("removes", "bumps")) or by.number in evidence.fixes
    return not on_purpose or other.number in evidence.fixes


def _finding(evidence: Evidence, by: PullRequest, others: Mapping[int, list[DiffFact]]) -> Finding:
    ordered = sorted(others, key=lambda number: -_weight(evidence, number, others[number]))
    other = evidence.known[ordered[0]]
    facts = sorted(others[other.number], key=lambda fact: -fact.lines)
    of_file: dict[str, Scalar] = {"number": by.number, "other": other.number, "path": facts[0].path}
    return Finding(
        kind=FindingKind.UNDONE,
        urgency=Urgency.ACT,
        pull_requests=(by.number, *ordered),
        files=tuple(fact.path for fact in facts),
        values={
            "number": by.number,
            "title": short_title(by, evidence.rules),
            "other": other.number,
            "other_title": short_title(other, evidence.rules),
            "gap": gap(other, by),
            "path": path(facts[0].path, [by]),
            "lines": Count(facts[0].lines, Claim.about("diff_lines", kind="undone", **of_file)),
            "quoted": of_diff(facts[0], facts[0].old),
            "in_other_files": len(facts) > 1,
            "and_of": ordered[1:],
            "tests": evidence.touches_tests(by),
        },
        weight=_weight(evidence, other.number, facts),
    )


def _weight(evidence: Evidence, other: int, facts: Sequence[DiffFact]) -> float:
    lines = min(sum(fact.lines for fact in facts), _MOST_LINES)
    return lines + (_A_FIX if other in evidence.fixes else 0)
