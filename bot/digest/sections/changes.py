"""本周重点变化: the findings about what changed, by what they ask of the reader, then the other large changes."""

from __future__ import annotations

from bot.analysis.findings.evidence import title
from bot.analysis.importance import HIGH
from bot.digest.grouping import grouped
from bot.digest.view import View
from bot.message import Block
from bot.models import FindingKind, Urgency

_GROUPS = (
    (FindingKind.CHANGED_DEFAULT, 6),
    (FindingKind.REMOVAL, 6),
    (FindingKind.TOOLCHAIN, 6),
    (FindingKind.CAMPAIGN, 4),
    (FindingKind.CAPABILITY, 4),
    (FindingKind.REVERTED, 6),
    (FindingKind.LONG_OPEN, 1),
)
"""Kinds in the order of telling, and how many of each are told; the rest is counted."""

_TOLD = (FindingKind.SERIOUS_FIX, *(kind for kind, _ in _GROUPS))
_OTHERS = 10


def render(view: View) -> tuple[Block, ...]:
    """The section's blocks."""
    told = {number for kind in _TOLD for one in view.of(kind) for number in one.numbers}
    know = [one for one in view.told if one.finding.urgency is Urgency.KNOW]
    return view.blocks(
        "changes",
        serious=[one.text for one in view.of(FindingKind.SERIOUS_FIX)],
        asking=grouped(view, [one for one in view.told if one.finding.urgency is not Urgency.KNOW], _GROUPS),
        know=grouped(view, know, _GROUPS),
        others=_other_large(view, told),
    )


def _other_large(view: View, told: set[int]) -> list[dict[str, object]]:
    """Pull requests of high importance that no finding of this section has named and that were not taken back."""
    high = [
        number for number in view.figures.ranking if view.evidence.importance(number) >= HIGH and number not in told
    ]
    standing = [view.pull_request(number) for number in high]
    return [{"number": one.number, "title": title(one)} for one in standing if view.evidence.stands(one)][:_OTHERS]
