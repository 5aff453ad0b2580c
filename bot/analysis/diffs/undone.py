"""Lines that one pull request added and another one removed within days."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from bot.analysis.diffs.changes import Changes, FileChange
from bot.analysis.diffs.likeness import Rewritten, is_work, words
from bot.analysis.diffs.window import Window
from bot.models import DiffFact

_FEWEST = 3  # lines in a row, of one pull request
_MOSTLY = 2 / 3  # of another's lines that were removed are gone, and not rewritten
_HARDLY, _LITTLE = 0.1, 0.25  # of their words come back anywhere in the remover's source
_QUOTED = 120  # characters

Owned = tuple[int, str]  # who added a removed line within the window (0: nobody), and the line


def undone_lines(changes: Changes, window: Window) -> Iterator[DiffFact]:
    """For each file and earlier pull request: its lines that this one removed and put nothing like them in their place.

    Follow-up editing is left out: most lines come back in another form, or the words of the removed ones do.
    """
    rewritten = Rewritten(changes)
    for file in changes.sources:
        taken = _taken(file, window.owners(file.path))
        for other in dict.fromkeys(owner for owner, _ in taken if owner not in {0, changes.number}):
            lost = [(owner if owner == other and not rewritten.has(line) else 0, line) for owner, line in taken]
            gone = [line for owner, line in lost if owner]
            theirs = sum(owner == other for owner, _ in taken)
            if _in_a_row(lost) < _FEWEST or len(gone) < _MOSTLY * theirs:
                continue
            if not _replaced(gone, [line for owner, line in taken if owner != other], file, changes):
                first = gone[0][:_QUOTED]
                yield DiffFact(changes.number, "undone", file.path, "", old=first, lines=len(gone), other=other)


def _taken(file: FileChange, owners: Mapping[str, int]) -> Sequence[Owned]:
    """The removed lines that were somebody's work, in order."""
    return [(owners.get(line, 0), line) for line in file.lines("removed") if is_work(line)] if owners else ()


def _in_a_row(lines: Sequence[Owned]) -> int:
    return max((sum(1 for _ in run) for owner, run in groupby(lines, key=lambda line: line[0]) if owner), default=0)


def _replaced(gone: Sequence[str], beside: Sequence[str], file: FileChange, changes: Changes) -> bool:
    """Whether something took the place of the lines, as far as changed lines without context can tell.

    It did not where hardly a word of them comes back; where few do and the file gains little; or where they are more
    than the fewest, no word comes back that only they had among what the file lost, and the file shrinks.
    """
    told = frozenset[str]().union(*map(words, gone))
    own = told.difference(*map(words, beside))
    added = changes.words("added")
    back = len(told & added) / len(told)
    gained = sum(map(is_work, file.lines("added")))
    if back <= _HARDLY or (back <= _LITTLE and gained <= len(gone) / 2):
        return False
    vanished = own and not own & added and len(gone) > _FEWEST
    return not vanished or gained > (len(gone) + len(beside)) / 2
