"""Defaults that changed: the same name in the same place of the same file, one simple value before and one after."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import product
from math import prod

from bot.analysis.diffs.changes import Changes, FileChange
from bot.analysis.diffs.rules import Rule, rules
from bot.models import DiffFact

_ALIKE = 0.6  # of the two lines without their values; below it they are two settings that share a name
_SUFFIX = re.compile(r"_?[iuf](?:8|16|32|64|128|size)$")
_MEMBER = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)\w+)+")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Setting:
    """A default as one side has it: the value, the line without it, and the definition that it belongs to."""

    name: str
    value: str
    line: str
    header: str
    whole: bool


def changed_defaults(changes: Changes) -> Iterator[DiffFact]:
    """Every name with one simple default before and another one after. Several values on a side: nothing is said."""
    for file in changes.files:
        settings = _rules_for(file)
        if not settings or not file.added or not file.removed:
            continue
        after = _by_name(_settings(file, file.added, settings))
        before = _by_name(_settings(file, file.removed, settings)) if after else {}
        for name in [name for name in before if name in after]:
            old, new = before[name], after[name]
            if _moved(old, new, exact=not file.language) and not _renamed(old[0].value, changes):
                yield DiffFact(changes.number, "default", file.path, name, _shown(old[0].value), _shown(new[0].value))


def _rules_for(file: FileChange) -> tuple[Rule, ...]:
    if file.language:
        listed = rules().defaults.get(file.language, ())
        return tuple(rule for rule in listed if rule.files is None or rule.files.search(file.path))
    for kind, paths in rules().configuration.items():
        if paths.search(file.path) and not rules().not_product.search(file.path):
            return rules().defaults[kind]
    return ()


def _settings(file: FileChange, text: str, patterns: Iterable[Rule]) -> Iterator[Setting]:
    headers = _Headers(file, text)
    for rule in patterns:
        for match in rule.matches(text):
            name, value = match["name"], match["value"]
            header = headers.before(match.start("name"))
            if _is_setting(name, value) and not _private(header) and not file.in_comment(text, match.start("name")):
                yield Setting(name, value, _line_without(text, *match.span("value")), header, rule.whole)


def _is_setting(name: str, value: str) -> bool:
    return not rules().no_default_names.search(name) and not rules().version_like.search(value)


def _private(header: str) -> bool:
    return header.startswith("_") and not header.startswith("__")


class _Headers:
    """The definitions that one side of a file shows, to tell which one a line follows."""

    def __init__(self, file: FileChange, text: str) -> None:
        pattern = rules().headers.get(file.language or file.path.rpartition(".")[2].lower())
        self._found = list(pattern.finditer(text)) if pattern else []
        self._starts = [match.start("name") for match in self._found]

    def before(self, position: int) -> str:
        index = bisect_right(self._starts, position)
        return self._found[index - 1]["name"].strip() if index else ""


def _by_name(settings: Iterable[Setting]) -> dict[str, list[Setting]]:
    found: dict[str, list[Setting]] = {}
    for setting in settings:
        found.setdefault(setting.name, []).append(setting)
    return found


def _moved(old: list[Setting], new: list[Setting], *, exact: bool) -> bool:
    before = {canonical(setting.value) for setting in old}
    after = {canonical(setting.value) for setting in new}
    if len(before) != 1 or len(after) != 1 or before == after:
        return False
    return any(_same_place(left, right, exact=exact) for left, right in product(old, new))


def _renamed(value: str, changes: Changes) -> bool:
    """Whether `value` is a member whose own definition went in the same pull request, as when an enum is renamed."""
    if not _MEMBER.fullmatch(value):
        return False
    member = re.split(r"\.|::", value)[-1]
    definition = re.compile(rf"\n[ \t]*{re.escape(member)}[ ]*(?:[=,(]|\n|$)")
    gone = any(definition.search(file.removed) for file in changes.sources)
    return gone and not any(definition.search(file.added) for file in changes.sources)


def _same_place(old: Setting, new: Setting, *, exact: bool) -> bool:
    if old.header != new.header:
        return False
    if exact:
        return old.line == new.line
    return (old.whole and new.whole) or SequenceMatcher(None, old.line, new.line).ratio() >= _ALIKE


def _line_without(text: str, start: int, end: int) -> str:
    """The rest of the value's line, spaces evened out but for the indentation, comments kept out."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    indent = before[: len(before) - len(before.lstrip())]
    return indent + _SPACES.sub(" ", before.strip()) + text[end : end + 1].strip()


def _shown(value: str) -> str:
    """Without its quotes, unless nothing would be left."""
    return value[1:-1] if value[0] in "\"'" and len(value) > 2 else value  # noqa: PLR2004 - two quotes


def canonical(value: str) -> str:
    """Equal for values that differ in spelling only: quotes, spaces, 1_000 and 1000, 60 * 60 and 3600."""
    bare = value.strip("\"'") if value[:1] in {'"', "'"} else value
    factors = [_number(part) for part in bare.split("*")]
    numbers = [factor for factor in factors if factor is not None]
    if len(numbers) < len(factors):
        return bare
    return repr(prod(numbers))


def _number(text: str) -> float | None:
    plain = _SUFFIX.sub("", text.strip()).replace("_", "")
    try:
        return float(int(plain, 16)) if plain.lower().startswith("0x") else float(plain)
    except (ValueError, OverflowError):
        return None
