"""Measure every figure and print it beside its bar: `python -m tests.bench`. Exit 1 when one is over its bar."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tests.bench import chat, databases, speed, startup
from tests.bench.figures import Figure, table
from tests.bench.inputs import prepared


def main() -> int:
    """Print one line per figure: its name, what was measured, the bar, ok or over, and what explains it."""
    figures = list(_measured())
    print(table(figures))  # noqa: T201 - printing is what the bench is for
    return 0 if all(figure.ok for figure in figures) else 1


def _measured() -> Iterator[Figure]:
    with prepared() as inputs:
        yield speed.iterator("small", inputs.small, inputs.period)
        yield speed.iterator("large", inputs.large, inputs.period)
        yield speed.digest(inputs)
        yield speed.command(inputs)
        yield databases.week(inputs)
        yield startup.help_()
        yield startup.vendors(inputs)
        yield from chat.figures(inputs)


if __name__ == "__main__":
    sys.exit(main())
