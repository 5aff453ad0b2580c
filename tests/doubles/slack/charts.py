"""The schema of the data_visualization block.

Source: docs.slack.dev/reference/block-kit/blocks/data-visualization-block: a title, and a chart of type pie (segments)
or bar, area or line (series and axis_config). Each series has exactly one point for every category; names are unique.
"""

from __future__ import annotations

from typing import Any

from tests.doubles.slack import limits
from tests.doubles.slack.fields import Node, Wrong, items, keys, listed, number, optional_words, words

PLOTS = ("bar", "area", "line")


def data_visualization(block: Node, where: str) -> Wrong:
    """What is wrong with a data_visualization block."""
    yield from keys(block, where, ("type", "title", "chart"), ("block_id",))
    yield from words(block.get("title"), f"{where}.title", limits.CHART_TITLE)
    chart = block.get("chart")
    if not isinstance(chart, dict):
        yield f"{where}.chart: must be an object"
    elif chart.get("type") == "pie":
        yield from _pie(chart, f"{where}.chart")
    elif chart.get("type") in PLOTS:
        yield from _plot(chart, f"{where}.chart")
    else:
        yield f"{where}.chart.type: must be one of pie, {', '.join(PLOTS)}"


def _pie(chart: Node, where: str) -> Wrong:
    yield from keys(chart, where, ("type", "segments"))
    yield from items(chart.get("segments"), f"{where}.segments", limits.CHART_SERIES)
    for index, segment in enumerate(listed(chart.get("segments"))):
        yield from _point(segment, f"{where}.segments[{index}]")
        value = segment.get("value") if isinstance(segment, dict) else None
        if isinstance(value, int | float) and value <= 0:
            yield f"{where}.segments[{index}].value: must be above zero"
    yield from _unique(_named(chart.get("segments"), "label"), f"{where}.segments")


def _plot(chart: Node, where: str) -> Wrong:
    yield from keys(chart, where, ("type", "series", "axis_config"))
    yield from items(chart.get("series"), f"{where}.series", limits.CHART_SERIES)
    axes = chart.get("axis_config")
    if not isinstance(axes, dict):
        yield f"{where}.axis_config: must be an object"
        return
    yield from _axes(axes, f"{where}.axis_config")
    for index, series in enumerate(listed(chart.get("series"))):
        yield from _series(series, listed(axes.get("categories")), f"{where}.series[{index}]")
    yield from _unique(_named(chart.get("series"), "name"), f"{where}.series")


def _axes(axes: Node, where: str) -> Wrong:
    yield from keys(axes, where, ("categories",), ("x_label", "y_label"))
    yield from items(axes.get("categories"), f"{where}.categories", limits.CHART_POINTS)
    for index, label in enumerate(listed(axes.get("categories"))):
        yield from words(label, f"{where}.categories[{index}]", limits.CHART_LABEL)
    yield from _unique([str(label) for label in listed(axes.get("categories"))], f"{where}.categories")
    yield from optional_words(axes, "x_label", where, limits.CHART_AXIS)
    yield from optional_words(axes, "y_label", where, limits.CHART_AXIS)


def _series(series: Any, categories: list[Any], where: str) -> Wrong:
    if not isinstance(series, dict):
        yield f"{where}: must be an object"
        return
    yield from keys(series, where, ("name", "data"))
    yield from words(series.get("name"), f"{where}.name", limits.CHART_LABEL)
    yield from items(series.get("data"), f"{where}.data", limits.CHART_POINTS)
    for index, point in enumerate(listed(series.get("data"))):
        yield from _point(point, f"{where}.data[{index}]")
    if sorted(_named(series.get("data"), "label")) != sorted(str(label) for label in categories):
        yield f"{where}.data: must have exactly one point for each category"


def _point(point: Any, where: str) -> Wrong:
    if not isinstance(point, dict):
        yield f"{where}: must be an object"
        return
    yield from keys(point, where, ("label", "value"))
    yield from words(point.get("label"), f"{where}.label", limits.CHART_LABEL)
    yield from number(point.get("value"), f"{where}.value")


def _named(nodes: Any, key: str) -> list[str]:
    return [str(node.get(key)) for node in listed(nodes) if isinstance(node, dict)]


def _unique(names: list[str], where: str) -> Wrong:
    if len(set(names)) < len(names):
        yield f"{where}: names must be unique"
