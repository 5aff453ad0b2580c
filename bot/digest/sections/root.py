"""The root: what fits a phone, findings to act on first."""

from __future__ import annotations

from bot.analysis.watch import hits
from bot.digest.sections.summary import label_of
from bot.digest.telling import Told
from bot.digest.view import View
from bot.message import Button, Buttons, Message
from bot.models import FindingKind, Urgency
from bot.text import terms

_ACT_ITEMS, _UPGRADE_ITEMS = 3, 3
"""Six links at most: what asks for something has a link, what is good to know is told in words."""

_COMMANDS = {"risks": "risks", "hot": "hot", "top": "top", "full": "top all"}


def render(view: View) -> Message:
    """The root message with its buttons."""
    act = _items(view, Urgency.ACT, _ACT_ITEMS)
    blocks = view.blocks(
        "root",
        act=act,
        upgrade=_items(view, Urgency.UPGRADE, _UPGRADE_ITEMS),
        know=[_area(one) for one in view.of(FindingKind.CAMPAIGN) if _area(one)][:1],
        watched=view.count(sum(bool(hits(one, view.week.reading)) for one in view.week.pull_requests), watched=1),
        watching=bool(view.week.reading.watch),
        example=act[0]["number"] if act else next(iter(view.figures.ranking), 0),
    )
    return Message((*blocks, _buttons()), view.wording.sentence("digest/notification", **view.names))


def _items(view: View, urgency: Urgency, most: int) -> list[dict[str, object]]:
    """The first pull request of each finding under a short label; each label and each number once."""
    items: dict[str, int] = {}
    for one in view.told:
        label, number = label_of(one), one.numbers[0]
        if one.finding.urgency is urgency and label not in items and number not in items.values():
            items[label] = number
    return [{"label": label, "number": number} for label, number in items.items()][:most]


def _area(one: Told) -> dict[str, object] | None:
    """The folder or the topic of a campaign and how many pull requests move it."""
    values = one.finding.values
    area = values.get("folder") or values.get("topic")
    return {"area": area, "count": values["count"]} if area and "count" in values else None


def _buttons() -> Buttons:
    return Buttons(tuple(Button(str(label), _COMMANDS[name]) for name, label in terms()["button"].items()))
