"""What the digest could not know, each said in plain words: it is part of the truth of every figure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.digest.view import View
from bot.figures import Claim, Count

HISTORY_SPANS = 13


@dataclass(frozen=True, slots=True)
class Gap:
    """Something missing: its kind, its sentence, and the pull requests it concerns."""

    kind: str
    text: str
    pull_requests: tuple[int, ...] = ()


def gaps_of(view: View) -> tuple[Gap, ...]:
    """Every gap of a week."""
    return tuple(
        Gap(kind, view.wording.sentence(f"incomplete/{kind}", **view.names, **values), numbers)
        for kind, numbers, values in _found(view)
    )


def _found(view: View) -> Iterator[tuple[str, tuple[int, ...], dict[str, object]]]:
    week = view.week
    for kind, missing in (
        ("uncounted", [one.number for one in week.pull_requests if not one.counted]),
        ("truncated", [one.number for one in week.pull_requests if one.truncated]),
    ):
        if missing:
            numbers = tuple(missing)
            yield kind, numbers, {"count": view.count(len(numbers), numbers=numbers)}
    if week.direct_commits:
        commits = Count(len(week.direct_commits), Claim.about("direct_commits"))
        yield "unnumbered", (), {"commits": commits, "share": _share_without_number(view)}
    if week.fresh_until is not None:
        yield "stale", (), {}
    if not week.diffs_read:
        yield "diffs-not-read", (), {}
    if week.span(HISTORY_SPANS) is None:
        yield "short-history", (), {}
    if not week.releases:
        yield "no-releases", (), {}
    if week.pull_requests and all(one.reviews is None for one in week.pull_requests):
        yield "no-reviews", (), {}


def _share_without_number(view: View) -> Count:
    direct, numbered = len(view.week.direct_commits), len(view.week.pull_requests)
    return Count(round(100 * direct / (direct + numbered)), Claim.about("direct_share"))
