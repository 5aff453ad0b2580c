"""What the digest could not know, each said in plain words: it is part of the truth of every figure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.analysis.lineage import is_revert, reverts_of
from bot.analysis.releases import named
from bot.digest.view import View
from bot.figures import Claim, Count
from bot.message import Spans

HISTORY_SPANS = 13


@dataclass(frozen=True, slots=True)
class Gap:
    """Something missing: its kind, its sentence, and the pull requests it concerns."""

    kind: str
    spans: Spans
    pull_requests: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The sentence as plain text."""
        return "".join(span.text for span in self.spans)


def gaps_of(view: View) -> tuple[Gap, ...]:
    """Every gap of a week."""
    return tuple(
        Gap(kind, view.wording.line(f"incomplete/{kind}", **view.names, **values), numbers)
        for kind, numbers, values in _found(view)
    )


Found = Iterator[tuple[str, tuple[int, ...], dict[str, object]]]


def _found(view: View) -> Found:
    yield from _of_the_source(view)
    yield from _of_the_history(view)
    yield from _of_releases(view)
    if unresolved := _unresolved_reverts(view):
        count = view.count(len(unresolved), numbers=unresolved)
        yield "unresolved-reverts", unresolved, {"count": count, "numbers": unresolved}


def _of_the_source(view: View) -> Found:
    """What the source could not give of the period."""
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
    if not week.diffs_read:
        yield "diffs-not-read", (), {}
    if week.pull_requests and all(one.reviews is None for one in week.pull_requests):
        yield "no-reviews", (), {}


def _of_the_history(view: View) -> Found:
    """How far the source reaches, forwards and back. Where it ends early, that is told, not how little came before."""
    week = view.week
    if week.fresh_until is not None:
        yield "stale", (), {}
    elif week.covered_since is None or week.covered_since > week.period.before(HISTORY_SPANS).since:
        yield "short-history", (), {}


def _of_releases(view: View) -> Found:
    week = view.week
    if not week.releases:
        yield "no-releases", (), {}
    if week.reading.baseline and named(week.reading.baseline, week.releases) is None:
        yield "unknown-baseline", (), {"baseline": week.reading.baseline}


def _unresolved_reverts(view: View) -> tuple[int, ...]:
    """Pull requests whose title says that they undo another one, which was not found.

    One that the channel does not want to read of is found all the same.
    """
    week = view.week
    earlier = sorted((*week.history, *week.left_out), key=lambda one: one.merged_at)
    reversals = reverts_of(week.pull_requests, earlier) if week.left_out else view.figures.reverts
    found = {reversal.number for reversal in reversals}
    return tuple(one.number for one in week.pull_requests if is_revert(one.title) and one.number not in found)


def _share_without_number(view: View) -> Count:
    week = view.week
    direct, left_out = len(week.direct_commits), sum(week.period.contains(one.merged_at) for one in week.left_out)
    return Count(
        round(100 * direct / (direct + len(week.pull_requests) + left_out)),
        Claim.about("direct_share"),
    )
