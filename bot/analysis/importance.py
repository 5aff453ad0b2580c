"""Importance 0 to 10 with reasons: a sum of terms, each a feature, calibrated on the repository's own trailing weeks.

The terms follow what predicts consequential changes (size, diffusion, history and purpose: Kamei et al. 2013; change
frequency as a hotspot sign: Tornhill 2018). The sum is placed among the sums of the trailing weeks and a fixed table
of prior values, and that share becomes a score by the normal quantile function: the usual change scores near 4.9, one
in ten reaches 6.0, and a week may hold none or many of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2
from statistics import NormalDist

from bot.analysis.features import Features
from bot.analysis.past import Past
from bot.figures import Scalar
from bot.models import Reason

HIGH = 6.0
"""From here on a pull request is of high importance (compared after rounding to 0.1)."""

_BASE = 2.0
_TYPE_POINTS = {
    "dependencies": 0.5,
    "feature": 0.6,
    "performance": 0.6,
    "refactor": 0.4,
    "bugfix": 0.1,
    "revert": 0.1,
    "other": 0.4,
    "ci": -1.1,
    "test": -0.9,
    "docs": -1.6,
}
_MEAN, _SLOPE, _STEEP, _KNEE = 4.88, 0.86, 1.25, 1.23
"""The score is _MEAN at the middle, rises by _SLOPE per standard deviation, and by _STEEP beyond _KNEE (11%)."""

_PRIOR = tuple(NormalDist(4.1, 1.45).inv_cdf((i + 0.5) / 40) for i in range(40))
"""Sums of a repository about which nothing is known yet: forty values that real weeks soon outnumber."""


@dataclass(frozen=True, slots=True)
class Term:
    """One term of the sum: its points, and the figures that its wording needs."""

    points: Callable[[Features, Past], float]
    values: Callable[[Features, Past], Mapping[str, Scalar]]


class Scorer:
    """Scores pull requests against one past."""

    def __init__(self, past: Past) -> None:
        self._past = past

    def score(self, features: Features) -> tuple[float, tuple[Reason, ...]]:
        """Importance rounded to 0.1, and its reasons, weightiest first."""
        points = {kind: term.points(features, self._past) for kind, term in _TERMS.items()}
        share = self._share_below(_BASE + sum(points.values()))
        importance = round(min(10.0, max(0.0, _calibrated(share))), 1)
        counted = sorted((kind for kind in points if round(points[kind], 2)), key=lambda kind: -abs(points[kind]))
        return importance, tuple(
            Reason(kind, round(points[kind], 2), _TERMS[kind].values(features, self._past)) for kind in counted
        )

    def _share_below(self, total: float) -> float:
        sums = self._sums
        return (bisect_left(sums, total) + bisect_right(sums, total) + 1) / (2 * len(sums) + 2)

    @cached_property
    def _sums(self) -> Sequence[float]:
        terms = [term.points for term in _TERMS.values()]
        trailing = self._past.trailing
        return sorted(
            [*_PRIOR, *(_BASE + sum(points(features, self._past) for points in terms) for features in trailing)]
        )


def _calibrated(share: float) -> float:
    z = NormalDist().inv_cdf(share)
    if z <= _KNEE:
        return _MEAN + _SLOPE * z
    return _MEAN + _SLOPE * _KNEE + _STEEP * (z - _KNEE)


def _size(features: Features, past: Past) -> float:
    del past
    return min(2.2, 0.22 * log2(1 + features.effective_churn))


def _breadth(features: Features, past: Past) -> float:
    del past
    folders = len(features.directories)
    return min(0.9, 0.3 * log2(folders)) + 0.3 * features.entropy if folders > 1 else 0.0


def _heat(features: Features, past: Past) -> float:
    return min(1.0, 0.25 * log2(1 + past.hottest(features)[1] / 3))


def _activity(features: Features, past: Past) -> float:
    return min(0.6, 5 * past.activity(features))


def _new_files(features: Features, past: Past) -> float:
    del past
    return min(0.6, 0.2 * features.new_source_files)


def _tested(features: Features, past: Past) -> float:
    """A change that brings both source and tests was meant to stay."""
    del past
    return min(0.4, 0.1 * log2(1 + min(features.source_churn, features.test_churn) / 10))


def _type(features: Features, past: Past) -> float:
    del past
    return _TYPE_POINTS[features.type]


def _fault(features: Features, past: Past) -> float:
    del past
    return 0.08 * features.fault.reach if features.fault else 0.0


def _contract(features: Features, past: Past) -> float:
    """Removals, changed defaults and declared breaks: what a user may have to act on."""
    del past
    if features.type in {"ci", "docs", "test", "revert"}:
        return 0.0
    return 0.4 * bool(features.said) + 0.5 * ("breaking" in features.said)


def _series(features: Features, past: Past) -> float:
    del past
    return 0.4 if features.series and features.source else 0.0


def _toolchain(features: Features, past: Past) -> float:
    """A dependency that many manifests must follow is a platform move."""
    del past
    return min(1.6, 0.4 * log2(1 + features.manifest_files)) if features.type == "dependencies" else 0.0


def _discussion(features: Features, past: Past) -> float:
    del past
    return min(0.8, 0.2 * log2(1 + features.discussion))


_TERMS: Mapping[str, Term] = {
    "size": Term(
        _size,
        lambda features, past: {
            "lines": features.source_churn,
            "rank": round(100 * past.rank("source_churn", features.source_churn)),
        },
    ),
    "breadth": Term(_breadth, lambda features, _: {"folders": len(features.directories)}),
    "heat": Term(_heat, lambda features, past: dict(zip(("path", "changes"), past.hottest(features), strict=True))),
    "activity": Term(_activity, lambda features, past: {"share": round(100 * past.activity(features))}),
    "new-files": Term(_new_files, lambda features, _: {"files": features.new_source_files}),
    "tested": Term(_tested, lambda features, _: {"lines": features.test_churn}),
    "type": Term(_type, lambda features, _: {"type": features.type}),
    "fault": Term(_fault, lambda features, _: {"fault": features.fault.name if features.fault else ""}),
    "contract": Term(_contract, lambda features, _: {"said": features.said}),
    "series": Term(_series, lambda *_: {}),
    "toolchain": Term(_toolchain, lambda features, _: {"files": features.manifest_files}),
    "discussion": Term(_discussion, lambda features, _: {"comments": features.discussion}),
}
