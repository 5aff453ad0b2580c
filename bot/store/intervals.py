"""Half-open intervals of time: joined where they meet."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

Interval = tuple[datetime, datetime]


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """The same instants in as few intervals as possible, oldest first. Neighbours that share an end are joined."""
    result: list[Interval] = []
    for since, until in sorted(intervals):
        if result and since <= result[-1][1]:
            result[-1] = (result[-1][0], max(until, result[-1][1]))
        else:
            result.append((since, until))
    return result


def start_reaching(intervals: Iterable[Interval], until: datetime) -> datetime | None:
    """The start of the interval that begins before `until` and reaches up to it; None where none does."""
    return next((since for since, end in intervals if since < until <= end), None)
