"""上周标记的去向: what became of the pull requests that the span before had flagged, recomputed from history."""

from __future__ import annotations

from dataclasses import dataclass

from bot.digest.view import View
from bot.figures import Count
from bot.models import FindingKind


@dataclass(frozen=True, slots=True)
class Followups:
    """Flagged means: at least one risk. `reverted` and `mended` are (flagged, by) pairs of pull requests."""

    flagged: Count
    reverted: tuple[tuple[int, int], ...]
    mended: tuple[tuple[int, int], ...]


def followups_of(view: View) -> Followups | None:
    """What happened in the period to those flagged in the span before; None unless that span is fully covered."""
    before = view.week.span(1)
    if before is None:
        return None
    flagged = {one.number for one in before if view.week.assessments[one.number].risks}
    reverted = tuple(
        (reversal.target, reversal.number) for reversal in view.figures.reverts if reversal.target in flagged
    )
    mended = tuple((one.numbers[0], one.numbers[1]) for one in view.of(FindingKind.MENDED) if one.numbers[0] in flagged)
    return Followups(view.count(len(flagged), span=1, flagged=1), reverted, mended)
