"""A measured figure beside its bar, and the measuring of two things side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured and the most that it may be, both in `unit` ("×" for a ratio); `note` adds what explains it."""

    name: str
    measured: float
    bar: float
    unit: str
    note: str = ""

    @property
    def ok(self) -> bool:
        return self.measured <= self.bar

    def cells(self) -> tuple[str, ...]:
        """The figure as the cells of a table row."""
        verdict = "ok" if self.ok else "over"
        return self.name, f"{self.measured:.2f}{self.unit}", f"{self.bar:g}{self.unit}", verdict, self.note


def table(figures: Iterable[Figure]) -> str:
    """One aligned line per figure."""
    rows = [figure.cells() for figure in figures]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def seconds(work: Work) -> float:
    """How long a piece of work takes."""
    begin = perf_counter()
    work()
    return perf_counter() - begin


def compared(ours: Work, theirs: Work, rounds: int) -> tuple[float, str]:
    """How many times as long `ours` takes as `theirs`, and both medians in words.

    They run in turn, each once unmeasured before, so that caches are warm and what else the machine does slows both.
    The ratio is the median of the rounds' ratios: a burst of other work spoils a round, not the figure.
    """
    ours(), theirs()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(rounds)]
    mine, bare = (median(column) for column in zip(*pairs, strict=True))
    return median(a / b for a, b in pairs), f"{mine * 1000:.0f} ms against {bare * 1000:.0f} ms"
