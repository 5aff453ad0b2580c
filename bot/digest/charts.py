"""Charts of a digest: how many were merged span by span, what they were about, where they met."""

from __future__ import annotations

from collections.abc import Iterator

from bot.digest.view import View
from bot.message import Chart, Message
from bot.text import term

_SPANS = 13
_BARS = 8


def charts_of(view: View) -> Message:
    """The charts that have something to show; numbers are counts of pull requests.

    A period that the source does not reach the end of is no point beside whole ones.
    """
    return Message(tuple(_charts(view)))


def _charts(view: View) -> Iterator[Chart]:
    spans = [(view.week.period.before(back).since, view.week.span(back)) for back in range(_SPANS, 0, -1)]
    known = [(since, len(some)) for since, some in spans if some is not None]
    if known:
        now = (view.week.period.since, len(view.week.pull_requests))
        points = known if view.week.fresh_until is not None else [*known, now]
        labels = tuple(f"{since:%m-%d}" for since, _ in points)
        yield Chart(term("merged", "chart"), "line", labels, ((_name(), tuple(float(count) for _, count in points)),))
    yield from _bars("tags", [(term(tag), int(count)) for tag, count in view.figures.tags.items()])
    yield from _bars("hot", [(file.path, len(file.pull_requests)) for file in view.figures.hot_files])


def _bars(kind: str, rows: list[tuple[str, int]]) -> Iterator[Chart]:
    shown = rows[:_BARS]
    if shown:
        values = tuple(float(count) for _, count in shown)
        yield Chart(term(kind, "chart"), "bar", tuple(name for name, _ in shown), ((_name(), values),))


def _name() -> str:
    return term("series", "chart")
