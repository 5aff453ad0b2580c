"""The composition root: arguments or a configuration become a store, sources and what may be asked of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bot import jobs
from bot.analysis import rules
from bot.analysis.rules import RulesError
from bot.commands import CommandProblem, parse
from bot.digest.build import Digest, build
from bot.dispatch import Answer, Context, Subject, answer
from bot.models import Period, Reading, Week
from bot.periods import PeriodError, parse_period, parse_week
from bot.ports import Progress, PullRequestSource, SourceError
from bot.sources.clone import CloneSource
from bot.store.errors import StoreError
from bot.store.store import Store
from bot.text import Wording
from handlers import HANDLERS

if TYPE_CHECKING:
    from bot.config import Config, Repository

Environ = Mapping[str, str]

DEFAULT_TIMEZONE = "Asia/Shanghai"
DEFAULT_WEB_URL = "https://github.com"
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


class UsageError(Exception):
    """What was asked cannot be done as asked: one English line with the fix."""


@dataclass(frozen=True)
class Dates:
    """The period as the command line gives it: both ends or neither, and the zone they are in."""

    since: str | None
    until: str | None
    timezone: str | None
    now: datetime

    def period(self, default_zone: str) -> Period:
        """The period meant. Raises PeriodError."""
        return parse_period(self.since, self.until, self.timezone or default_zone, self.now)


class CloneDesk:
    """A local clone, read into a store in memory: nothing is written and nothing is fetched."""

    def __init__(self, clone: Path, repository: str, dates: Dates, progress: Progress) -> None:
        if not _REPOSITORY.fullmatch(repository):
            raise UsageError(f"--repository {repository!r}: expected OWNER/NAME such as acme/engine")
        self.period = dates.period(DEFAULT_TIMEZONE)
        self._dates = dates
        self._progress = progress
        self._store = Store.in_memory()
        self._subject = _subject(repository, Reading(), None, DEFAULT_WEB_URL)
        self._target = jobs.Target(repository, CloneSource(clone), self._store, self._subject.rules)

    def digest(self) -> Digest:
        """The digest of the period."""
        self._read(self.period)
        jobs.read_diffs(self._target, self.period.since, self.period.until, self._progress)
        week = self._store.load_week(self._subject.name, self.period, self._subject.reading)
        return build(_as_fresh_as(self._target.source, week), self._subject.rules, self._subject.wording)

    def answer(self, text: str) -> Answer:
        """What a channel would see for a typed command."""
        for period in self._needed(text):
            self._read(period)
        context = Context(
            self._store,
            {self._subject.name: self._subject},
            self.period,
            self._dates.now,
            fresh_until=self._target.source.fresh_until(),
        )
        return answer(context, text, HANDLERS)

    def _needed(self, text: str) -> Iterator[Period]:
        """The periods that a command speaks of."""
        yield self.period
        try:
            command = parse(text)
            asked = command.week or (command.arguments[0] if command.name == "week" and command.arguments else None)
            if asked is not None:
                yield parse_week(asked, self.period.timezone, self._dates.now)
            if command.name == "since":
                yield from self._since_releases()
        except (CommandProblem, PeriodError):
            return  # the answer will say what is wrong with the command

    def _since_releases(self) -> Iterator[Period]:
        cuts = [release.cut_at for release in self._target.source.releases() if release.cut_at is not None]
        if cuts:
            yield replace(self.period, since=min(*cuts, self.period.since), until=self._dates.now)

    def _read(self, period: Period) -> None:
        since = min(period.since, max(period.before().since, self._target.source.begins_at()))
        jobs.sync(self._target, since, period.until, now=self._dates.now, progress=self._progress)


class StoreDesk:
    """The store that a configuration names, read only."""

    def __init__(self, config: Config, store: Store, dates: Dates, repositories: Sequence[Repository]) -> None:
        self.period = dates.period(config.timezone)
        self._dates = dates
        self._store = store
        self._subjects = {one.name: _subject_of(one, config) for one in repositories}

    def digest(self) -> Digest:
        """The digest of the period. Raises UsageError when it is not synced, or several repositories are left."""
        if len(self._subjects) > 1:
            names = ", ".join(self._subjects)
            raise UsageError(f"several repositories are configured: choose one with --repository ({names})")
        subject = next(iter(self._subjects.values()))
        require_synced(self._store, subject.name, self.period, self._dates.now)
        return build(self._store.load_week(subject.name, self.period, subject.reading), subject.rules, subject.wording)

    def answer(self, text: str) -> Answer:
        """What a channel that may see these repositories would see for a typed command."""
        for name in self._subjects:
            require_synced(self._store, name, self.period, self._dates.now)
        return answer(Context(self._store, self._subjects, self.period, self._dates.now), text, HANDLERS)


def require_synced(store: Store, repository: str, period: Period, now: datetime) -> None:
    """Raise UsageError, naming the sync to run, unless the period is stored as far as it has passed."""
    covered = store.covered_since(repository, min(period.until, now))
    if covered is None or covered > period.since:
        raise UsageError(
            f"{repository} is not synced from {period.since.date()} to {period.until.date()}: run digest-bot sync "
            f"--config FILE --repository {repository} --since {period.since.date()} --until {period.until.date()}"
        )


@contextmanager
def store_desk(
    path: Path, dates: Dates, repository: str | None, channel: str | None, environ: Environ
) -> Iterator[StoreDesk]:
    """Open the store of a configuration for reading. Raises ConfigError, StoreError and UsageError."""
    config = _load(path, environ)
    with Store.open(config.database.url.get_secret_value()) as store:
        yield StoreDesk(config, store, dates, _seen(config, repository, channel))


def sync_configured(
    path: Path, dates: Dates, repository: str | None, environ: Environ, progress: Progress
) -> dict[str, int]:
    """Fetch and assess the configured repositories; the default span is this week and the 13 before.

    Returns how many pull requests and direct commits were read of each. Raises ConfigError, SourceError, StoreError.
    """
    config = _load(path, environ)
    span = _sync_span(dates, config.timezone)
    done: dict[str, int] = {}
    with Store.open(config.database.url.get_secret_value()) as store:
        for one in _chosen(config, repository):
            target = jobs.Target(one.name, _source(one), store, rules.load(one.rules))
            done[one.name] = jobs.sync(target, span.since, span.until, now=dates.now, progress=progress)
            jobs.read_diffs(target, span.since, span.until, progress)
    return done


def upgrade_database(path: Path, environ: Environ) -> str:
    """Migrate the configured database and say in one line what was done. Raises ConfigError and StoreError."""
    return str(Store.upgrade(_load(path, environ).database.url.get_secret_value()))


def backup_database(path: Path, destination: Path, environ: Environ) -> None:
    """Write a consistent copy of the configured database. Raises ConfigError and StoreError."""
    with Store.open(_load(path, environ).database.url.get_secret_value()) as store:
        store.backup(destination)


def explained(error: Exception) -> tuple[str | None, int]:
    """The line and the exit code for a failure: 2 when the user can mend it, 1 for disk and network.

    The line is None for what nobody foresaw: our bug, whose traceback is wanted.
    """
    match error:
        case UsageError() | PeriodError() | SourceError() | RulesError():
            return str(error), 2
        case StoreError():
            return str(error), 2 if error.user_can_fix else 1
        case OSError():
            return f"{error.strerror or error}: {error.filename}" if error.filename else str(error), 1
    return (str(error), 2) if type(error).__name__ == "ConfigError" else (None, 1)


def _load(path: Path, environ: Environ) -> Config:
    from bot.config import load  # noqa: PLC0415 - pydantic is not needed for a clone

    return load(path, environ)


def _sync_span(dates: Dates, default_zone: str) -> Period:
    if dates.since is not None or dates.until is not None:
        return dates.period(default_zone)
    this_week = parse_week("本周", dates.timezone or default_zone, dates.now)
    return replace(this_week, since=this_week.before(13).since)


def _chosen(config: Config, repository: str | None) -> tuple[Repository, ...]:
    if repository is None:
        return config.repositories
    chosen = tuple(one for one in config.repositories if one.name.casefold() == repository.casefold())
    if not chosen:
        names = ", ".join(one.name for one in config.repositories)
        raise UsageError(f"--repository {repository}: not in the configuration, which has {names}")
    return chosen


def _seen(config: Config, repository: str | None, channel: str | None) -> tuple[Repository, ...]:
    """The repositories that a channel may see (without a channel: all), or the chosen one of them."""
    chosen = _chosen(config, repository)
    if channel is None:
        return chosen
    subscribed = {name for one in config.channels if one.id == channel for name in one.repositories}
    if not subscribed:
        known = ", ".join(one.id for one in config.channels) or "none"
        raise UsageError(f"--channel {channel}: not in the configuration, which has {known}")
    visible = tuple(one for one in chosen if one.name in subscribed)
    if not visible:
        raise UsageError(f"--repository {repository}: channel {channel} is not subscribed to it")
    return visible


def _source(repository: Repository) -> PullRequestSource:
    if repository.source == "clone" and repository.path is not None:
        return CloneSource(repository.path, repository.branch)
    raise UsageError(f"{repository.name}: source {repository.source} is not available yet: use source: clone with path")


def _subject_of(repository: Repository, config: Config) -> Subject:
    reading = Reading(repository.role, repository.watch, repository.baseline)
    return _subject(repository.name, reading, repository.rules, config.web_url)


def _subject(name: str, reading: Reading, rules_file: Path | None, web_url: str) -> Subject:
    base = web_url.rstrip("/")
    return Subject(name, reading, rules.load(rules_file), Wording(lambda number: f"{base}/{name}/pull/{number}"))


def _as_fresh_as(source: PullRequestSource, week: Week) -> Week:
    """Say until when the source is known to be complete, where that is before the period's end."""
    fresh = source.fresh_until()
    return replace(week, fresh_until=fresh) if fresh < week.period.until else week
