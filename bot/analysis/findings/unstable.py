"""Several fixes on one topic or in one directory within the period, clearly more than usual there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.analysis.findings.evidence import Evidence, folder, topic
from bot.analysis.modules import around
from bot.analysis.topics import shown, topics_of
from bot.analysis.trailing import Usual, usual
from bot.figures import Claim, Count, Word
from bot.models import Finding, FindingKind, PullRequest, Urgency

_LEAST = 3
_MANY = 4
"""From so many on, a name with a version anywhere in the titles makes a topic; else one must give it as its area."""

_CLEARLY = 2.5
"""Robust standard deviations above the usual count."""

_SOMEWHAT = 2.0
"""The same, for a place that takes part in a spot without making it alone."""

_BUSIER_SPANS = 1
"""So many of the covered spans may have had as many fixes there; with more of them it is nothing new."""

_SAME = 0.6
"""Two spots that share this much of the smaller one are one spot under two names."""

_WIDEST, _NARROW = 0.15, 0.02
"""A folder that more than the first share of the trailing changes to source touched is no spot; one that no more than
the second touched is narrow enough for what lies side by side in it to belong together."""

_MOST = 3
_EXAMPLES = 6


@dataclass(frozen=True, slots=True)
class _Spot:
    """A topic of titles or a folder of source: the period's fixes there, those beside it, and what is usual."""

    of: str
    name: str
    fixes: tuple[PullRequest, ...]
    usual: Usual
    beside: tuple[PullRequest, ...] = ()
    beside_in: str = ""

    @property
    def numbers(self) -> frozenset[int]:
        return frozenset(one.number for one in (*self.fixes, *self.beside))

    @property
    def rank(self) -> tuple[float, ...]:
        """The most unusual first; of two alike the one with more fixes, then the topic, then the inner folder."""
        distance = self.usual.distance(len(self.numbers))
        return -round(distance, 1), -len(self.numbers), self.of == "folder", -len(self.name)


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding a spot, at most three; a topic and a folder with nearly the same fixes are told once."""
    kept: list[_Spot] = []
    for spot in sorted(_Fixes(evidence).spots(), key=lambda spot: spot.rank):
        if all(_overlap(spot, other) < _SAME for other in kept):
            kept.append(spot)
    for spot in kept[:_MOST]:
        yield _finding(evidence, spot)


def _overlap(one: _Spot, other: _Spot) -> float:
    return len(one.numbers & other.numbers) / min(len(one.numbers), len(other.numbers))


class _Fixes:
    """The fixes of the period by the places that they mend, and how many fixes each place had before."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._standing = [
            one for one in evidence.week.pull_requests if one.number in evidence.fixes and evidence.stands(one)
        ]
        self._by_place = self._grouped(self._standing)
        self._before = [
            Counter(place for one in span if one.number in evidence.fixes for place in self._places(one))
            for span in evidence.before
        ]

    def spots(self) -> Iterator[_Spot]:
        """The places with clearly more fixes than usual."""
        for (of, name), fixes in self._by_place.items():
            expected = self._usual(of, name)
            if expected is None:
                continue
            if len(fixes) >= _LEAST and _stands_out(len(fixes), expected) and self._telling(of, name, fixes):
                yield _Spot(of, name, tuple(fixes), expected)
            elif len(fixes) == _LEAST - 1 and of == "topic" and self._telling(of, name, fixes):
                yield from self._with_neighbours(name, fixes, expected)

    def _grouped(self, fixes: Iterable[PullRequest]) -> Mapping[tuple[str, str], list[PullRequest]]:
        grouped: dict[tuple[str, str], list[PullRequest]] = {}
        for one in fixes:
            for place in self._places(one):
                grouped.setdefault(place, []).append(one)
        return grouped

    def _places(self, one: PullRequest) -> Iterator[tuple[str, str]]:
        """The topics of a title and the folders of its source; what lies at the top is too wide to be a place."""
        yield from (("topic", name) for name in topics_of(one, self._evidence.rules))
        yield from (("folder", name) for name in around(self._evidence.measured[one.number]) if name.count("/") > 1)

    def _usual(self, of: str, name: str) -> Usual | None:
        return usual(count[of, name] for count in self._before)

    def _telling(self, of: str, name: str, fixes: Sequence[PullRequest]) -> bool:
        """A folder must be where most of the fixes have most of their lines; a topic must be given as an area."""
        if of == "folder":
            inside = sum(self._mostly_under(one, name) for one in fixes)
            return inside >= _LEAST and 2 * inside >= len(fixes) and self._share(name) <= _WIDEST
        versioned = len(fixes) >= _MANY and any(char.isdigit() for char in name)
        return not self._is_platform(name) and (versioned or self._is_area(name, fixes))

    def _share(self, name: str) -> float:
        touches = self._evidence.touches
        return touches.get(name, 0) / max(1, touches.get("", 0))

    def _mostly_under(self, one: PullRequest, name: str) -> bool:
        source = self._evidence.measured[one.number].source
        return 2 * sum(lines for path, lines in source.items() if path.startswith(name)) >= sum(source.values())

    def _is_area(self, name: str, fixes: Sequence[PullRequest]) -> bool:
        """Whether one of the titles has it for itself in brackets, as in "[Name]", "[Other/Name]" or "fix(name):"."""
        spelling = re.escape(shown(name, fixes, self._evidence.rules))
        area = re.compile(rf"[\[(](?:[^\])]*[/&,+|])?\s*{spelling}\s*(?:[/&,+|][^\])]*)?[\])]", re.IGNORECASE)
        return any(area.search(one.title) for one in fixes)

    def _is_platform(self, name: str) -> bool:
        """Platforms have a finding of their own."""
        rules = self._evidence.rules
        titles = (rule.title for rule in rules.tags if rule.name in rules.platforms)
        return any(title is not None and title.search(name) for title in titles)

    def _with_neighbours(self, name: str, fixes: Sequence[PullRequest], expected: Usual) -> Iterator[_Spot]:
        """Too few fixes name the topic, but others lie in the same folder, one that seldom sees any."""
        for near in sorted({name for one in fixes for name in self._evidence.measured[one.number].directories}):
            inside = [one for one in self._by_place.get(("folder", near), ()) if self._mostly_under(one, near)]
            beside = tuple(one for one in inside if one not in fixes)
            seldom = self._usual("folder", near)
            shared = 0 < len(beside) < min(len(fixes), len(inside))
            if shared and seldom and self._share(near) <= _NARROW and _stands_out(len(inside), seldom, _SOMEWHAT):
                yield _Spot("topic", name, tuple(fixes), expected, beside, near)


