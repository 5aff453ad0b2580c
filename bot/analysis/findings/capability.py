"""New capabilities: what was added as new source, as much source in existing files, or as an interface."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from bot.analysis.findings.evidence import Evidence, short_title
from bot.figures import Claim, Count, Scalar
from bot.models import ChangedFile, Finding, FindingKind, PullRequest, Urgency

_NEW_LINES, _ADDED_LINES, _INTERFACE_FILES = 100, 150, 5
"""Lines in new source files, or in all source, or source files of an interface, from which an addition counts."""

_LARGE = 300
"""Lines in new source files from which an addition is told by itself."""

_TOLD = 6
_TYPES = frozenset({"feature", "other", "performance"})
_MODEL = re.compile(r"(?:^|/)models?/")


@dataclass(frozen=True)
class Addition:
    """A pull request that adds something, and how much of its source is new."""

    evidence: Evidence
    one: PullRequest

    @cached_property
    def new_lines(self) -> int:
        return sum(file.additions for file in self._new)

    @cached_property
    def new_files(self) -> int:
        return len({file.path for file in self._new})

    @cached_property
    def is_model(self) -> bool:
        """A new file among the models of a repository that has them, with the title saying so."""
        tags = self.evidence.features[self.one.number].tags
        return "model" in tags and any(_MODEL.search(file.path) for file in self._new)

    @cached_property
    def counts(self) -> bool:
        features = self.evidence.features[self.one.number]
        if features.type not in _TYPES or not self._says_so or not self.evidence.stands(self.one):
            return False
        added = sum(file.additions for file in self.evidence.source(self.one))
        much = features.type == "feature" and added >= _ADDED_LINES
        interface = self.evidence.says("adds_interface", self.one) and len(features.source) >= _INTERFACE_FILES
        return self.new_lines >= _NEW_LINES or much or interface

    @property
    def _says_so(self) -> bool:
        little = any(self.evidence.says(words, self.one) for words in ("adds_little", "removes"))
        return self.evidence.says("adds", self.one) and not little

    @property
    def _new(self) -> Sequence[ChangedFile]:
        return [file for file in self.evidence.source(self.one) if file.status == "added"]


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding for each large addition, one for all new models and one for the other additions."""
    people = [one for one in evidence.week.pull_requests if one.author_kind != "bot"]
    additions = [addition for one in people if (addition := Addition(evidence, one)).counts]
    models = [addition for addition in additions if addition.is_model]
    large = [one for one in additions if one.new_lines >= _LARGE and not (len(models) > 1 and one.is_model)]
    others = [one for one in additions if one not in large and not (len(models) > 1 and one.is_model)]
    for addition in large:
        yield _single(evidence, addition)
    if len(models) > 1:
        yield _group(evidence, "models", models)
    if others:
        yield _group(evidence, "others" if len(others) < len(additions) else "all", others)


def _single(evidence: Evidence, addition: Addition) -> Finding:
    one = addition.one
    new: dict[str, Scalar] = {"numbers": (one.number,), "source": 1, "new": 1}
    return Finding(
        kind=FindingKind.CAPABILITY,
        urgency=Urgency.KNOW,
        pull_requests=(one.number,),
        files=tuple(file.path for file in evidence.source(one) if file.status == "added"),
        values={
            "how": "large",
            "number": one.number,
            "title": short_title(one, evidence.rules),
            "lines": Count(addition.new_lines, Claim.about("additions", **new)),
            "new_files": Count(addition.new_files, Claim.about("files", **new)),
        },
        weight=addition.new_lines,
    )


def _group(evidence: Evidence, how: str, additions: Sequence[Addition]) -> Finding:
    numbers = evidence.ordered(addition.one for addition in additions)
    return Finding(
        kind=FindingKind.CAPABILITY,
        urgency=Urgency.KNOW,
        pull_requests=numbers,
        values={
            "how": how,
            "count": Count(len(numbers), Claim.about("pull_requests", numbers=numbers)),
            "told": [
                {"number": number, "title": short_title(evidence.pull_requests[number], evidence.rules)}
                for number in numbers[:_TOLD]
            ],
            "others": numbers[_TOLD:],
        },
        weight=_LARGE if how == "models" else 0.0,
    )
