"""后续建议: what to do next, from the findings and from who the reader is; nothing that no pull request carries."""

from __future__ import annotations

from bot.analysis.releases import named
from bot.digest.telling import Told
from bot.digest.view import View
from bot.message import Block
from bot.models import FindingKind

_UPSTREAM = (
    (FindingKind.UNDONE, 2),
    (FindingKind.SERIOUS_FIX, 4),
    (FindingKind.CHANGED_DEFAULT, 4),
    (FindingKind.REMOVAL, 4),
    (FindingKind.TOOLCHAIN, 3),
    (FindingKind.MENDED, 3),
)
_OWN = (
    (FindingKind.UNDONE, 2),
    (FindingKind.REVERTED, 2),
    (FindingKind.UNTESTED, 3),
    (FindingKind.COLLISION, 2),
    (FindingKind.UNSTABLE, 2),
    (FindingKind.DISPUTED, 2),
    (FindingKind.REVIEWERS, 2),
)
"""What each reader is advised on, and at most how many of each kind."""


def render(view: View) -> tuple[Block, ...]:
    """The section's blocks."""
    kinds = _OWN if view.week.reading.role == "own" else _UPSTREAM
    advised = {str(kind).replace("-", "_"): _asking(view, kind)[:most] for kind, most in kinds}
    serious = [number for one in view.of(FindingKind.SERIOUS_FIX)[:4] for number in one.numbers]
    return view.blocks(
        "advice",
        **{str(kind).replace("-", "_"): () for kind in FindingKind} | advised,
        where=view.where(serious),
        missing=_missing(view, serious),
    )


def _asking(view: View, kind: FindingKind) -> tuple[Told, ...]:
    """The findings of a kind that ask something now; what is only announced asks nothing yet."""
    return tuple(one for one in view.of(kind) if not one.finding.values.get("announced"))


def _missing(view: View, numbers: list[int]) -> dict[str, object] | None:
    """The fixes that the team's baseline lacks; None when no baseline is named or its tag is not known."""
    baseline = view.week.reading.baseline
    release = named(baseline, view.week.releases) if baseline else None
    if release is None:
        return None
    return {
        "baseline": view.release_name(release),
        "numbers": [number for number in numbers if not release.contains(view.pull_request(number))],
    }
