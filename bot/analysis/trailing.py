"""Counts over the equal spans before a period, and how far the period's own count lies from the usual one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import median, median_low

from bot.models import PullRequest, Week

SPANS = 13
"""How many spans back are looked at."""

LEAST = 6
"""With fewer covered spans nothing is called usual."""

_NORMAL = 1.4826
"""The median absolute deviation times this estimates a standard deviation (Rousseeuw & Croux 1993)."""


@dataclass(frozen=True, slots=True)
class Usual:
    """The counts of the covered spans, nearest first; at least `LEAST` of them."""

    counts: tuple[int, ...]

    @property
    def middle(self) -> int:
        """The lower median, which is a count that was seen."""
        return median_low(self.counts)

    def distance(self, count: int) -> float:
        """How many robust standard deviations a count lies from the median.

        The spread is never taken below that of rare events as frequent: a Poisson count spreads by the root of its
        mean.
        """
        centre = median(self.counts)
        spread = _NORMAL * median(abs(one - centre) for one in self.counts)
        return (count - centre) / max(spread, sqrt(centre), 1.0)


def usual(counts: Iterable[int]) -> Usual | None:
    """What is usual by these counts of covered spans, nearest first; None when they are too few."""
    seen = tuple(counts)
    return Usual(seen) if len(seen) >= LEAST else None


def spans_before(week: Week) -> tuple[tuple[PullRequest, ...], ...]:
    """The pull requests of each covered span before the period, nearest first."""
    spans = (week.span(back) for back in range(1, SPANS + 1))
    return tuple(span for span in spans if span is not None)
