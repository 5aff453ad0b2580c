"""Whether a removed line came back in another form, and whether it was anybody's work to begin with."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import cached_property

from bot.analysis.diffs.changes import Changes
from bot.analysis.diffs.rules import rules

SHORTEST_WORK = 12  # characters
_ALIKE = 0.75
_COMPARED = 20  # added lines, those that share the most words first
_FREQUENT = 400  # lines; a word of more of them tells nothing
_WORD = re.compile(r"[^\W\d]\w{2,}")


def is_work(line: str) -> bool:
    """Whether a stripped line says something of its own: no import, comment, bracket, log call or prose."""
    return len(line) >= SHORTEST_WORK and bool(words(line)) and not rules().plain_lines.search(line)


def words(line: str) -> frozenset[str]:
    """The identifiers of a line, without the words of the language."""
    return frozenset(_WORD.findall(line)) - rules().common_words


class Rewritten:
    """The lines that a pull request added, to be asked whether a removed one is among them in another form."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    def has(self, line: str) -> bool:
        """True where an added line is the same or much alike, or holds every identifier of `line`."""
        if line in self._changes.lines("added"):
            return True
        wanted = words(line)
        shared: Counter[str] = Counter()
        for word in wanted:
            found = self._lines_with.get(word, ())
            if len(found) <= _FREQUENT:
                shared.update(found)
        return any(count == len(wanted) or _alike(line, added) for added, count in shared.most_common(_COMPARED))

    @cached_property
    def _lines_with(self) -> dict[str, list[str]]:
        index: dict[str, list[str]] = {}
        for line in sorted(self._changes.lines("added")):
            for word in words(line):
                index.setdefault(word, []).append(line)
        return index


def _alike(left: str, right: str) -> bool:
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE
