"""The measures of a pull request that scores and risks are made from, taken from itself alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from bot.analysis.paths import directory, kind_of
from bot.analysis.rules import Fault, Rules
from bot.analysis.tags import change_type, tags_of
from bot.models import ChangedFile, PullRequest

LARGEST_FILE = 1500
"""Lines of one file beyond which more lines say nothing more about importance."""

_OTHER = ("docs", "ci", "manifest", "example", "data")


@dataclass(frozen=True, slots=True)
class Features:
    """What one pull request measures by itself. Lines are added plus deleted, bounded per file.

    `source` maps each product source file to its lines; `directories` are their distinct folders; `entropy` says how
    evenly the lines are spread over them, 0 to 1; `fault` is the serious fault that the title says is mended; `said`
    are the words of `rules/words.yaml` about breaks, defaults and removals that the title uses.
    """

    number: int
    title: str
    paths: tuple[str, ...]
    tags: tuple[str, ...]
    type: str
    source: Mapping[str, int]
    directories: tuple[str, ...]
    source_churn: int
    test_churn: int
    other_churn: int
    new_source_files: int
    manifest_files: int
    entropy: float
    platforms: int
    fault: Fault | None
    said: tuple[str, ...]
    series: bool
    discussion: int

    @property
    def effective_churn(self) -> float:
        """Lines weighed by what they are: source whole, tests three tenths, the rest one tenth."""
        return self.source_churn + 0.3 * self.test_churn + 0.1 * self.other_churn


def features_of(pull_request: PullRequest, rules: Rules) -> Features:
    """Measure a pull request. Generated, vendored, lock and translation files count no lines."""
    by_kind = _by_kind(pull_request, rules)
    source = {file.path: min(file.churn, LARGEST_FILE) for file in by_kind.get("source", ())}
    tags = tags_of(pull_request, rules)
    return Features(
        number=pull_request.number,
        title=pull_request.title,
        paths=tuple(file.path for file in pull_request.files),
        tags=tags,
        type=change_type(pull_request.title, tags, rules, has_source=bool(source)),
        source=source,
        directories=tuple(sorted({directory(path) for path in source})),
        source_churn=sum(source.values()),
        test_churn=_lines(by_kind.get("test", ())),
        other_churn=sum(_lines(by_kind.get(kind, ())) for kind in _OTHER),
        new_source_files=sum(file.status == "added" for file in by_kind.get("source", ())),
        manifest_files=len(by_kind.get("manifest", ())) + len(by_kind.get("lock", ())),
        entropy=_entropy(tuple(source.values())),
        platforms=sum(tag in rules.platforms for tag in tags),
        fault=fault_of(pull_request.title, rules) if source else None,
        said=_said(pull_request.title, rules) if source else (),
        series=rules.words["series"].search(pull_request.title) is not None,
        discussion=sum(len(thread.comments) for thread in pull_request.threads or ()),
    )


def fault_of(title: str, rules: Rules) -> Fault | None:
    """The serious fault that a title says is mended: the furthest reaching one it names; None for tests and builds."""
    if not rules.words["mends"].search(title) or rules.fault_exclusions.search(title):
        return None
    named = [fault for fault in rules.faults if fault.words.search(title)]
    return max(named, key=lambda fault: fault.reach, default=None)


def _by_kind(pull_request: PullRequest, rules: Rules) -> Mapping[str, list[ChangedFile]]:
    by_kind: dict[str, list[ChangedFile]] = {}
    for file in pull_request.files:
        by_kind.setdefault(kind_of(file.path, rules), []).append(file)
    return by_kind


def _said(title: str, rules: Rules) -> tuple[str, ...]:
    said = [name for name in ("breaking", "changes_default", "removes") if rules.words[name].search(title)]
    little = said == ["removes"] and rules.words["removes_little"].search(title)
    return () if little else tuple(said)


def _lines(files: Iterable[ChangedFile]) -> int:
    return sum(min(file.churn, LARGEST_FILE) for file in files)


def _entropy(sizes: Sequence[int]) -> float:
    """Normalised Shannon entropy of the shares (Hassan 2009)."""
    total = sum(sizes)
    shares = [size / total for size in sizes if size] if total else []
    return -sum(share * log2(share) for share in shares) / log2(len(shares)) if len(shares) > 1 else 0.0
