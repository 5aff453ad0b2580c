"""Dependency pins that moved, came or went, file by file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from bot.analysis.diffs.changes import Changes, FileChange
from bot.analysis.diffs.rules import PinRules, rules
from bot.models import DiffFact

Pins = dict[str, set[str]]


def moved_versions(changes: Changes) -> Iterator[DiffFact]:
    """Every dependency whose version in a file is another one after; where files list them, new and dropped ones.

    A name that another file of the same pull request loses or gains has moved: it is neither new nor dropped.
    """
    sides = [(file, _pins(file, file.removed), _pins(file, file.added)) for file in changes.files if _kinds(file.path)]
    lost = {name for _, before, after in sides for name in before if name not in after}
    gained = {name for _, before, after in sides for name in after if name not in before}
    for file, before, after in sides:
        listed = _lists_dependencies(file)
        for name in dict.fromkeys((*before, *after)):
            elsewhere = name in lost and name in gained
            if name in before and name in after:
                old, new = _only(before[name]), _only(after[name])
                if old and new and old != new:
                    yield DiffFact(changes.number, "version", file.path, name, old, new)
            elif listed and not elsewhere and (version := _only(before.get(name) or after[name])):
                old, new = (version, "") if name in before else ("", version)
                yield DiffFact(changes.number, "version", file.path, name, old, new)


@lru_cache(maxsize=4096)
def _kinds(path: str) -> tuple[PinRules, ...]:
    """The rules for the pins of a file: its own kind's, and those for FOO_VERSION=1.2."""
    if rules().no_versions.search(path):
        return ()
    own = next((kind for kind in rules().versions if kind.files.search(path)), None)
    plain = rules().plain_versions
    return (*([own] if own else ()), *([plain] if plain.files.search(path) else ()))


def _lists_dependencies(file: FileChange) -> bool:
    compiled = rules().compiled
    return any(kind.listed for kind in _kinds(file.path)) and compiled not in file.added + file.removed


def _pins(file: FileChange, text: str) -> Pins:
    found: Pins = {}
    for kind in _kinds(file.path) if text else ():
        for rule in kind.patterns:
            for match in rule.matches(text):
                if not _in_comment(text, match.start("name")):
                    found.setdefault(match["name"], set()).add(_bare(match["version"]))
    return found


def _in_comment(text: str, position: int) -> bool:
    return text[text.rfind("\n", 0, position) + 1 : position].lstrip().startswith(("#", "//"))


def _bare(version: str) -> str:
    """An exact pin without its operator; a range as it stands."""
    stripped = version.strip()
    return stripped if "," in stripped else stripped.lstrip("=").strip()


def _only(versions: set[str]) -> str:
    """The version, if there is just one; "" when there are several or it is not pinned."""
    return next(iter(versions)) if len(versions) == 1 else ""
