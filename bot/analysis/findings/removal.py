"""Removals and deprecations: what users must stop using, by what was deleted and what names are gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.analysis.findings.evidence import Evidence, of_diff, short_title
from bot.figures import Claim, Count
from bot.models import DiffFact, Finding, FindingKind, PullRequest, Urgency

_FEWEST_LINES = 40
"""Lines of source that a removal takes away on balance."""

_FEWEST_NAMED = 30
"""Lines of source that it deletes when its title names what is removed; it may add more than it deletes."""

_MUCH = 100
"""Lines on balance from which vanished names tell a removal whatever the title says."""

_NOT_PRODUCT = frozenset({"ci", "docs", "test", "dependencies"})
_NAMES = 3
_SETTING = 200


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding a removal, and one for all announced deprecations that remove nothing yet."""
    announced = []
    for one in evidence.week.pull_requests:
        if is_removal(evidence, one):
            yield _finding(evidence, one)
        elif _is_of_product(evidence, one) and evidence.says("deprecates", one):
            announced.append(one)
    if announced:
        yield _deprecations(evidence, announced)


def is_removal(evidence: Evidence, one: PullRequest) -> bool:
    """Whether a pull request takes something away from product source: its title says so, or public names are gone."""
    if not _is_of_product(evidence, one):
        return False
    added, deleted = _lines(evidence, one)
    mostly = deleted >= 2 * added
    vanished, says_so = len(_vanished(evidence, one)), evidence.says("removes", one)
    if mostly and vanished >= (1 if says_so else _NAMES):
        return deleted - added >= (_FEWEST_LINES if says_so else _MUCH)
    if not says_so or evidence.says("removes_little", one):
        return False
    named = evidence.says("removes_name", one) and deleted >= _FEWEST_NAMED
    return named or (mostly and deleted - added >= _FEWEST_LINES)


def _is_of_product(evidence: Evidence, one: PullRequest) -> bool:
    features = evidence.features[one.number]
    return bool(features.source) and features.type not in _NOT_PRODUCT and evidence.stands(one)


def _lines(evidence: Evidence, one: PullRequest) -> tuple[int, int]:
    source = evidence.source(one)
    return sum(file.additions for file in source), sum(file.deletions for file in source)


def _vanished(evidence: Evidence, one: PullRequest) -> Sequence[DiffFact]:
    """Flags and variables that are gone, then classes, then other public names."""
    gone = [fact for fact in evidence.diff_facts("flag", "environment") if fact.number == one.number and not fact.new]
    vanished = (fact for fact in evidence.diff_facts("vanished") if fact.number == one.number)
    names = [fact for fact in vanished if not fact.name.startswith("test")]
    return [*gone, *sorted(names, key=lambda fact: not fact.name[0].isupper())]


def _finding(evidence: Evidence, one: PullRequest) -> Finding:
    added, deleted = _lines(evidence, one)
    facts = _vanished(evidence, one)
    settings = any(fact.kind != "vanished" for fact in facts)
    return Finding(
        kind=FindingKind.REMOVAL,
        urgency=Urgency.UPGRADE,
        pull_requests=(one.number,),
        files=tuple(file.path for file in evidence.source(one) if file.status == "removed"),
        values={
            "number": one.number,
            "title": short_title(one, evidence.rules),
            "additions": Count(added, Claim.about("additions", numbers=(one.number,), source=1)),
            "deletions": Count(deleted, Claim.about("deletions", numbers=(one.number,), source=1)),
            "names": [of_diff(fact, fact.name) for fact in facts[:_NAMES]],
            "more_names": len(facts) > _NAMES,
            "announced": [],
        },
        weight=max(deleted - added, 0) + (_SETTING if settings or evidence.says("deprecates", one) else 0),
    )


def _deprecations(evidence: Evidence, announced: Sequence[PullRequest]) -> Finding:
    numbers = evidence.ordered(announced)
    return Finding(
        kind=FindingKind.REMOVAL,
        urgency=Urgency.UPGRADE,
        pull_requests=numbers,
        values={
            "announced": [
                {"number": number, "title": short_title(evidence.pull_requests[number], evidence.rules)}
                for number in numbers
            ]
        },
    )
