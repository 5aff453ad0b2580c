"""执行摘要: the week in figures, and an index of what the other sections tell."""

from __future__ import annotations

from bot.digest.holidays import days_of
from bot.digest.telling import Told
from bot.digest.view import View
from bot.figures import Count
from bot.message import Block
from bot.models import FindingKind, PullRequest, Urgency
from bot.text import term

_TAGS = 6
_COMPARED_TAG = "bugfix"
_SHOWN = {Urgency.ACT: 4, Urgency.UPGRADE: 4, Urgency.KNOW: 2}
"""Pull requests named under one label; the others are told where the finding is."""

_NOT_OF_PULL_REQUESTS = frozenset({FindingKind.UNUSUAL, FindingKind.PLATFORMS, FindingKind.REVIEWERS})
"""What is told of amounts and of people has no place in an index of pull requests."""


def render(view: View) -> tuple[Block, ...]:
    """The section's blocks."""
    return view.blocks(
        "summary",
        tags=list(view.figures.tags.items())[:_TAGS],
        fixes=_fixes(view),
        bots=view.count(sum(one.author_kind == "bot" for one in view.week.pull_requests), bots=1),
        days=days_of(view),
        index={str(urgency): _index(view, urgency) for urgency in Urgency},
    )


def _index(view: View, urgency: Urgency) -> list[dict[str, object]]:
    """What asks for this, label by label, with the pull requests that carry it."""
    labels: dict[str, list[int]] = {}
    for one in view.told:
        if one.finding.urgency is urgency and one.finding.kind not in _NOT_OF_PULL_REQUESTS:
            labels.setdefault(label_of(one), []).extend(one.numbers)
    return [
        {"label": label, "numbers": shown, "more": len(set(numbers)) > len(shown)}
        for label, numbers in labels.items()
        if (shown := list(dict.fromkeys(numbers))[: _SHOWN[urgency]])
    ]


def label_of(one: Told) -> str:
    """The word for a finding where there is room for one: its fault, or its kind."""
    fault = one.finding.values.get("fault")
    return str(fault) if fault else term(one.finding.kind, "finding")


def _fixes(view: View) -> dict[str, Count | None]:
    """How many pull requests carry the tag of fixes, now and in the span before."""
    before = view.week.span(1)
    return {
        "now": view.count(_tagged(view, view.week.pull_requests), tag=_COMPARED_TAG),
        "before": None if before is None else view.count(_tagged(view, before), tag=_COMPARED_TAG, span=1),
    }


def _tagged(view: View, pull_requests: tuple[PullRequest, ...]) -> int:
    return sum(_COMPARED_TAG in view.week.assessments[one.number].tags for one in pull_requests)
