"""One week as a digest needs it, read in one go."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Literal, cast

from sqlalchemy import Connection

from bot.models import Period, Reading, Week
from bot.store.intervals import start_reaching
from bot.store.reading import (
    Repository,
    diffs_read,
    elsewhere_in_period,
    in_period,
    read_assessments_of,
    read_coverage,
    read_diff_facts,
    read_direct_commits,
    read_pull_requests,
    read_releases,
)

_HISTORY = timedelta(weeks=13)


def read_week(connection: Connection, repository: Repository, period: Period, reading: Reading) -> Week:
    """See `Store.load_week`."""
    since, until, previous = period.since, period.until, period.before()
    begin = min(_history_begins(period), previous.since)
    this_period = in_period(repository.id, since, until)
    both = read_pull_requests(connection, in_period(repository.id, begin, until), with_files=True)
    return Week(
        repository=repository.name,
        period=period,
        pull_requests=tuple(pr for pr in both if pr.merged_at >= since),
        history=tuple(pr for pr in both if pr.merged_at < since),
        assessments=read_assessments_of(connection, in_period(repository.id, previous.since, until)),
        other_branches=read_pull_requests(
            connection, elsewhere_in_period(repository.id, since, until), with_files=True
        ),
        direct_commits=read_direct_commits(connection, repository.id, since, until),
        releases=read_releases(connection, repository.id),
        diff_facts=read_diff_facts(connection, this_period),
        covered_since=_covered_since(connection, repository.id, period, begin),
        diffs_read=diffs_read(connection, this_period),
        reading=reading,
        source=cast("Literal['github', 'clone', 'sample']", repository.source or Week.source),
    )


def _history_begins(period: Period) -> datetime:
    day = (period.since - _HISTORY).date()
    return datetime.combine(day, time.min, tzinfo=period.zone)


def _covered_since(connection: Connection, repository_id: int, period: Period, begin: datetime) -> datetime | None:
    """From when on the history that was read is complete; a period still running is covered up to its start."""
    intervals = read_coverage(connection, repository_id)
    found = start_reaching(intervals, period.until) or start_reaching(intervals, period.since)
    return found and max(found, begin.astimezone(UTC))
