"""How the work spreads over hardware and operating systems, and which of them had an unusual period."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.analysis.findings.evidence import Evidence
from bot.analysis.trailing import Usual, usual
from bot.figures import Claim, Count
from bot.models import Finding, FindingKind, PullRequest, Urgency

_LEAST = 3
"""Pull requests from which on a platform is told; two such platforms make a spread."""

_FAR = 2.5
_LEAST_DIFFERENCE = 5
_AS_FAR_SPANS = 1
"""An unusual period: so many robust standard deviations and pull requests off, as in one span before at most."""

_MOST_ACROSS = 3


@dataclass(frozen=True, slots=True)
class _Platform:
    """One platform as it is told: counts by tag; `before` is None when the span before is not covered."""

    name: str
    count: Count
    before: Count | None
    fixes: Count
    features: Count


def detect(evidence: Evidence) -> Iterator[Finding]:
    """The spread over platforms as one finding, and one for each platform whose count is unusual.

    Where the source ends within the period, a part of it is no measure beside whole spans: none is unusual then.
    """
    by_platform = {name: _tagged(evidence, name, evidence.week.pull_requests) for name in evidence.rules.platforms}
    told = {name: some for name, some in by_platform.items() if len(some) >= _LEAST}
    if len(told) > 1:
        yield _spread(evidence, told)
    if evidence.week.fresh_until is not None:
        return
    for name, some in by_platform.items():
        expected = usual(len(_tagged(evidence, name, span)) for span in evidence.before)
        if expected is not None and _is_unusual(len(some), expected):
            yield _unusual(evidence, name, some, expected)


def _tagged(evidence: Evidence, name: str, pull_requests: Iterable[PullRequest]) -> list[PullRequest]:
    return [one for one in pull_requests if name in evidence.measured[one.number].tags]


def _is_unusual(count: int, expected: Usual) -> bool:
    as_far = sum(one >= count if count > expected.middle else one <= count for one in expected.counts)
    far = abs(expected.distance(count)) >= _FAR and abs(count - expected.middle) >= _LEAST_DIFFERENCE
    return far and as_far <= _AS_FAR_SPANS


def _spread(evidence: Evidence, told: dict[str, list[PullRequest]]) -> Finding:
    by_size = sorted(told, key=lambda name: -len(told[name]))
    across = _across(evidence)
    carrying = {one.number: one for name in by_size for one in told[name]}
    return Finding(
        kind=FindingKind.PLATFORMS,
        urgency=Urgency.KNOW,
        pull_requests=tuple(dict.fromkeys((*across, *evidence.ordered(carrying.values())))),
        values={"platforms": [_platform(evidence, name, told[name]) for name in by_size], "across": across},
        weight=1000,
    )


def _platform(evidence: Evidence, name: str, some: list[PullRequest]) -> _Platform:
    before = evidence.week.span(1)
    features = sum(evidence.features[one.number].type == "feature" for one in some)
    return _Platform(
        name=name,
        count=Count(len(some), Claim.about("pull_requests", tag=name)),
        before=None
        if before is None
        else Count(len(_tagged(evidence, name, before)), Claim.about("pull_requests", span=1, tag=name)),
        fixes=_fixes(evidence, name, some),
        features=Count(features, Claim.about("pull_requests", tag=name, type="feature")),
    )


def _fixes(evidence: Evidence, name: str, some: list[PullRequest]) -> Count:
    count = sum(one.number in evidence.fixes for one in some)
    return Count(count, Claim.about("pull_requests", tag=name, fix=1))


def _across(evidence: Evidence) -> tuple[int, ...]:
    """Pull requests that change source for several platforms and stand."""
    several = (
        one
        for number, one in evidence.pull_requests.items()
        if evidence.features[number].platforms > 1 and evidence.features[number].source and evidence.stands(one)
    )
    return evidence.ordered(several)[:_MOST_ACROSS]


def _unusual(evidence: Evidence, name: str, some: list[PullRequest], expected: Usual) -> Finding:
    return Finding(
        kind=FindingKind.PLATFORMS,
        urgency=Urgency.KNOW,
        pull_requests=evidence.ordered(some),
        values={
            "platform": name,
            "count": Count(len(some), Claim.about("pull_requests", tag=name)),
            "usual": Count(expected.middle, Claim.about("median", tag=name)),
            "spans": Count(len(expected.counts), Claim.about("covered_spans")),
            "fixes": _fixes(evidence, name, some),
        },
        weight=round(abs(expected.distance(len(some))), 2),
    )
