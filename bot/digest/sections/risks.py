"""风险观察: the counts of `/digest risks`, the findings that warn, and what became of last week's."""

from __future__ import annotations

from collections.abc import Iterable

from bot.digest.followups import followups_of
from bot.digest.grouping import grouped
from bot.digest.view import View
from bot.message import Block
from bot.models import FindingKind, PullRequest

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
        warnings=grouped(view, view.told, _WARNINGS),
        followups=followups_of(view),
    )


def _category(view: View, name: str, numbers: tuple[int, ...]) -> dict[str, object]:
    before = view.week.span(1)
    return {
        "name": name,
        "count": view.count(len(numbers), risk=name),
        "previous": None if before is None else view.count(_raised(view, name, before), risk=name, span=1),
        "numbers": numbers[:_SHOWN],
        "more": len(numbers) > _SHOWN,
    }


def _raised(view: View, name: str, pull_requests: Iterable[PullRequest]) -> int:
    assessed = (view.week.assessments[one.number] for one in pull_requests)
    return sum(any(risk.category == name for risk in one.risks) for one in assessed)
