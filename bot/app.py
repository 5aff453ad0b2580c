"""The composition root: arguments or a configuration become a store, sources and what may be asked of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from errno import EACCES, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR, EPERM, EROFS
from pathlib import Path
from typing import TYPE_CHECKING

from bot import jobs
from bot.analysis import rules
from bot.analysis.releases import named
from bot.analysis.rules import RulesError
from bot.commands import CommandProblem
from bot.digest.build import Digest, build
from bot.dispatch import Answer, Context, Request, Subject, UserError, answer, requested, week_of
from bot.models import Period, Reading
from bot.periods import PeriodError, parse_period, parse_week
from bot.ports import Progress, PullRequestSource, SourceError
from bot.rendering.forms import one_line
from bot.sources.clone import CloneSource
from bot.store.errors import StoreError, Unassessed
from bot.store.store import Store
from bot.text import Wording
from handlers import HANDLERS

if TYPE_CHECKING:
    from bot.config import Config, Repository

Environ = Mapping[str, str]

DEFAULT_TIMEZONE = "Asia/Shanghai"
DEFAULT_WEB_URL = "https://github.com"
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_ELSEWHERE = {"ConfigError", "ListenError"}
"""Errors of modules that only some commands import; their text is one line that the user can mend."""

_MENDABLE = {EACCES, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR, EPERM, EROFS}


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
        return parse_period(self.since, self.until, self.zone(default_zone), self.now)

    def zone(self, default: str) -> str:
        """The name of the zone that was given, else the default."""
        return default if self.timezone is None else self.timezone


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
        self._progress.start("digest", None)
        return _built(self._context(), self._subject)

    def answer(self, text: str) -> Answer:
        """What a channel would see for a typed command; of the clone is read what the command speaks of."""
        context = self._context()
        with suppress(CommandProblem, PeriodError, UserError):  # the answer will say what is wrong with the command
            self._read_for(requested(context, text))
        return answer(context, text, HANDLERS)

    def _context(self) -> Context:
        source, subjects = self._target.source, {self._subject.name: self._subject}
        return Context(
            self._store,
            subjects,
            self.period,
            self._dates.now,
            fresh_until=source.fresh_until(),
            begins_at=source.begins_at(),
        )

    def _read_for(self, request: Request) -> None:
        match request.command.name:
            case "help":
                return
            case "since":
                self._read_since(request)
            case "pr" | "score":
                self._read(request.period)
                for number in map(int, request.command.arguments):
                    self._read_number(number)
            case _:
                self._read(request.period)

    def _read_since(self, request: Request) -> None:
        release = named(request.command.arguments[0], self._target.source.releases())
        if release is None or release.cut_at is None:
            self._read(request.period)  # the answer names the releases there are
        else:
            self._sync(release.cut_at, self._dates.now)

    def _read_number(self, number: int) -> None:
        """Read up to now where the number did not come up before, and assess what was merged before the period."""
        if self._store.pull_request(self._subject.name, number) is None:
            self._sync(self.period.since, self._dates.now)
        one = self._store.pull_request(self._subject.name, number)
        if one is not None and not self._store.assessments(self._subject.name, [number]):
            self._sync(one.merged_at, one.merged_at + timedelta(seconds=1))

    def _read(self, period: Period) -> None:
        begins = self._target.source.begins_at()
        self._sync(min(period.since, max(period.before().since, begins)), period.until)

    def _sync(self, since: datetime, until: datetime) -> None:
        jobs.sync(self._target, since, until, now=self._dates.now, progress=self._progress)


class StoreDesk:
    """The store that a configuration names, read only."""

    def __init__(
        self, config: Config, store: Store, dates: Dates, repositories: Sequence[Repository], progress: Progress
    ) -> None:
        self.period = dates.period(config.timezone)
        self._dates = dates
        self._progress = progress
        self._store = store
        self._subjects = {one.name: _subject_of(one, config) for one in repositories}
        self._context = Context(store, self._subjects, self.period, dates.now)

    def digest(self) -> Digest:
        """The digest of the period. Raises UsageError when it is not synced, or several repositories are left."""
        if len(self._subjects) > 1:
            names = ", ".join(self._subjects)
            raise UsageError(f"several repositories are configured: choose one with --repository ({names})")
        subject = next(iter(self._subjects.values()))
        require_synced(self._store, subject.name, self.period, self._dates.now)
        self._progress.start("digest", None)
        try:
            return _built(self._context, subject)
        except Unassessed:
            raise _unsynced(subject.name, self.period) from None

    def answer(self, text: str) -> Answer:
        """What a channel that may see these repositories would see for a typed command.

        Raises UsageError when what it speaks of is not synced.
        """
        with suppress(CommandProblem, PeriodError, UserError):  # the answer will say what is wrong with the command
            request = requested(self._context, text)
            if request.command.name != "help":
                require_synced(self._store, request.subject.name, request.period, self._dates.now)
        return answer(self._context, text, HANDLERS)


def require_synced(store: Store, repository: str, period: Period, now: datetime) -> None:
    """Raise UsageError, naming the sync to run, unless the period is stored and assessed as far as it has passed."""
    covered = store.covered_since(repository, min(period.until, now))
    if covered is None or covered > period.since:
        raise _unsynced(repository, period)
    try:
        store.assessed(repository, period.since, period.until)
    except Unassessed:
        raise _unsynced(repository, period) from None


def _unsynced(repository: str, period: Period) -> UsageError:
    since, until = period.since.date(), period.until.date()
    return UsageError(
        f"{repository} is not synced from {since} to {until}: "
        f"run digest-bot sync --config FILE --repository {repository} --since {since} --until {until}"
    )


@contextmanager
def store_desk(
    path: Path, dates: Dates, repository: str | None, channel: str | None, *, environ: Environ, progress: Progress
) -> Iterator[StoreDesk]:
    """Open the store of a configuration for reading. Raises ConfigError, StoreError and UsageError."""
    config = _load(path, environ)
    with Store.open(config.database.url.get_secret_value()) as store:
        yield StoreDesk(config, store, dates, _seen(config, repository, channel), progress)


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
            since = min(span.since, max(_compared(span, dates), target.source.begins_at()))
            done[one.name] = jobs.sync(target, since, span.until, now=dates.now, progress=progress)
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

    The line is None for what nobody foresaw: our bug, whose traceback is wanted. A configuration with several mistakes
    has a line for each.
    """
    match error:
        case UsageError() | PeriodError() | SourceError() | RulesError():
            return one_line(str(error)), 2
        case StoreError():
            return one_line(str(error)), 2 if error.user_can_fix else 1
        case OSError():
            said = f"{error.strerror or error}: {error.filename}" if error.filename else str(error)
            return one_line(said), 2 if error.errno in _MENDABLE else 1
    return (str(error), 2) if type(error).__name__ in _ELSEWHERE else (None, 1)


def _load(path: Path, environ: Environ) -> Config:
    from bot.config import load  # noqa: PLC0415 - pydantic is not needed for a clone

    return load(path, environ)


def _sync_span(dates: Dates, default_zone: str) -> Period:
    if dates.since is not None or dates.until is not None:
        return dates.period(default_zone)
    this_week = parse_week("本周", dates.zone(default_zone), dates.now)
    return replace(this_week, since=this_week.before(13).since)


def _compared(span: Period, dates: Dates) -> datetime:
    """From when on to assess: a digest compares its period with the equal span before, by default a week."""
    return span.before().since if dates.since is not None else span.since - timedelta(weeks=1)


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


def _built(context: Context, subject: Subject) -> Digest:
    return build(week_of(context, subject, context.period), subject.rules, subject.wording)
