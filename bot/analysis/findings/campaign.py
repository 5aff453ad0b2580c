"""An area moved the same way by several pull requests: a directory or topic being reworked, a numbered series."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.analysis.findings.evidence import Evidence, folder, topic
from bot.analysis.lineage import is_revert
from bot.analysis.modules import around
from bot.analysis.reworks import Area, reworked
from bot.analysis.series import Part, name_of, series_of
from bot.analysis.topics import shown, topics_of
from bot.figures import Claim, Count, Word
from bot.models import Finding, FindingKind, PullRequest, Urgency

_MOST = 4
_BESIDE = 2
"""So many large changes in the same folder that go another way are named."""

_LARGE = 0.75
"""A large change has more source lines than this share of the trailing ones."""


@dataclass(frozen=True, slots=True)
class _Series:
    """A numbered series: its parts in the period and those in the 13 weeks before it, both oldest first."""

    new: tuple[Part, ...]
    earlier: tuple[Part, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(part.pull_request.number for part in self.new)


@dataclass(frozen=True, slots=True)
class _Step:
    """One part as it is told; `name` is None when the titles share no name, `after` the part before it or 0."""

    number: int
    marker: Word
    name: Word | None
    open_ended: bool
    is_last: bool
    after: int


def detect(evidence: Evidence) -> Iterator[Finding]:
    """At most four areas, largest first; then each series with several new parts, then the others in one finding."""
    areas = sorted(_areas(evidence), key=lambda area: -_weight(evidence, area.members))[:_MOST]
    series = _moving(evidence)
    for area in areas:
        yield _of_area(evidence, area, [some for some in series if area.numbers.intersection(some.numbers)])
    told = frozenset(number for area in areas for number in area.numbers)
    apart = [some for some in series if 2 * len(told.intersection(some.numbers)) < len(some.new)]
    yield from (_of_series(evidence, some) for some in apart if len(some.new) > 1)
    steps = [some for some in apart if len(some.new) == 1]
    if steps:
        yield _of_steps(steps)


def _areas(evidence: Evidence) -> list[Area]:
    people = [one for one in evidence.week.pull_requests if one.author_kind != "bot" and evidence.stands(one)]
    return reworked(people, evidence.features, evidence.touches, _large(evidence), evidence.rules)


def _large(evidence: Evidence) -> float:
    return evidence.past.quantile("source_churn", _LARGE)


def _moving(evidence: Evidence) -> list[_Series]:
    """The series of at least two parts, one of which changed source in the period."""
    known = [*evidence.week.history, *evidence.week.pull_requests]
    standing = [one for one in known if not is_revert(one.title) and one.number not in evidence.taken_back]
    found = [_split(evidence, parts) for parts in series_of(standing, evidence.rules) if len(parts) > 1]
    return [some for some in found if any(evidence.features[number].source for number in some.numbers)]


def _split(evidence: Evidence, parts: Sequence[Part]) -> _Series:
    new = tuple(part for part in parts if part.pull_request.number in evidence.pull_requests)
    return _Series(new, tuple(part for part in parts if part not in new))


def _of_area(evidence: Evidence, area: Area, series: Sequence[_Series]) -> Finding:
    numbers = evidence.ordered(area.members)
    where: dict[str, str | int] = {area.of: area.name, "source": 1} if area.of == "folder" else {area.of: area.name}
    steps = [step for some in series for step in _steps(some) if step.number in area.numbers]
    beside = _beside(evidence, area)
    values = {
        area.of: _name(evidence, area),
        "direction": area.direction,
        "numbers": numbers,
        "count": Count(len(numbers), Claim.about("pull_requests", numbers=numbers, **where)),
        **_measures(evidence, area.members),
        **_against_before(evidence, area, where),
        "steps": steps,
        "beside": beside,
    }
    return _finding((*numbers, *beside, *_after(steps)), values, _weight(evidence, area.members))


def _of_series(evidence: Evidence, series: _Series) -> Finding:
    steps = _steps(series)
    members = [part.pull_request for part in series.new]
    numbers = evidence.ordered(members)
    earlier = tuple(part.pull_request.number for part in series.earlier[-_BESIDE:])
    values = {
        "topic": steps[-1].name,
        "steps": steps,
        "ended": any(step.is_last for step in steps),
        "count": Count(len(numbers), Claim.about("pull_requests", numbers=numbers)),
        **_measures(evidence, members),
        "earlier": earlier,
    }
    return _finding((*numbers, *earlier), values, _weight(evidence, members))


def _of_steps(series: Sequence[_Series]) -> Finding:
    steps = [step for some in series for step in _steps(some)]
    return _finding((*(step.number for step in steps), *_after(steps)), {"steps": steps}, 0)


def _finding(numbers: Sequence[int], values: Mapping[str, object], weight: float) -> Finding:
    pull_requests = tuple(dict.fromkeys(numbers))
    return Finding(FindingKind.CAMPAIGN, Urgency.KNOW, pull_requests, values=values, weight=weight)


def _steps(series: _Series) -> list[_Step]:
    """The parts of the period in their order, each with the part before it."""
    parts = (*series.earlier, *series.new)
    return [_step(part, parts[parts.index(part) - 1] if parts.index(part) else None) for part in series.new]


def _step(part: Part, before: Part | None) -> _Step:
    number = part.pull_request.number
    name = name_of(part, before)
    return _Step(
        number=number,
        marker=_said(part.marker, number),
        name=_said(name, number) if name else None,
        open_ended=part.open_ended,
        is_last=part.is_last,
        after=before.pull_request.number if before else 0,
    )


def _said(text: str, number: int) -> Word:
    return Word(text, Claim.about("title_part", number=number))


def _after(steps: Sequence[_Step]) -> tuple[int, ...]:
    return tuple(step.after for step in steps if step.after)


def _name(evidence: Evidence, area: Area) -> Word:
    if area.of == "folder":
        return folder(area.name, area.members)
    return topic(area.name, shown(area.name, area.members, evidence.rules), area.members)


def _measures(evidence: Evidence, members: Sequence[PullRequest]) -> dict[str, object]:
    numbers = evidence.ordered(members)
    return {
        "lines": Count(_lines(evidence, members), Claim.about("churn", numbers=numbers, source=1)),
        "tested": evidence.ordered(one for one in members if evidence.touches_tests(one)),
    }


def _weight(evidence: Evidence, members: Sequence[PullRequest]) -> float:
    """By the number of pull requests, then by their lines."""
    lines = _lines(evidence, members)
    return round(len(members) + lines / (lines + 1000), 3)


def _lines(evidence: Evidence, members: Sequence[PullRequest]) -> int:
    return sum(file.churn for one in members for file in evidence.source(one))


def _against_before(evidence: Evidence, area: Area, where: Mapping[str, str | int]) -> dict[str, object]:
    """How many pull requests went through the area at all, and how many in the span before where it is covered."""
    before = evidence.week.span(1)
    return {
        "touching": Count(
            _touching(evidence, area, evidence.week.pull_requests), Claim.about("pull_requests", **where)
        ),
        "before": None
        if before is None
        else Count(_touching(evidence, area, before), Claim.about("pull_requests", span=1, **where)),
    }


def _touching(evidence: Evidence, area: Area, pull_requests: Sequence[PullRequest]) -> int:
    if area.of == "topic":
        return sum(area.name in topics_of(one, evidence.rules) for one in pull_requests)
    return sum(area.name in around(evidence.measured[one.number]) for one in pull_requests)


def _beside(evidence: Evidence, area: Area) -> tuple[int, ...]:
    """Large changes that lie mostly in the same folder and go another way."""
    if area.of == "topic":
        return ()
    large = _large(evidence)
    others = [
        one
        for number, one in evidence.pull_requests.items()
        if number not in area.numbers and evidence.stands(one) and _churn_in(evidence, one, area.name) >= large
    ]
    return evidence.ordered(others)[:_BESIDE]


def _churn_in(evidence: Evidence, one: PullRequest, name: str) -> int:
    """Source lines under a folder; 0 where most of the source lies elsewhere."""
    source = evidence.features[one.number].source
    inside = sum(lines for path, lines in source.items() if path.startswith(name))
    return inside if 2 * inside > sum(source.values()) else 0
