"""All findings of a week: every detector, in the order of telling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from bot.analysis.findings import (
    campaign,
    capability,
    changed_default,
    collision,
    disputed,
    long_open,
    mended,
    platforms,
    removal,
    reverted,
    reviewers,
    serious_fix,
    toolchain,
    undone,
    unstable,
    untested,
    unusual,
)
from bot.analysis.findings.evidence import Evidence
from bot.models import Finding, FindingKind, Urgency

DETECTORS: Mapping[FindingKind, Callable[[Evidence], Iterator[Finding]]] = {
    FindingKind.SERIOUS_FIX: serious_fix.detect,
    FindingKind.UNDONE: undone.detect,
    FindingKind.REVERTED: reverted.detect,
    FindingKind.CHANGED_DEFAULT: changed_default.detect,
    FindingKind.REMOVAL: removal.detect,
    FindingKind.TOOLCHAIN: toolchain.detect,
    FindingKind.MENDED: mended.detect,
    FindingKind.COLLISION: collision.detect,
    FindingKind.UNTESTED: untested.detect,
    FindingKind.UNSTABLE: unstable.detect,
    FindingKind.CAMPAIGN: campaign.detect,
    FindingKind.CAPABILITY: capability.detect,
    FindingKind.PLATFORMS: platforms.detect,
    FindingKind.DISPUTED: disputed.detect,
    FindingKind.REVIEWERS: reviewers.detect,
    FindingKind.UNUSUAL: unusual.detect,
    FindingKind.LONG_OPEN: long_open.detect,
}
"""Every kind's detector, a module a kind."""

_URGENCIES = tuple(Urgency)
_KINDS = tuple(FindingKind)


def find(evidence: Evidence) -> tuple[Finding, ...]:
    """The findings, what asks most of the reader first; of one kind and the same pull requests only the first."""
    found = sorted((finding for detect in DETECTORS.values() for finding in detect(evidence)), key=_order)
    kept: dict[tuple[FindingKind, frozenset[int]], Finding] = {}
    for finding in found:
        kept.setdefault((finding.kind, frozenset(finding.pull_requests)), finding)
    return tuple(kept.values())


def _order(finding: Finding) -> tuple[int, int, float, int]:
    first = finding.pull_requests[0] if finding.pull_requests else 0
    return _URGENCIES.index(finding.urgency), _KINDS.index(finding.kind), -finding.weight, first
