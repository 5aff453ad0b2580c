"""Areas that several pull requests rework: a folder or a topic, and what the titles say is done to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.analysis.features import Features
from bot.analysis.modules import folders
from bot.analysis.rules import Rules
from bot.analysis.topics import topics_of
from bot.models import PullRequest

_LEAST = 3
_LEAST_LARGE, _TOGETHER = 2, 4
"""So many members must be large, and together all of them must be so many times as large."""

_INSIDE = 0.25
"""A member has at least this share of its source lines in the folder; one that sweeps over it is none."""

_WIDE = 0.06
_LEAST_IN_WIDE = 4
"""A folder that more than this share of the trailing changes to source touched takes more members to make an area."""

_WIDEST = 0.17
"""A folder that more than this share of the trailing changes to source touched is no area of its own."""

_SAME = 0.6
_MUCH_WIDER = 2
"""Of two areas with nearly the same members the narrower is told, unless the wider has so many times as many."""

_REFACTOR, _REMOVAL = "refactor", "removal"
_OWN_WORK = frozenset({"refactor", "feature", "performance", "other"})


@dataclass(frozen=True, slots=True)
class Area:
    """A folder or topic (`of`), what the members do to it (a tag), and the members, oldest first.

    `share` is the share of the trailing changes to source that touched the folder, 0 for a topic.
    """

    of: str
    name: str
    direction: str
    members: tuple[PullRequest, ...]
    share: float

    @property
    def numbers(self) -> frozenset[int]:
        """The members' numbers."""
        return frozenset(one.number for one in self.members)


def reworked(
    pull_requests: Iterable[PullRequest],
    measured: Mapping[int, Features],
    touched: Mapping[str, int],
    large: float,
    rules: Rules,
) -> list[Area]:
    """The areas with at least three members, two of them large for this repository; overlapping ones once.

    `touched` says how many trailing changes to source touched each folder (`modules.touches`), `large` from how many
    lines of source on a change is a large one.
    """
    areas = [
        area
        for area in _areas(pull_requests, measured, touched, rules)
        if len(area.members) >= _least(area) and _weighs(area, measured, max(1.0, large))
    ]
    return _distinct(areas)


def _weighs(area: Area, measured: Mapping[int, Features], large: float) -> bool:
    lines = [measured[number].source_churn for number in area.numbers]
    return sum(some >= large for some in lines) >= _LEAST_LARGE and sum(lines) >= _TOGETHER * large


def _least(area: Area) -> int:
    return _LEAST if area.share <= _WIDE else _LEAST_IN_WIDE


def _areas(
    pull_requests: Iterable[PullRequest], measured: Mapping[int, Features], touched: Mapping[str, int], rules: Rules
) -> Iterator[Area]:
    members: dict[tuple[str, str, str], list[PullRequest]] = {}
    for one in pull_requests:
        for place in _places(one, measured[one.number], rules):
            members.setdefault(place, []).append(one)
    for (of, name, direction), some in members.items():
        share = touched.get(name, 0) / max(1, touched.get("", 0)) if of == "folder" else 0.0
        if share <= _WIDEST:
            yield Area(of, name, direction, tuple(some), share)


def _places(one: PullRequest, features: Features, rules: Rules) -> Iterator[tuple[str, str, str]]:
    """Folders by what the title does; topics that themselves say it ("Scheduler Refactor")."""
    for direction in _directions(features):
        yield from (("folder", name, direction) for name in _homes(features))
    if features.source:
        says = next((rule.title for rule in rules.tags if rule.name == _REFACTOR), None)
        topics = (name for name in topics_of(one, rules) if says is not None and says.search(name))
        yield from (("topic", name, _REFACTOR) for name in topics)


def _directions(features: Features) -> Iterator[str]:
    if features.type == _REFACTOR:
        yield _REFACTOR
    if features.type in _OWN_WORK and "removes" in features.said:
        yield _REMOVAL


def _homes(features: Features) -> Iterator[str]:
    """The folders below the outermost that hold a fair share of the changed lines."""
    lines: Counter[str] = Counter()
    for path, churn in features.source.items():
        lines.update(dict.fromkeys(folders(path), churn))
    return (name for name, some in lines.items() if name.count("/") > 1 and some >= _INSIDE * lines[""])


def _distinct(areas: Sequence[Area]) -> list[Area]:
    """Narrow areas first; a wider one with nearly the same members replaces them only when it has many more."""
    kept: list[Area] = []
    for area in sorted(areas, key=lambda area: (area.share, -len(area.members), -len(area.name), area.name)):
        alike = [other for other in kept if _overlap(area, other) >= _SAME]
        if all(len(area.members) >= _MUCH_WIDER * len(other.members) for other in alike):
            kept = [other for other in kept if other not in alike] + [area]
    return kept


def _overlap(one: Area, other: Area) -> float:
    return len(one.numbers & other.numbers) / min(len(one.members), len(other.members))
