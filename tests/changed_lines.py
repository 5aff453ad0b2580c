"""Pull requests as changed lines, and what is read from them; for the tests of `bot.analysis.diffs`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from bot.analysis.diffs import read
from bot.models import DiffFact, DiffKind, FilePatch, Patch

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
SOURCE = ("py", "rs", "go", "ts", "java", "cpp", "sh")


def is_source(path: str) -> bool:
    return path.rpartition(".")[2] in SOURCE and not path.startswith(("tests/", "docs/"))


def patch(number: int, files: Mapping[str, tuple[str, str]], *, day: float = 0) -> Patch:
    """`files` maps a path to its removed and its added lines, each as one text."""
    parts = (FilePatch(path, _lines(added), _lines(removed)) for path, (removed, added) in files.items())
    return Patch(number, MONDAY + timedelta(days=day), tuple(parts))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.strip("\n").split("\n")) if text else ()


def facts(kind: DiffKind, *patches: Patch) -> list[DiffFact]:
    return [fact for fact in read(patches, is_source) if fact.kind == kind]


def told(kind: DiffKind, path: str, removed: str, added: str) -> list[tuple[str, str, str]]:
    """(name, old, new) of every fact of the kind in a pull request that changes one file."""
    return [(fact.name, fact.old, fact.new) for fact in facts(kind, patch(7, {path: (removed, added)}))]