def _stands_out(count: int, expected: Usual, least: float = _CLEARLY) -> bool:
    as_busy = sum(before >= count for before in expected.counts)
    return expected.distance(count) >= least and as_busy <= _BUSIER_SPANS


def _finding(evidence: Evidence, spot: _Spot) -> Finding:
    numbers = evidence.ordered(spot.fixes)
    beside = evidence.ordered(spot.beside)
    where: dict[str, str | int] = {spot.of: spot.name, "fix": 1}
    if spot.of == "folder":
        where["source"] = 1
    values: dict[str, object] = {
        spot.of: _name(evidence, spot),
        "examples": numbers[:_EXAMPLES],
        "more": len(numbers) > _EXAMPLES,
        "count": Count(len(numbers), Claim.about("pull_requests", numbers=numbers, **where)),
        "usual": Count(spot.usual.middle, Claim.about("median", **where)),
        "spans": Count(len(spot.usual.counts), Claim.about("covered_spans")),
        "beside": beside,
    }
    if beside:
        values["beside_in"] = folder(spot.beside_in, spot.beside)
    return Finding(
        kind=FindingKind.UNSTABLE,
        urgency=Urgency.KNOW,
        pull_requests=(*numbers, *beside),
        values=values,
        weight=len(numbers) + len(beside) + round(spot.usual.distance(len(numbers)) / 100, 3),
    )


def _name(evidence: Evidence, spot: _Spot) -> Word:
    if spot.of == "folder":
        return folder(spot.name, spot.fixes)
    about = evidence.by_topic[spot.name]
    return topic(spot.name, shown(spot.name, about, evidence.rules), about)
