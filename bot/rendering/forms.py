"""What the text forms share: text that is safe on one line, and a chart as rows of text."""

from __future__ import annotations

import re
import unicodedata
from itertools import zip_longest

from bot.message import Chart

_SPACES = re.compile(r"\s+")
# Control characters drive a terminal, format characters (bidirectional overrides among them) reorder or hide what is
# read, and a lone surrogate cannot be written at all.
_UNSAFE = frozenset({"Cc", "Cf", "Cs"})

Row = tuple[str, ...]


def one_line(text: str) -> str:
    """The text without control, format and surrogate characters; every run of white space is one space."""
    kept = "".join(char for char in text if char.isspace() or unicodedata.category(char) not in _UNSAFE)
    return _SPACES.sub(" ", kept)


def chart_rows(chart: Chart) -> tuple[Row, ...]:
    """A header of the series' names, then for each label its values; what a series lacks is ""."""
    columns = [[one_line(name), *(f"{value:.12g}" for value in values)] for name, values in chart.series]
    labels = ["", *map(one_line, chart.labels)]
    return tuple(zip_longest(labels, *columns, fillvalue=""))
