"""风险观察: the counts of `/digest risks`, the findings that warn, and what became of last week's."""

from __future__ import annotations

from bot.digest.followups import followups_of
from bot.digest.telling import grouped
from bot.digest.view import View
from bot.message import Block
from bot.models import FindingKind

_SHOWN = 5
_WARNINGS = (
    (FindingKind.UNDONE, 5),
    (FindingKind.MENDED, 5),
    (FindingKind.COLLISION, 4),
    (FindingKind.UNTESTED, 5),
    (FindingKind.DISPUTED, 5),
    (FindingKind.REVIEWERS, 3),
)


def render(view: View) -> tuple[Block, ...]:
    """The section's blocks."""
    return view.blocks(
        "risks",
        categories=[_category(view, name, numbers) for name, numbers in view.figures.risks.items()],
        warnings=grouped(view.told, _WARNINGS),
        followups=followups_of(view),
    )


def _category(view: View, name: str, numbers: tuple[int, ...]) -> dict[str, object]:
    return {
        "name": name,
        "count": view.count(len(numbers), risk=name),
        "numbers": numbers[:_SHOWN],
        "more": len(numbers) > _SHOWN,
    }
