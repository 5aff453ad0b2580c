"""Reads past commits whose file contents the clone does not hold: partial clones, and mirrors without large files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from bot.sources.clone.failures import MissingContentError

T = TypeVar("T")
_IN_A_ROW = 8  # commits that fail one after the other: contents are absent altogether
_IN_ALL = 64


def read_past(
    commits: Sequence[str],
    whole: Callable[[Sequence[str]], Iterator[T]],
    partial: Callable[[Sequence[str]], Iterator[T]],
) -> Iterator[T]:
    """One item per commit, in order: from `whole`, or from `partial` where `whole` meets an absent object.

    `whole` gives the items of the commits before the failing one, then raises MissingContentError. It is tried again
    behind each failing commit, until so many have failed that `partial` reads the rest. Errors of `partial`, and any
    other error, are raised.
    """
    done = row = failed = 0
    while done < len(commits):
        if row >= _IN_A_ROW or failed >= _IN_ALL:
            yield from partial(commits[done:])
            return
        try:
            for item in whole(commits[done:]):
                yield item
                done, row = done + 1, 0
        except MissingContentError:
            # git may die before it has begun the commit at fault, so the one at hand may be whole.
            item, complete = _single(commits[done], whole, partial)
            yield item
            done += 1
            if not complete:
                row, failed = row + 1, failed + 1


def _single(
    commit: str, whole: Callable[[Sequence[str]], Iterator[T]], partial: Callable[[Sequence[str]], Iterator[T]]
) -> tuple[T, bool]:
    try:
        return next(whole((commit,))), True
    except MissingContentError:
        return next(partial((commit,))), False
