"""The figures of a digest: counted from a week's pull requests and their assessments, nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from bot.analysis.findings.evidence import Evidence
from bot.analysis.importance import HIGH
from bot.analysis.lineage import Reversal
from bot.analysis.paths import APART, kind_of
from bot.analysis.rules import Rules
from bot.figures import Claim, Count, Measure
from bot.models import Assessment, PullRequest, Week

USUAL_SPANS = 4
"""Over how many equal spans before the period, the previous one included, the usual count is taken."""

_REGISTRY_LINES = 4

Touching = Mapping[str, Sequence[tuple[int, int]]]
"""By path: (number of the pull request, changed lines), in the order of merging."""


@dataclass(frozen=True, slots=True)
class HotFile:
    """A file, the pull requests of the period that changed it (in the order of merging), and how many lines of it."""

    path: str
    pull_requests: tuple[int, ...]
    lines: int


@dataclass(frozen=True)
class Figures:
    """What is counted. `previous` figures are None unless the equal span before is fully covered."""

    pull_requests: Count
    high_importance: Count
    average_importance: Measure
    tags: Mapping[str, Count]
    hot_files: tuple[HotFile, ...]
    hot_files_apart: tuple[HotFile, ...]
    risks: Mapping[str, tuple[int, ...]]
    ranking: tuple[int, ...]
    reverts: tuple[Reversal, ...]
    previous: Count | None
    previous_high: Count | None
    usual: Count | Measure | None


def figures_of(evidence: Evidence) -> Figures:
    """Count a week."""
    week = evidence.week
    assessed = [week.assessments[one.number] for one in week.pull_requests]
    previous = week.span(1)
    hot, apart = hot_files(touching_of(week.pull_requests), evidence.rules)
    return Figures(
        pull_requests=Count(len(week.pull_requests), Claim.about("pull_requests")),
        high_importance=_high(assessed, span=0),
        average_importance=average(assessed),
        tags=tag_counts(assessed),
        hot_files=hot,
        hot_files_apart=apart,
        risks=by_risk(assessed),
        ranking=ranking(assessed),
        reverts=evidence.reversals,
        previous=None if previous is None else Count(len(previous), Claim.about("pull_requests", span=1)),
        previous_high=None if previous is None else _high([week.assessments[one.number] for one in previous], span=1),
        usual=_usual(week),
    )


def ranking(assessed: Iterable[Assessment]) -> tuple[int, ...]:
    """Their numbers, most important first; ties: the lower number."""
    return tuple(one.number for one in sorted(assessed, key=lambda one: (-one.importance, one.number)))


def average(assessed: Sequence[Assessment]) -> Measure:
    """Mean importance to 0.01; 0 for none."""
    return Measure(mean([one.importance for one in assessed] or [0.0]), Claim.about("average_importance"), 2)


def tag_counts(assessed: Iterable[Assessment]) -> Mapping[str, Count]:
    """Tags with how many pull requests carry them, most frequent first; ties: by name."""
    counts = Counter(tag for one in assessed for tag in one.tags)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {tag: Count(count, Claim.about("pull_requests", tag=tag)) for tag, count in ordered}


def by_risk(assessed: Iterable[Assessment]) -> Mapping[str, tuple[int, ...]]:
    """Risk categories with their pull requests, most important first; the category with the most comes first."""
    found: dict[str, list[Assessment]] = {}
    for one in assessed:
        for risk in one.risks:
            found.setdefault(risk.category, []).append(one)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return {category: ranking(some) for category, some in ordered}


def hot_files(touching: Touching, rules: Rules) -> tuple[tuple[HotFile, ...], tuple[HotFile, ...]]:
    """Files by how many pull requests changed them (ties: more changed lines), and those listed apart.

    Apart stand generated, vendored, lock and translation files, and test files to which everyone adds a few lines.
    Files changed once are left out.
    """
    found = [
        HotFile(path, tuple(number for number, _ in some), sum(lines for _, lines in some))
        for path, some in touching.items()
        if len(some) > 1
    ]
    found.sort(key=lambda file: (-len(file.pull_requests), -file.lines, file.path))
    apart = {file.path for file in found if _stands_apart(file, rules)}
    return tuple(file for file in found if file.path not in apart), tuple(file for file in found if file.path in apart)


def touching_of(pull_requests: Iterable[PullRequest]) -> Touching:
    """Which pull requests changed each file, and by how many lines."""
    touching: dict[str, list[tuple[int, int]]] = {}
    for one in pull_requests:
        for file in one.files:
            touching.setdefault(file.path, []).append((one.number, file.churn))
    return touching


def _stands_apart(file: HotFile, rules: Rules) -> bool:
    kind = kind_of(file.path, rules)
    return kind in APART or (kind == "test" and file.lines <= _REGISTRY_LINES * len(file.pull_requests))


def _high(assessed: Iterable[Assessment], *, span: int) -> Count:
    return Count(sum(one.importance >= HIGH for one in assessed), Claim.about("pull_requests", span=span, high=1))


def _usual(week: Week) -> Count | Measure | None:
    """The median of the four equal spans before; None unless they are fully covered."""
    spans = [week.span(back) for back in range(1, 1 + USUAL_SPANS)]
    counts = [len(span) for span in spans if span is not None]
    if len(counts) < USUAL_SPANS:
        return None
    return whole_or_half(median(counts), Claim.about("usual", first=1, spans=USUAL_SPANS))


def whole_or_half(value: float, claim: Claim) -> Count | Measure:
    """A median: whole, or with one decimal."""
    return Count(int(value), claim) if value == int(value) else Measure(value, claim)
