"""Much source changed in often-changed files, and this pull request changed no test file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from bot.analysis.findings.evidence import Evidence, title
from bot.analysis.paths import directory
from bot.analysis.topics import topics_of
from bot.figures import Claim, Count
from bot.models import Finding, FindingKind, PullRequest, Urgency

_RISK = "untested"  # the rule of `rules/risks.yaml` whose evidence this finding tells
_FOLLOWS_WITHIN = timedelta(days=7)
_FEWEST_TEST_LINES = 50
_BESIDE = 0.01
"""Lines of product source per line of tests that a change of tests alone may touch, such as an empty line."""

_SAY_NOTHING = frozenset({"", "src", "lib", "core", "tests", "test", "unit", "integration", "e2e", "utils", "common"})


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding a pull request, with the pull request of tests that followed over the same area, if any."""
    for one in evidence.week.pull_requests:
        assessment = evidence.week.assessments.get(one.number)
        raised = assessment is not None and any(risk.rule == _RISK for risk in assessment.risks)
        if raised and not evidence.touches_tests(one) and evidence.stands(one):
            yield _finding(evidence, one)


def _finding(evidence: Evidence, one: PullRequest) -> Finding:
    followed_by = _tests_that_followed(evidence, one)
    lines = sum(file.churn for file in evidence.source(one))
    return Finding(
        kind=FindingKind.UNTESTED,
        urgency=Urgency.KNOW,
        pull_requests=(one.number, *((followed_by.number,) if followed_by else ())),
        files=tuple(file.path for file in evidence.source(one)),
        values={
            "number": one.number,
            "title": title(one),
            "lines": Count(lines, Claim.about("churn", numbers=(one.number,), source=1)),
            "followed_by": followed_by.number if followed_by else 0,
        },
        weight=lines,
    )


def _tests_that_followed(evidence: Evidence, one: PullRequest) -> PullRequest | None:
    """The next pull request of tests alone that shares a topic and a telling folder name with this one's source."""
    topics, areas = topics_of(one, evidence.rules), _areas(evidence, one, "source")
    for later in evidence.week.pull_requests:
        if (
            timedelta() < later.merged_at - one.merged_at <= _FOLLOWS_WITHIN
            and _is_tests_alone(evidence, later)
            and topics_of(later, evidence.rules) & topics
            and _areas(evidence, later, "test") & areas
        ):
            return later
    return None


def _is_tests_alone(evidence: Evidence, one: PullRequest) -> bool:
    added = sum(file.additions for file in one.files if evidence.kind(file.path) == "test")
    beside = sum(file.churn for file in evidence.source(one))
    return added >= _FEWEST_TEST_LINES and beside <= _BESIDE * added and evidence.stands(one)


def _areas(evidence: Evidence, one: PullRequest, kind: str) -> set[str]:
    """The words of the two innermost folder names; they name the area on both sides of a test tree."""
    folders = (directory(file.path).split("/")[-3:-1] for file in one.files if evidence.kind(file.path) == kind)
    return {word for names in folders for name in names for word in name.split("_")} - _SAY_NOTHING
