"""The composition root: arguments or a configuration become a store, sources and what may be asked of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from errno import EACCES, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR, EPERM, EROFS
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bot import jobs
from bot.analysis import rules
from bot.analysis.rules import RulesError
from bot.catalogue import source_of, subject, subject_of
from bot.desks import CloneDesk, Dates, StoreDesk, UsageError
from bot.dispatch import Answer, Context
from bot.models import Period, Reading
from bot.periods import PeriodError, parse_week
from bot.ports import Progress, SourceError
from bot.rendering.forms import one_line
from bot.sources.clone import CloneSource
from bot.store.errors import StoreError
from bot.store.store import Store
from bot.text import Wording

if TYPE_CHECKING:
    from bot.config import Config, Repository

Environ = Mapping[str, str]

DEFAULT_TIMEZONE = "Asia/Shanghai"
DEFAULT_WEB_URL = "https://github.com"
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_ELSEWHERE = {"ConfigError", "ListenError", "ManifestError", "SlackStartError"}
"""Errors of modules that only some commands import; their text is one line that the user can mend."""

_OUT_OF_REACH = {"SlackUnreachableError"}
"""Likewise, of what may mend itself."""

_MENDABLE = {EACCES, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR, EPERM, EROFS}


def clone_desk(clone: Path, repository: str, dates: Dates, progress: Progress) -> CloneDesk:
    """A local clone, from which nothing has been read yet. Raises UsageError and PeriodError."""
    if not _REPOSITORY.fullmatch(repository):
        raise UsageError(f"--repository {repository!r}: expected OWNER/NAME such as acme/engine")
    one = subject(repository, Reading(), None, DEFAULT_WEB_URL)
    return CloneDesk(one, CloneSource(clone), dates.period(DEFAULT_TIMEZONE), dates.now, progress)


@contextmanager
def store_desk(
    path: Path, dates: Dates, repository: str | None, channel: str | None, *, environ: Environ, progress: Progress
) -> Iterator[StoreDesk]:
    """Open the store of a configuration for reading. Raises ConfigError, StoreError and UsageError."""
    config = _load(path, environ)
    seen = _seen(config, repository, channel)
    subjects = {one.name: subject_of(one, config) for one in seen}
    clones = {one.name: partial(source_of, one) for one in seen if one.source == "clone"}
    period = dates.period(config.timezone)
    with Store.open(config.database.url.get_secret_value()) as store:
        yield StoreDesk(store, subjects, clones, period, now=dates.now, progress=progress)


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
            target = jobs.Target(one.name, source_of(one), store, rules.load(one.rules))
            since = min(span.since, max(_compared(span, dates), target.source.begins_at()))
            until = min(
                span.until, target.source.fresh_until() + timedelta(seconds=1)
            )  # what comes later may be missing
            done[one.name] = jobs.sync(target, since, until, now=dates.now, progress=progress)
            if span.since < until:
                jobs.read_diffs(target, span.since, until, progress)
    return done


def status(path: Path, dates: Dates, environ: Environ) -> Answer:
    """All subscriptions with their deliveries, and how old the data is. Raises ConfigError and StoreError.

    Where the bot has not run yet, its subscriptions are those of the configuration.
    """
    from bot.subscriptions import configured  # noqa: PLC0415 - needs the configuration, which not every command has
    from handlers.status import overview  # noqa: PLC0415

    config = _load(path, environ)
    period = dates.period(config.timezone)
    with Store.open(config.database.url.get_secret_value()) as store:
        found = store.subscriptions().all() or configured(config, dates.now)
        subjects = {one.name: subject_of(one, config) for one in config.repositories}
        context = Context(store, subjects, period, dates.now)
        return Answer(overview(context, Wording(_unlinked), found, everywhere=True), answered=True)


def _unlinked(number: int) -> str:
    raise ValueError(f"a status names no pull request, asked for {number}")


def slack_manifest(path: Path | None, environ: Environ, *, public_url: str | None, explain: bool) -> str:
    """The manifest of a Slack app as the configuration has it, or what each permission is for. Raises ConfigError.

    Without a configuration: Socket Mode and `/digest`. Raises ManifestError for what Slack would refuse.
    """
    from bot.platforms.slack import manifest  # noqa: PLC0415 - no other command needs it

    slack = None if path is None else _load(path, environ).slack
    mode = "socket" if slack is None else slack.mode
    if explain:
        return manifest.explain(mode) if slack is None else manifest.explain(mode, slack.api_url)
    return manifest.manifest("/digest" if slack is None else slack.command, mode, public_url)


def upgrade_database(path: Path, environ: Environ) -> str:
    """Migrate the configured database and say in one line what was done. Raises ConfigError and StoreError."""
    return str(Store.upgrade(_load(path, environ).database.url.get_secret_value()))


def backup_database(path: Path, destination: Path, environ: Environ) -> None:
    """Write a consistent copy of the configured database. Raises ConfigError and StoreError."""
    with Store.open(_load(path, environ).database.url.get_secret_value()) as store:
        store.backup(destination)


def explained(error: Exception) -> tuple[str | None, int]:
    """The line and the exit code for a failure: 2 when the user can mend it, 1 for disk and network.

    The line is None for what nobody foresaw: our bug, whose traceback is wanted. Of a configuration with several
    mistakes the first is told and the others are counted.
    """
    match error:
        case UsageError() | PeriodError() | SourceError() | RulesError():
            return one_line(str(error)), 2
        case StoreError():
            return one_line(str(error)), 2 if error.user_can_fix else 1
        case OSError():
            said = f"{error.strerror or error}: {error.filename}" if error.filename else str(error)
            return one_line(said), 2 if error.errno in _MENDABLE else 1
    kind = type(error).__name__
    if kind in _ELSEWHERE | _OUT_OF_REACH:
        return _first_line(str(error)), 2 if kind in _ELSEWHERE else 1
    return None, 1


def _first_line(text: str) -> str:
    """The first of several lines, and how many more there are."""
    first, *more = text.splitlines()
    return f"{first} (and {len(more)} more like it)" if more else first


def _load(path: Path, environ: Environ) -> Config:
    from bot.config import load  # noqa: PLC0415 - pydantic is not needed for a clone

    return load(path, environ)


def _sync_span(dates: Dates, default_zone: str) -> Period:
    if dates.since is not None or dates.until is not None:
        return dates.period(default_zone)
    this_week = parse_week("本周", dates.zone(default_zone), dates.now)
    return replace(this_week, since=this_week.before(jobs.HISTORY).since)


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
