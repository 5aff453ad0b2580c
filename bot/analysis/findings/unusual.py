"""The whole repository or one of its modules, clearly quieter or busier than its own trailing spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.analysis.findings.evidence import Evidence, folder
from bot.analysis.modules import Modules, around, learned
from bot.analysis.trailing import Usual, usual
from bot.figures import Claim, Count
from bot.models import Finding, FindingKind, PullRequest, Urgency

_FAR, _FAR_FOR_A_MODULE = 2.5, 3.0
"""Robust standard deviations from the usual count; there are many modules, so one of them must be farther off."""

_LEAST = 5
"""The difference must be at least so many pull requests."""

_AS_FAR_SPANS = 1
"""So many of the covered spans may have been as far off; with more of them a module has settled at a new level."""

_EXTREME_SPANS, _EXTREME_SHARE = 10, 0.15
"""The whole repository is told too when it is beyond all of so many spans, by this share of the usual count …"""

_RUN_STEPS, _RUN_SHARE = 3, 0.25
"""… or when it fell or rose so many times in a row, together by this share of where it began."""

_WIDEST = 0.5
"""A directory through which more than this share of the work goes is the repository itself, not a module."""

_MOST = 3
_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class _Amount:
    """How many pull requests went through a module ("" is the whole repository), and what is usual there."""

    module: str
    count: int
    usual: Usual

    @property
    def distance(self) -> float:
        return self.usual.distance(self.count)

    @property
    def difference(self) -> int:
        return abs(self.count - self.usual.middle)

    @property
    def is_more(self) -> bool:
        return self.count > self.usual.middle

    @property
    def as_far(self) -> int:
        """How many of the spans were as far off in the same direction."""
        return sum(one >= self.count if self.is_more else one <= self.count for one in self.usual.counts)


def detect(evidence: Evidence) -> Iterator[Finding]:
    """The whole repository, and at most three modules, the farthest from their usual count first.

    Nothing where the source ends within the period: a part of it is no measure beside whole spans.
    """
    expected = usual(len(span) for span in evidence.before)
    if expected is None or evidence.week.fresh_until is not None:
        return
    whole = _Amount("", len(evidence.week.pull_requests), expected)
    if whole.difference >= _LEAST and (abs(whole.distance) >= _FAR or _is_extreme(whole) or _run(whole)):
        yield _of_repository(evidence, whole)
    yield from (_of_module(evidence, amount) for amount in _far_modules(evidence)[:_MOST])


def _is_far(amount: _Amount) -> bool:
    is_new = amount.as_far <= _AS_FAR_SPANS
    return is_new and abs(amount.distance) >= _FAR_FOR_A_MODULE and amount.difference >= _LEAST


def _is_extreme(amount: _Amount) -> bool:
    known = len(amount.usual.counts) >= _EXTREME_SPANS
    return known and not amount.as_far and amount.difference >= _EXTREME_SHARE * amount.usual.middle


def _run(amount: _Amount) -> int:
    """How many times in a row the count fell or rose up to now; 0 when that is nothing to tell."""
    counts = (amount.count, *amount.usual.counts)
    sign = 1 if counts[0] > counts[1] else -1
    steps = next((i for i in range(len(counts) - 1) if sign * (counts[i] - counts[i + 1]) <= 0), len(counts) - 1)
    return steps if steps >= _RUN_STEPS and abs(counts[0] - counts[steps]) >= _RUN_SHARE * counts[steps] else 0


def _far_modules(evidence: Evidence) -> list[_Amount]:
    """Modules and what holds them, the farthest first; of two that hold one another only the first."""
    kept: list[_Amount] = []
    far = filter(_is_far, _modules(evidence))
    for amount in sorted(far, key=lambda amount: (-abs(amount.distance), -len(amount.module), amount.module)):
        if not any(_nested(amount.module, other.module) for other in kept):
            kept.append(amount)
    return kept


def _nested(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _modules(evidence: Evidence) -> Iterator[_Amount]:
    modules = learned(evidence.touches)
    now = _touched(evidence, modules, evidence.week.pull_requests)
    before = [_touched(evidence, modules, span) for span in evidence.before]
    most = _WIDEST * evidence.touches.get("", 0)
    for module in now.keys() | {name for span in before for name in span}:
        expected = usual(span[module] for span in before)
        if expected is not None and evidence.touches.get(module, 0) <= most:
            yield _Amount(module, now[module], expected)


def _touched(evidence: Evidence, modules: Modules, pull_requests: Iterable[PullRequest]) -> Counter[str]:
    return Counter(module for one in pull_requests for module in modules.around(evidence.measured[one.number]))


def _of_repository(evidence: Evidence, amount: _Amount) -> Finding:
    run = _run(amount)
    counts = (amount.count, *amount.usual.counts)
    values = _values(amount) | {
        "beyond_all": _is_extreme(amount),
        "run": [Count(counts[back], Claim.about("pull_requests", span=back)) for back in range(run, -1, -1)]
        if run
        else [],
        "fell": run > 0 and counts[0] < counts[run],
    }
    numbers = evidence.ordered(evidence.week.pull_requests)
    return Finding(FindingKind.UNUSUAL, Urgency.KNOW, numbers, values=values, weight=100 + abs(amount.distance))


def _of_module(evidence: Evidence, amount: _Amount) -> Finding:
    inside = _under(evidence, amount.module, evidence.week.pull_requests)
    named = inside or _under(evidence, amount.module, evidence.week.history)[-1:]
    numbers = evidence.ordered(inside)
    values = _values(amount, folder=amount.module, source=1) | {
        "folder": folder(amount.module, named),
        "beyond_all": not amount.as_far,
        "examples": numbers[:_EXAMPLES] if amount.is_more else (),
    }
    return Finding(FindingKind.UNUSUAL, Urgency.KNOW, numbers, values=values, weight=abs(amount.distance))


def _values(amount: _Amount, **where: str | int) -> dict[str, object]:
    return {
        "count": Count(amount.count, Claim.about("pull_requests", **where)),
        "usual": Count(amount.usual.middle, Claim.about("median", **where)),
        "spans": Count(len(amount.usual.counts), Claim.about("covered_spans")),
        "more": amount.is_more,
    }


def _under(evidence: Evidence, name: str, pull_requests: Iterable[PullRequest]) -> Sequence[PullRequest]:
    return [one for one in pull_requests if name in around(evidence.measured[one.number])]
