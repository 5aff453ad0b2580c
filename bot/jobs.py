"""What runs for a while: bring a repository's history into the store, assess it, read its changed lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from bot.analysis import assess
from bot.analysis.diffs import UNDONE_WITHIN, read
from bot.analysis.paths import is_source
from bot.analysis.rules import Rules
from bot.models import Patch, Period
from bot.ports import Progress, PullRequestSource
from bot.store.reading import Reach
from bot.store.store import Store

T = TypeVar("T")

HISTORY = 13
"""How many spans before a period its trends look back to."""


@dataclass(frozen=True)
class Target:
    """One repository: where its facts come from, where they go, and the rules they are judged by."""

    repository: str
    source: PullRequestSource
    store: Store
    rules: Rules


def sync(target: Target, since: datetime, until: datetime, *, now: datetime, progress: Progress) -> int:
    """Store and assess what was merged in [since, until), with the past that its assessment needs.

    Returns how many pull requests and direct commits were read. Raises SourceError and StoreError; what was stored
    before stays, and running again completes it.
    """
    begins = target.source.begins_at()
    first = min(since, max(assess.reach(since), begins))
    items = _store_history(target, first, until, progress)
    target.store.save_releases(target.repository, target.source.releases())
    _assess(target, since, until, progress)
    known_from, known_until = max(first, begins), min(until, now)
    if known_from < known_until:
        target.store.mark_covered(
            target.repository,
            known_from,
            known_until,
            source=target.source.kind,
            synced_at=now,
            reach=Reach(begins, target.source.fresh_until()),
        )
    return items


def bring_up_to_date(target: Target, period: Period, *, now: datetime, progress: Progress) -> int:
    """Read what a digest of the period is made from: the period, and the weeks before it that are not stored yet.

    Returns how many pull requests and direct commits were read. Raises SourceError and StoreError.
    """
    begins, fresh = target.source.begins_at(), target.source.fresh_until()
    history = max(period.before(HISTORY).since, begins)
    covered = target.store.covered_since(target.repository, period.since)
    since = period.before().since if covered is not None and covered <= history else history
    until = min(period.until, fresh + timedelta(seconds=1))  # what comes later may be missing
    since = min(max(since, begins), until)
    done = sync(target, since, until, now=now, progress=progress)
    if period.since < until:
        read_diffs(target, period.since, until, progress)
    return done


def read_diffs(target: Target, since: datetime, until: datetime, progress: Progress) -> None:
    """Read the changed lines of what was merged in [since, until), and of the days before that it may undo."""
    first = max(since - timedelta(days=UNDONE_WITHIN), target.source.begins_at())
    patches = target.source.patches(min(since, first), until)
    if patches is None:
        return
    progress.start("diffs", None)
    inside: set[int] = set()
    watched = _noting(_stepping(patches, progress), since, inside)
    facts = [fact for fact in read(watched, lambda path: is_source(path, target.rules)) if fact.number in inside]
    target.store.save_diff_facts(target.repository, since, until, facts)


def _store_history(target: Target, since: datetime, until: datetime, progress: Progress) -> int:
    progress.start("history", target.source.count(since, until))
    return target.store.save_history(target.repository, _stepping(target.source.history(since, until), progress))


def _assess(target: Target, since: datetime, until: datetime, progress: Progress) -> None:
    pull_requests = target.store.pull_requests(target.repository, assess.reach(since), until)
    progress.start("assessing", None)
    assessments = _stepping(assess.assess(pull_requests, target.rules, since), progress)
    target.store.save_assessments(target.repository, assessments)


def _noting(patches: Iterable[Patch], since: datetime, inside: set[int]) -> Iterator[Patch]:
    """Pass patches on and note the numbers of those merged from `since` on."""
    for patch in patches:
        if patch.merged_at >= since:
            inside.add(patch.number)
        yield patch


def _stepping(items: Iterable[T], progress: Progress) -> Iterator[T]:
    for item in items:
        yield item
        progress.advance()
