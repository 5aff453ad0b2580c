"""执行摘要: the week in figures, and what to look at first."""

from __future__ import annotations

from bot.digest.view import View
from bot.figures import Count
from bot.message import Block
from bot.models import FindingKind, PullRequest

_TAGS = 6
_COMPARED_TAG = "bugfix"


def render(view: View) -> tuple[Block, ...]:
    """The section's blocks."""
    fixed = view.of(FindingKind.SERIOUS_FIX)
    return view.blocks(
        "summary",
        tags=list(view.figures.tags.items())[:_TAGS],
        fixes=_fixes(view),
        bots=view.count(sum(one.author_kind == "bot" for one in view.week.pull_requests), bots=1),
        serious=[{"fault": one.values["fault"], "count": one.values["count"]} for one in fixed],
        net=[one.text for one in view.of(FindingKind.REVERTED, FindingKind.UNDONE)],
        moving=[one.text for one in view.of(FindingKind.CAMPAIGN)[:2]],
        unusual=[one.text for one in view.of(FindingKind.UNUSUAL)[:2]],
    )


def _fixes(view: View) -> dict[str, Count | None]:
    """How many pull requests carry the tag of fixes, now and in the span before."""
    before = view.week.span(1)
    return {
        "now": view.count(_tagged(view, view.week.pull_requests), tag=_COMPARED_TAG),
        "before": None if before is None else view.count(_tagged(view, before), tag=_COMPARED_TAG, span=1),
    }


def _tagged(view: View, pull_requests: tuple[PullRequest, ...]) -> int:
    return sum(_COMPARED_TAG in view.week.assessments[one.number].tags for one in pull_requests)
