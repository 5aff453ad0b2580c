"""The sample as a source of pull requests: nothing is fetched, and the same `now` gives the same facts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cached_property
from importlib.resources import files

from bot.models import Patch, PullRequest, Release
from bot.periods import last_week
from bot.ports import SourceKind
from bot.sources.sample.changed_lines import read_changed_lines
from bot.sources.sample.notation import read_entries, since_monday
from bot.sources.sample.placing import Calendar, placed

REPOSITORY = "acme/windlass"

WEEKS = 7
"""How many weeks the sample has; the usual of a place is known from six before the last on."""


class SampleSource:
    """An invented inference engine's last weeks; fulfils `bot.ports.PullRequestSource`.

    The sample's last week is the last whole week, Monday to Monday in `timezone`, before the aware instant `now`.
    Raises PeriodError when the zone is unknown and TypeError when `now` has none. Instants given back are UTC.
    """

    def __init__(self, now: datetime, timezone: str = "Asia/Shanghai") -> None:
        week = last_week(now, timezone)
        self._now = now.astimezone(UTC)
        self._calendar = Calendar(week.since.date(), week.zone)

    @property
    def kind(self) -> SourceKind:
        return "sample"

    def begins_at(self) -> datetime:
        """The local midnight that the oldest week begins with."""
        return self._calendar.instant(WEEKS - 1, timedelta())

    def fresh_until(self) -> datetime:
        """`now`: after the last week nothing was merged."""
        return self._now

    def count(self, since: datetime, until: datetime) -> int:
        """How many pull requests `history` will give, exactly."""
        return len(self._merged(since, until))

    def history(self, since: datetime, until: datetime) -> Iterator[PullRequest]:
        """What was merged in [since, until) into any branch, newest first."""
        return reversed(self._merged(since, until))

    def releases(self) -> tuple[Release, ...]:
        """The release tags, oldest first."""
        return tuple(_release(line, self._calendar) for line in _data("releases.txt").splitlines() if line[:1] == "v")

    def patches(self, since: datetime, until: datetime) -> Iterator[Patch]:
        """The changed lines of those pull requests of [since, until) that have some written, oldest first.

        `complete` is False where only some of the files have their lines.
        """
        lines = read_changed_lines(_data("changed-lines.txt"))
        for one in self._merged(since, until):
            if one.number in lines:
                patch = lines[one.number]
                yield Patch(one.number, one.merged_at, patch, complete=len(patch) == len(one.files))

    def _merged(self, since: datetime, until: datetime) -> list[PullRequest]:
        return [one for one in self._pull_requests if since <= one.merged_at < until]

    @cached_property
    def _pull_requests(self) -> list[PullRequest]:
        found = [
            placed(entry, weeks_back, self._calendar)
            for weeks_back in range(WEEKS)
            for entry in read_entries(_data(f"week-{weeks_back}.txt"))
        ]
        return sorted(found, key=lambda one: (one.merged_at, one.number))


def _release(line: str, calendar: Calendar) -> Release:
    name, cut, tagged, picks = (part.strip() for part in line.split("|"))
    return Release(
        name,
        tagged_at=_instant(tagged, calendar),
        cut_at=_instant(cut, calendar),
        picks=frozenset(int(number) for number in picks.split()),
    )


def _instant(text: str, calendar: Calendar) -> datetime:
    """The instant of "4 Wed 18:00": four weeks before the last, on Wednesday."""
    weeks_back, _, clock = text.partition(" ")
    return calendar.instant(int(weeks_back), since_monday(clock))


def _data(name: str) -> str:
    return files("bot.sources.sample").joinpath("data", name).read_text("utf-8")
