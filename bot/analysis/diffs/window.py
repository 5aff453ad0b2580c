"""What the last days' pull requests added, and who added it; bounded."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.analysis.diffs.changes import Changes, FileChange
from bot.analysis.diffs.likeness import SHORTEST_WORK

LONGEST_MEMORY = 200_000  # lines; the oldest pull requests are forgotten first
_GROWTH = 2  # times as much text at most, and a small part of the words new: that is what a formatter did
_NEW_WORDS = 0.05
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Remembered:
    number: int
    merged_at: datetime
    files: Mapping[str, frozenset[str]]


class Window:
    """The source lines that the pull requests of the last `span` added, at most LONGEST_MEMORY of them.

    A line is kept without the spaces around it. Not the work of a pull request: a line that it also removed, and a
    file that it only reformatted (hardly a word more than it removed).
    """

    def __init__(self, span: timedelta) -> None:
        self._span = span
        self._owners: dict[str, dict[str, int]] = {}
        self._queue: deque[_Remembered] = deque()
        self._lines = 0

    def __len__(self) -> int:
        return self._lines

    def owners(self, path: str) -> Mapping[str, int]:
        """Line -> the pull request that added it last, for one file."""
        return self._owners.get(path, {})

    def forget(self, now: datetime) -> None:
        """Drop what was merged more than the span before `now`."""
        while self._queue and self._queue[0].merged_at < now - self._span:
            self._drop_oldest()

    def remember(self, changes: Changes) -> None:
        """Take in what is new in a pull request; drop the oldest where that is too much."""
        fresh: dict[str, frozenset[str]] = {}
        for file in changes.sources:
            if lines := _new_lines(file) - changes.lines("removed"):
                fresh[file.path] = lines | fresh.get(file.path, frozenset())
                self._owners.setdefault(file.path, {}).update(dict.fromkeys(lines, changes.number))
        if fresh:
            self._queue.append(_Remembered(changes.number, changes.merged_at, fresh))
            self._lines += sum(len(lines) for lines in fresh.values())
        while self._lines > LONGEST_MEMORY:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        oldest = self._queue.popleft()
        for path, lines in oldest.files.items():
            self._lines -= len(lines)
            owners = self._owners.get(path, {})
            for line in lines:
                if owners.get(line) == oldest.number:
                    del owners[line]
            if not owners:
                self._owners.pop(path, None)


def _new_lines(file: FileChange) -> frozenset[str]:
    if _reformatted(file.removed, file.added):
        return frozenset()
    return frozenset(line for line in file.lines("added") if len(line) >= SHORTEST_WORK)


def _reformatted(before: str, after: str) -> bool:
    if not len(before) / _GROWTH < len(after) < len(before) * _GROWTH:
        return False
    words = _WORD.findall(after)
    new = Counter(words) - Counter(_WORD.findall(before))
    return new.total() <= _NEW_WORDS * len(words)
