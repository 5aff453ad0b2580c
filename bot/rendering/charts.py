"""The geometry of a chart: across in per cent, down in pixels, so that it fits any width and its text stays legible."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from wcwidth import width

from bot.message import Chart
from bot.rendering.forms import chart_rows, one_line

_INLINE = 12  # columns of the longest label that still stands beside its bars
_STACKED = 44  # columns that fit above a bar on a phone
_LABELS_END, _BARS_END = 26.0, 86.0  # the rest is for the value after the longest bar
_BAR, _ROW, _GAP, _LINE = 12, 18, 8, 18
_LEFT, _RIGHT, _TOP, _BOTTOM = 9.0, 94.0, 22, 150
_AXIS_LABELS = 5  # dates that fit under a line on a phone
_LARGEST = 1e15  # beyond it floats no longer tell neighbours apart
_STEPS = (1, 2, 3, 4, 5, 6, 8, 10)


@dataclass(frozen=True, slots=True)
class Label:
    """A text at `x`, `y`; `shift` moves it by pixels."""

    x: float
    y: int
    text: str
    role: Literal["label", "value", "axis"]
    anchor: Literal["start", "middle", "end"] = "start"
    shift: int = 0


@dataclass(frozen=True, slots=True)
class Bar:
    x: float
    y: int
    width: float
    height: int
    series: int


@dataclass(frozen=True, slots=True)
class Line:
    """From one point to the next; `series` None for a line of the grid."""

    x1: float
    y1: float
    x2: float
    y2: float
    series: int | None = None


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    series: int
    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything to draw, `height` pixels high."""

    height: int
    bars: tuple[Bar, ...] = ()
    lines: tuple[Line, ...] = ()
    dots: tuple[Dot, ...] = ()
    labels: tuple[Label, ...] = ()


def draw(chart: Chart) -> Picture:
    """The picture of a chart. A value that is no number or beyond 1e15 is left out; a bar below zero has no length."""
    return _bars(chart) if chart.kind == "bar" else _lines(chart)


def _bars(chart: Chart) -> Picture:
    rows = chart_rows(chart)[1:]
    longest = max((value for _, values in chart.series for value in values if _drawable(value)), default=0.0)
    stacked = any(width(label) > _INLINE for label, *_ in rows)
    start = 0.0 if stacked else _LABELS_END
    bars: list[Bar] = []
    labels: list[Label] = []
    y = 0
    for place, (label, *texts) in enumerate(rows):
        labels.append(Label(0, y + 13, _shortened(label, _STACKED), "label"))
        y += _LINE * stacked
        for series, (_, values) in enumerate(chart.series):
            wide = (_BARS_END - start) * _share(values[place : place + 1], longest)
            bars.append(Bar(start, y + 3, round(wide, 2), _BAR, series))
            labels.append(Label(round(start + wide, 2), y + 13, texts[series], "value", shift=6))
            y += _ROW
        y += _GAP
    return Picture(max(y - _GAP, 0), bars=tuple(bars), labels=tuple(labels))


def _drawable(value: float) -> bool:
    return abs(value) <= _LARGEST  # not a number: False


def _share(value: Sequence[float], longest: float) -> float:
    return value[0] / longest if value and 0 < value[0] <= longest else 0.0


def _lines(chart: Chart) -> Picture:
    drawn = [value for _, values in chart.series for value in values if _drawable(value)]
    top, bottom = _ceiling(max(drawn, default=0.0)), 0.0 - _ceiling(-min(drawn, default=0.0))
    if top == bottom:
        top = 1.0

    def down(value: float) -> float:
        return round(_BOTTOM - (value - bottom) / (top - bottom) * (_BOTTOM - _TOP), 1)

    def across(place: int) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * (place / (len(chart.labels) - 1) if len(chart.labels) > 1 else 0.5), 2)

    lines: list[Line] = []
    dots: list[Dot] = []
    labels: list[Label] = []
    for value in (bottom, (top + bottom) / 2, top):
        lines.append(Line(0, down(value), 100, down(value)))
        labels.append(Label(0, int(down(value)) - 4, f"{value:.12g}", "axis"))
    for series, (name, values) in enumerate(chart.series):
        points = [(across(at), value) for at, value in enumerate(values[: len(chart.labels)]) if _drawable(value)]
        lines.extend(Line(x1, down(one), x2, down(other), series) for (x1, one), (x2, other) in pairwise(points))
        dots.extend(Dot(x, down(value), series, f"{one_line(name)} {value:.12g}") for x, value in points)
        labels.extend(Label(x, int(down(value)) - 8, f"{value:.12g}", "value", "middle") for x, value in points[-1:])
    labels.extend(
        Label(across(place), _BOTTOM + 18, clipped(one_line(chart.labels[place]), _INLINE), "axis", "middle")
        for place in _spread(len(chart.labels))
    )
    return Picture(_BOTTOM + 26, lines=tuple(lines), dots=tuple(dots), labels=tuple(labels))


def _ceiling(value: float) -> float:
    """The nearest round number that is not below `value`; 0 for what is not above 0."""
    if value <= 0:
        return 0.0
    magnitude = 10.0 ** math.floor(math.log10(value))
    return next(step * magnitude for step in _STEPS if step * magnitude >= value or step == _STEPS[-1])


def _spread(count: int) -> Iterator[int]:
    """Places at equal distances, the last one among them."""
    step = max(1, math.ceil(count / _AXIS_LABELS))
    return reversed(range(count - 1, -1, -step))


def clipped(text: str, columns: int) -> str:
    """The text, or as much of it as fits `columns` with … at its end."""
    if width(text) <= columns:
        return text
    kept = ""
    for char in text:
        if width(kept + char) >= columns:
            break
        kept += char
    return f"{kept}…"


def _shortened(text: str, columns: int) -> str:
    """The text, or its beginning and its end with … between: of a path both tell."""
    if width(text) <= columns:
        return text
    half = columns // 2
    return clipped(text, half) + clipped(text[::-1], columns - half + 1)[-2::-1]
