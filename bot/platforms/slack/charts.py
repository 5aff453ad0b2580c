"""A chart as Slack's native block, and as a list where there is none.

https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block: a title of 50 characters, 1 to 6 series of
different names, in each of them one finite value for each of at most 20 categories; names and categories have at most
20 characters. Two to a message (vercel/chat#696). Newer sources allow 12 series; a workspace may know no charts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bot.message import Chart
from bot.platforms.slack.limits import PART, Node, beginning, units, weight
from bot.platforms.slack.rich_text import Run, Runs, joined, listing, paragraph
from bot.rendering.forms import Row, chart_rows, one_line

CHARTS = 2
_TITLE, _NAME, _POINTS, _SERIES = 50, 20, 20, 6


def drawable(chart: Chart) -> bool:
    """Whether Slack can draw it as it is."""
    if (
        not one_line(chart.title).strip()
        or not 0 < len(chart.series) <= _SERIES
        or not 0 < len(chart.labels) <= _POINTS
    ):
        return False
    whole = all(len(values) == len(chart.labels) and all(map(math.isfinite, values)) for _, values in chart.series)
    return whole and weight(native(chart)) <= PART and sum(run.weight for item in told(chart) for run in item) <= PART


def native(chart: Chart) -> list[Node]:
    """The chart; where labels had to be shortened in it, all of them whole beneath, and above it such a title."""
    (_, *names), *rows = chart_rows(chart)
    title = one_line(chart.title).strip()
    short_names, short_labels = distinct(names), distinct([label for label, *_ in rows])
    series = [
        {"name": name, "data": [_point(label, value) for label, value in zip(short_labels, values, strict=True)]}
        for name, (_, values) in zip(short_names, chart.series, strict=True)
    ]
    plot = {"type": chart.kind, "series": series, "axis_config": {"categories": list(short_labels)}}
    drawn = {"type": "data_visualization", "title": _shortened(title, _TITLE), "chart": plot}
    above = [paragraph((Run(title, bold=True),))] if units(title) > _TITLE else []
    return [*above, drawn, *_whole_names(names, short_names), *_whole_labels(rows, short_labels)]


def told(chart: Chart) -> tuple[Runs, ...]:
    """The title with what is counted, then for each label its values."""
    (_, *names), *rows = chart_rows(chart)
    only = names[0] if len(names) == 1 else ""
    title = joined((Run(one_line(chart.title), bold=True), Run(f" · {only}" if only.strip() else "")))
    return tuple(filter(None, (title, *(_values(row, [""] if only else names) for row in rows))))


def distinct(texts: Sequence[str]) -> tuple[str, ...]:
    """Each text in at most 20 characters, all of them different: numbered where they would be equal or empty."""
    short = tuple(_shortened(text, _NAME) for text in texts)
    if all(short) and len(set(short)) == len(short):
        return short
    return tuple(_numbered(place, text) for place, text in enumerate(texts, 1))


def _numbered(place: int, text: str) -> str:
    number = f"{place} "
    return f"{number}{_shortened(text, _NAME - len(number))}".strip()


def _shortened(text: str, most: int) -> str:
    """The beginning of the text, or the end of a path, which tells more."""
    text = text.strip()
    if units(text) <= most:
        return text
    return f"…{beginning(text[::-1], most - 1)[::-1]}" if "/" in text else f"{beginning(text, most - 1)}…"


def _whole_names(names: Sequence[str], short: Sequence[str]) -> list[Node]:
    pairs = zip((name.strip() for name in names), short, strict=True)
    cut = [(Run(f"{brief}：{name}"),) for name, brief in pairs if name and name != brief]
    return [listing(cut, ordered=False)] if cut else []


def _whole_labels(rows: Sequence[Row], short: Sequence[str]) -> list[Node]:
    """The list counts as the bars do, and as the labels where those are numbered."""
    if all(label.strip() == brief for (label, *_), brief in zip(rows, short, strict=True)):
        return []
    return [listing([_values(row, [""] * len(row[1:])) for row in rows], ordered=True)]


def _values(row: Row, names: Sequence[str]) -> Runs:
    label, *values = row
    figures = " · ".join(f"{name} {value}".strip() for name, value in zip(names, values, strict=True) if value)
    return joined((Run(f"{label.strip()}：{figures}" if label.strip() else figures),))


def _point(label: str, value: float) -> Node:
    return {"label": label, "value": int(value) if value.is_integer() else value}
