"""What kind of file a path is: source, test, docs, generated and so on, by the rules of `rules/files.yaml`."""

from __future__ import annotations

from collections.abc import Iterable

from bot.analysis.rules import Rules
from bot.models import ChangedFile, PullRequest

APART = frozenset({"vendored", "lock", "generated", "translation"})
"""Kinds that are listed apart from hot files and never make a change look large."""


def kind_of(path: str, rules: Rules) -> str:
    """The kind of a path: a name of `files.kinds`, "source" or "data"."""
    kind = rules.known_kinds.get(path)
    if kind is None:
        kind = rules.known_kinds[path] = _kind(path, rules)
    return kind


def _kind(path: str, rules: Rules) -> str:
    for kind, pattern in rules.file_kinds:
        if pattern.search(path):
            return kind
    return "source" if path.rpartition(".")[2].lower() in rules.source_endings else "data"


def is_source(path: str, rules: Rules) -> bool:
    """Whether a path is the product's own source."""
    return kind_of(path, rules) == "source"


def of_kind(pull_request: PullRequest, rules: Rules, *kinds: str) -> tuple[ChangedFile, ...]:
    """The changed files of the given kinds."""
    return tuple(file for file in pull_request.files if kind_of(file.path, rules) in kinds)


def directory(path: str, depth: int | None = None) -> str:
    """The folder of a path with a trailing slash ("" at the top), cut to its first `depth` parts."""
    parts = path.split("/")[:-1]
    kept = parts if depth is None else parts[:depth]
    return "".join(f"{part}/" for part in kept)


def churn(files: Iterable[ChangedFile]) -> int:
    """Added plus deleted lines."""
    return sum(file.churn for file in files)
