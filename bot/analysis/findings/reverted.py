"""In and out again: what was reverted, what that leaves, and what came back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta

from bot.analysis.findings.evidence import Evidence, gap, short_title
from bot.analysis.lineage import Reversal, is_revert, reverts_of
from bot.analysis.releases import first_release
from bot.analysis.revert_titles import reapplies, undoing
from bot.figures import Claim, Word
from bot.models import Finding, FindingKind, PullRequest, Urgency

_CAME_BACK_WITHIN = timedelta(weeks=4)
"""How long after a revert work that comes back is told as such."""

_TO_ACT = 10.0


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding a revert of the period, and one for each revert of the weeks before whose work came back in it.

    A revert of a revert is told with the first one: it is what brought the work back.
    """
    told: set[tuple[int, int | None]] = set()
    for reversal in (*evidence.reversals, *_come_back(evidence)):
        outcome = (reversal.target, reversal.redone)
        if not is_revert(evidence.known[reversal.target].title) and outcome not in told:
            told.add(outcome)
            yield _finding(evidence, reversal)


def _come_back(evidence: Evidence) -> Sequence[Reversal]:
    since = evidence.week.period.since - _CAME_BACK_WITHIN
    recent = [one for one in evidence.week.history if one.merged_at >= since]
    earlier = [one for one in evidence.week.history if one.merged_at < since]
    here = evidence.pull_requests
    reversals = reverts_of([*recent, *evidence.week.pull_requests], earlier)
    return [one for one in reversals if one.number not in here and one.redone in here]


def _finding(evidence: Evidence, reversal: Reversal) -> Finding:
    revert, target = evidence.known[reversal.number], evidence.known[reversal.target]
    landed, redone = target.number in evidence.pull_requests, reversal.redone
    of_before = not landed and redone is None
    to_act = of_before and bool(evidence.source(target))
    numbers = (redone or target.number, target.number, revert.number)
    return Finding(
        kind=FindingKind.REVERTED,
        urgency=Urgency.ACT if to_act else Urgency.KNOW,
        pull_requests=(revert.number, target.number) if of_before else tuple(dict.fromkeys(numbers)),
        values={
            "number": revert.number,
            "target": target.number,
            "title": short_title(target, evidence.rules),
            "gap": gap(target, revert),
            "landed": landed,
            "reverted": revert.number in evidence.pull_requests,
            "redone": redone or 0,
            "restored": redone is not None and _restores(evidence.known[redone].title),
            "nothing_left": _mirrors(revert, target),
            "release": _released_in(evidence, target, revert) if of_before else None,
        },
        weight=max(map(evidence.importance, numbers)) + (_TO_ACT if to_act else 0.0),
    )


def _restores(title: str) -> bool:
    return reapplies(title) or undoing(title) is not None


def _mirrors(revert: PullRequest, target: PullRequest) -> bool:
    """Whether each file loses what it had gained and gets back what it had lost."""
    return Counter((file.path, file.additions, file.deletions) for file in target.files) == Counter(
        (file.path, file.deletions, file.additions) for file in revert.files
    )


def _released_in(evidence: Evidence, target: PullRequest, revert: PullRequest) -> Word | None:
    """The release that has the target and not its revert."""
    release = first_release(target, evidence.week.releases)
    if release is None or release.contains(revert):
        return None
    return Word(release.name, Claim.about("release", number=target.number))
