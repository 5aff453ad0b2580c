"""How each dependency moved over a period: the net change of its pins, by the diffs of all pull requests together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.analysis.bumps import folded
from bot.models import DiffFact

_LEADING = re.compile(r"\d+")
_YEARS = 1000


@dataclass(frozen=True, slots=True)
class Move:
    """A dependency from the first fact's old version to the last one's new; "" where it was new, or was dropped."""

    first: DiffFact
    last: DiffFact
    numbers: tuple[int, ...]
    files: int

    @property
    def net(self) -> bool:
        """Whether anything is left of it."""
        return self.first.old != self.last.new

    @property
    def is_major(self) -> bool:
        """Whether the leading number of the version changed; years are no such number."""
        before, after = _LEADING.search(self.first.old), _LEADING.search(self.last.new)
        return before is not None and after is not None and before[0] != after[0] and int(before[0]) < _YEARS


def moves_of(facts: Iterable[DiffFact]) -> Sequence[Move]:
    """One move a dependency from version facts in the order of merging; what moved across most files comes first."""
    named: dict[str, list[DiffFact]] = {}
    for fact in facts:
        named.setdefault(folded(fact.name), []).append(fact)
    moves = [_move(some) for some in named.values()]
    return sorted(moves, key=lambda move: (not move.is_major, -move.files))


def _move(facts: Sequence[DiffFact]) -> Move:
    """Files may pin it differently: the change that most files made is the one told."""
    by_path: dict[str, list[DiffFact]] = {}
    for fact in facts:
        by_path.setdefault(fact.path, []).append(fact)
    most = _most_common(by_path)
    return Move(most[0], most[-1], tuple(dict.fromkeys(fact.number for fact in facts)), len(by_path))


def _most_common(by_path: Mapping[str, Sequence[DiffFact]]) -> Sequence[DiffFact]:
    longest = max(len({fact.number for fact in some}) for some in by_path.values())
    told = [some for some in by_path.values() if len({fact.number for fact in some}) == longest]
    ends = Counter((some[0].old, some[-1].new) for some in told)
    return max(told, key=lambda some: ends[some[0].old, some[-1].new])
