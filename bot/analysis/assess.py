"""Pull requests to assessments: tags, importance and risks, measured against the 13 weeks before each one's week.

The past of a pull request ends where its own UTC week begins, so an assessment depends on nothing that came later and
is the same whatever period, zone or run asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, time, timedelta

from bot.analysis.features import Features, features_of
from bot.analysis.importance import Scorer
from bot.analysis.past import Past
from bot.analysis.risks import risks_of
from bot.analysis.rules import Rules
from bot.models import Assessment, PullRequest

TRAILING = timedelta(weeks=13)


def reach(since: datetime) -> datetime:
    """The instant from which pull requests are needed to assess those merged from `since` on."""
    return _week_start(since) - TRAILING


def assess(pull_requests: Iterable[PullRequest], rules: Rules, since: datetime) -> Iterator[Assessment]:
    """Assess those merged from `since` on.

    `pull_requests` are oldest first and begin at `reach(since)`, or where history begins.
    """
    measured = [(pull_request.merged_at, features_of(pull_request, rules)) for pull_request in pull_requests]
    start = 0
    for week, members in _by_week(measured):
        start = _first_at(measured, week - TRAILING, start)
        wanted = [features for merged_at, features in members if merged_at >= since]
        if wanted:
            trailing = [features for merged_at, features in measured[start:] if merged_at < week]
            yield from _assessed(wanted, Past(trailing), rules)


def _assessed(wanted: Sequence[Features], past: Past, rules: Rules) -> Iterator[Assessment]:
    scorer = Scorer(past)
    for features in wanted:
        importance, reasons = scorer.score(features)
        yield Assessment(features.number, importance, reasons, features.tags, risks_of(features, past, rules))


def _by_week(
    measured: Sequence[tuple[datetime, Features]],
) -> Iterator[tuple[datetime, list[tuple[datetime, Features]]]]:
    weeks: dict[datetime, list[tuple[datetime, Features]]] = {}
    for merged_at, features in measured:
        weeks.setdefault(_week_start(merged_at), []).append((merged_at, features))
    yield from weeks.items()


def _first_at(measured: Sequence[tuple[datetime, Features]], instant: datetime, start: int) -> int:
    while start < len(measured) and measured[start][0] < instant:
        start += 1
    return start


def _week_start(instant: datetime) -> datetime:
    """Monday 00:00 UTC of the week that holds the instant."""
    day = instant.astimezone(UTC).date()
    return datetime.combine(day - timedelta(days=day.weekday()), time(), UTC)
