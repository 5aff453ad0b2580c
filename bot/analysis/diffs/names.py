"""Names that came or went: command-line flags, environment variables, public definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bot.analysis.diffs.changes import Changes, FileChange, Side
from bot.analysis.diffs.rules import Rule, RuleTable, rules
from bot.models import DiffFact, DiffKind

_SIDES: tuple[tuple[Side, Side], ...] = (("removed", "added"), ("added", "removed"))


def flags(changes: Changes) -> Iterator[DiffFact]:
    """Command-line flags that came or went; one that the other side's source names too was moved or rewritten."""
    for side, other in _SIDES:
        for name, path in _found(changes, side, rules().flags).items():
            if name.lstrip("-") not in changes.words(other) and not rules().common_flags.search(name):
                yield _fact(changes, "flag", path, name, side)


def variables(changes: Changes) -> Iterator[DiffFact]:
    """Environment variables that came or went, by the same care.

    One reader more or less says nothing of the others: a variable that is only read, not declared, counts where
    documentation or configuration of the same pull request says so too.
    """
    for side, other in _SIDES:
        found = _found(changes, side, rules().environment)
        declared = _found(changes, side, _declarations(rules().environment)) if found else {}
        for name, path in found.items():
            if name in changes.words(other) or rules().common_variables.search(name):
                continue
            if name in declared or (name in changes.explained(side) and name not in changes.explained(other)):
                yield _fact(changes, "environment", declared.get(name, path), name, side)


def vanished(changes: Changes) -> Iterator[DiffFact]:
    """Public names whose definition was removed and that no added line of the pull request's source mentions."""
    for file in changes.sources:
        for name in dict.fromkeys(_names(file, "removed", rules().definitions)):
            if name not in rules().no_definition_names and name not in changes.words("added"):
                yield DiffFact(changes.number, "vanished", file.path, name)


def _fact(changes: Changes, kind: DiffKind, path: str, name: str, side: Side) -> DiffFact:
    if side == "removed":
        return DiffFact(changes.number, kind, path, name, old=name)
    return DiffFact(changes.number, kind, path, name, new=name)


def _found(changes: Changes, side: Side, table: RuleTable) -> Mapping[str, str]:
    """Name -> the first file that has it."""
    found: dict[str, str] = {}
    for file in changes.sources:
        for name in _names(file, side, table):
            found.setdefault(name, file.path)
    return found


def _names(file: FileChange, side: Side, table: RuleTable) -> Iterator[str]:
    text = file.text(side)
    patterns: Iterable[Rule] = table.get(file.language, ()) if text else ()
    for rule in patterns:
        for match in rule.matches(text):
            if not file.in_comment(text, match.start("name")):
                yield match["name"]


def _declarations(table: RuleTable) -> RuleTable:
    return {language: tuple(rule for rule in listed if rule.declared) for language, listed in table.items()}
