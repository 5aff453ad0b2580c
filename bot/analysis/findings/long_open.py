"""Pull requests that were open for very long before they were merged, by their creation date."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bot.analysis.findings.evidence import Evidence, title
from bot.figures import Claim, Count
from bot.models import Finding, FindingKind, PullRequest, Urgency

_LEAST_DAYS = 60
_RARE = 0.95
"""Longer than this share of the repository's own trailing pull requests were open."""

_KNOWN = 20
"""With fewer creation dates the repository's own share is not known."""

_OTHERS = 5


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding for all of them, the longest open first; none where creation dates are not known."""
    least = max(_LEAST_DAYS, _usual_longest(evidence.week.history))
    people = (one for one in evidence.week.pull_requests if one.author_kind != "bot" and evidence.stands(one))
    long = sorted((one for one in people if _days(one) >= least), key=lambda one: (-_days(one), one.number))
    if long:
        yield _finding(long)


def _days(one: PullRequest) -> int:
    """Whole days from creation to merge; -1 where the creation date is not known."""
    return -1 if one.created_at is None else (one.merged_at - one.created_at).days


def _usual_longest(history: Iterable[PullRequest]) -> int:
    known = sorted(days for days in map(_days, history) if days >= 0)
    return known[int(_RARE * len(known))] + 1 if len(known) >= _KNOWN else 0


def _finding(long: list[PullRequest]) -> Finding:
    numbers = tuple(one.number for one in long)
    oldest = long[0]
    return Finding(
        kind=FindingKind.LONG_OPEN,
        urgency=Urgency.KNOW,
        pull_requests=numbers,
        values={
            "count": Count(len(long), Claim.about("pull_requests", numbers=numbers)),
            "oldest": oldest.number,
            "title": title(oldest),
            "days": Count(_days(oldest), Claim.about("open_days", number=oldest.number)),
            "least": Count(_days(long[-1]), Claim.about("open_days", number=long[-1].number)),
            "others": numbers[1 : 1 + _OTHERS],
            "more": len(numbers) > 1 + _OTHERS,
        },
        weight=_days(oldest),
    )
