"""The root: what fits a phone, findings to act on first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from bot.analysis.watch import hits
from bot.digest.sections.summary import label_of
from bot.digest.telling import Told
from bot.digest.view import View
from bot.figures import Claim, Count, Word
from bot.message import Block, Button, Buttons, Message, spans_of
from bot.models import FindingKind, Period, Urgency
from bot.text import term

LENGTH = 300
"""Characters that fit a phone, buttons not counted."""


@dataclass(frozen=True, slots=True)
class _Detail:
    """How much a root tells: items a line (six links at most in the two lines), a campaign, how to ask."""

    items: int
    know: bool
    example: bool


_DETAILS = (
    _Detail(3, know=True, example=True),
    _Detail(3, know=True, example=False),
    _Detail(3, know=False, example=False),
    _Detail(2, know=False, example=False),
    _Detail(1, know=False, example=False),
)
"""From all there is to the least; what is left out stands in the thread."""

_COMMANDS = ("risks", "hot", "top")


def render(view: View) -> Message:
    """The root message with its buttons, in as much detail as fits."""
    roots = [_blocks(view, detail) for detail in _DETAILS]
    blocks = next((blocks for blocks in roots if length_of(blocks) <= LENGTH), roots[-1])
    return Message((*blocks, buttons(view.week.period)), view.wording.sentence("digest/notification", **view.names))


def length_of(blocks: tuple[Block, ...]) -> int:
    """Characters of text."""
    return sum(len(span.text) for block in blocks for span in spans_of(block))


def buttons(period: Period) -> Buttons:
    """What is asked of a digest at a touch. A week is named: the buttons of an old digest answer for its own."""
    week = _iso_week(period)
    asked = [(name, f"{name} week={week}" if week else name) for name in _COMMANDS]
    asked.append(("full", f"week {week}" if week else "top all"))
    return Buttons(tuple(Button(term(name, "button"), command) for name, command in asked))


def watched(view: View) -> Count | None:
    """How many pull requests hit what the team watches; None: it watches nothing."""
    if not view.week.reading.watch:
        return None
    return view.count(sum(bool(hits(one, view.week.reading)) for one in view.week.pull_requests), watched=1)


def items(view: View, urgency: Urgency) -> list[dict[str, object]]:
    """The first pull request of each finding under a short label; each label and each number once."""
    found: dict[str, int] = {}
    for one in view.told:
        if one.finding.urgency is not urgency or not one.numbers:  # a quiet module has no pull request to name
            continue
        label, number = label_of(one), one.numbers[0]
        if label not in found and number not in found.values():
            found[label] = number
    return [{"label": label, "number": number} for label, number in found.items()]


def _blocks(view: View, detail: _Detail) -> tuple[Block, ...]:
    act = items(view, Urgency.ACT)[: detail.items]
    example = act[0]["number"] if act else next(iter(view.figures.ranking), None)
    return view.blocks(
        "root",
        act=act,
        upgrade=items(view, Urgency.UPGRADE)[: detail.items],
        know=[_area(one) for one in view.of(FindingKind.CAMPAIGN) if _area(one)][: int(detail.know)],
        watched=watched(view),
        example=_spoken(example) if detail.example and isinstance(example, int) else None,
    )


def _spoken(number: int) -> Word:
    """A number as one would type it: an example is no link."""
    return Word(f"#{number}", Claim.about("number", number=number))


def _area(one: Told) -> dict[str, object] | None:
    """The folder or the topic of a campaign and how many pull requests move it."""
    values = one.finding.values
    area = values.get("folder") or values.get("topic")
    return {"area": area, "count": values["count"]} if area and "count" in values else None


def _iso_week(period: Period) -> str | None:
    """The period as 2026-W10; None unless it is a week from Monday to Monday."""
    first = period.since.date()
    year, week, day = first.isocalendar()
    return f"{year}-W{week:02}" if day == 1 and period.until.date() - first == timedelta(weeks=1) else None
