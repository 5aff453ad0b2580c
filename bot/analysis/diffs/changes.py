"""One pull request's changed lines, made ready for the patterns: texts, languages, words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Literal

from bot.analysis.diffs.rules import rules
from bot.models import FilePatch, Patch

LONGEST_LINE = 400  # characters; longer lines are minified, generated or data
_TOKEN = re.compile(r"\w[\w-]*")

Side = Literal["removed", "added"]


class FileChange:
    """One file's changes. A side's text has each line after a line end; overlong lines are left out."""

    def __init__(self, patch: FilePatch, *, source: bool) -> None:
        self.path = patch.path
        self.source = source
        self.language = rules().languages.get(patch.path.rpartition(".")[2].lower(), "") if source else ""
        self._patch = patch

    @cached_property
    def added(self) -> str:
        return _text(self._patch.added)

    @cached_property
    def removed(self) -> str:
        return _text(self._patch.removed)

    def text(self, side: Side) -> str:
        return self.added if side == "added" else self.removed

    def lines(self, side: Side) -> list[str]:
        """The lines without the spaces around them, in order; overlong ones are left out."""
        lines = self._patch.added if side == "added" else self._patch.removed
        return [line.strip() for line in lines if len(line) <= LONGEST_LINE]

    def in_comment(self, text: str, position: int) -> bool:
        """Whether a comment opens on the line of `text` that holds `position`, before it."""
        before = text[text.rfind("\n", 0, position) + 1 : position]
        openers = rules().comments.get(self.language, ("#", "//"))
        return before.lstrip().startswith(openers) or any(f" {opener} " in before for opener in ("#", "//"))


class Changes:
    """One pull request's changes; what is asked of all its files together is worked out once, when asked for."""

    def __init__(self, patch: Patch, is_source: Callable[[str], bool]) -> None:
        self.number = patch.number
        self.merged_at = patch.merged_at
        self.files = tuple(FileChange(file, source=is_source(file.path)) for file in _by_path(patch.files))
        self.sources = tuple(file for file in self.files if file.source)
        self._words: dict[Side, frozenset[str]] = {}
        self._explained: dict[Side, frozenset[str]] = {}
        self._lines: dict[Side, frozenset[str]] = {}

    def words(self, side: Side) -> frozenset[str]:
        """Every word of the product source's changed lines."""
        if side not in self._words:
            self._words[side] = _words(file.text(side) for file in self.sources)
        return self._words[side]

    def explained(self, side: Side) -> frozenset[str]:
        """The variables that documentation, samples and configuration introduce in their changed lines."""
        if side not in self._explained:
            texts = [file.text(side) for file in self.files if _explains(file)]
            patterns = rules().explains.patterns
            self._explained[side] = frozenset(
                match["name"] for text in texts for rule in patterns for match in rule.matches(text)
            )
        return self._explained[side]

    def lines(self, side: Side) -> frozenset[str]:
        """The changed lines of the product source, without the spaces around them."""
        if side not in self._lines:
            self._lines[side] = frozenset(line for file in self.sources for line in file.lines(side))
        return self._lines[side]


def _by_path(files: Iterable[FilePatch]) -> Iterator[FilePatch]:
    """One patch a path. Where several commits landed together, what one adds and another removes cancels out."""
    parts: dict[str, list[FilePatch]] = {}
    for file in files:
        parts.setdefault(file.path, []).append(file)
    for path, same in parts.items():
        added = [line for part in same for line in part.added]
        removed = [line for part in same for line in part.removed]
        yield same[0] if len(same) == 1 else FilePatch(path, _without(added, removed), _without(removed, added))


def _without(lines: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    left = Counter(others)
    kept = []
    for line in lines:
        if left[line]:
            left[line] -= 1
        else:
            kept.append(line)
    return tuple(kept)


def _explains(file: FileChange) -> bool:
    told = rules().explains
    return bool(told.files.search(file.path) and not told.not_files.search(file.path))


def _text(lines: Iterable[str]) -> str:
    kept = [line for line in lines if len(line) <= LONGEST_LINE]
    return "\n" + "\n".join(kept) if kept else ""


def _words(texts: Iterable[str]) -> frozenset[str]:
    """Identifiers, and hyphenated names both whole and in parts, without the hyphens around them."""
    words: set[str] = set()
    for text in texts:
        words.update(_TOKEN.findall(text))
    hyphened = [word for word in words if "-" in word]
    words.update(word.rstrip("-") for word in hyphened)
    words.update(part for word in hyphened for part in word.split("-"))
    return frozenset(words)
