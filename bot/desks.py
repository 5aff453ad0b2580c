"""Where one asks: a clone read into memory, or the store of a configuration. The same digest and the same answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot import jobs
from bot.analysis.releases import named
from bot.commands import CommandProblem
from bot.digest.build import Digest, build
from bot.dispatch import Answer, Context, Request, Subject, UserError, answer, requested, week_of, within_reach
from bot.models import Period
from bot.periods import PeriodError, parse_period
from bot.ports import Progress, PullRequestSource
from bot.store.errors import Unassessed
from bot.store.store import Store
from handlers import HANDLERS


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

    def __init__(
        self, subject: Subject, source: PullRequestSource, period: Period, now: datetime, progress: Progress
    ) -> None:
        self.period = period
        self._now = now
        self._progress = progress
        self._store = Store.in_memory()
        self._subject = subject
        self._target = jobs.Target(subject.name, source, self._store, subject.rules)

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
            self._now,
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
            case "week" | "preview":
                self._read(request.period)
                jobs.read_diffs(self._target, request.period.since, request.period.until, self._progress)
            case _:
                self._read(request.period)

    def _read_since(self, request: Request) -> None:
        release = named(request.command.arguments[0], self._target.source.releases())
        if release is None or release.cut_at is None:
            self._read(request.period)  # the answer names the releases there are
        else:
            self._sync(release.cut_at, self._now)

    def _read_number(self, number: int) -> None:
        """Read up to now where the number did not come up before, and assess what was merged before the period."""
        if self._store.pull_request(self._subject.name, number) is None:
            self._sync(self.period.since, self._now)
        one = self._store.pull_request(self._subject.name, number)
        if one is not None and not self._store.assessments(self._subject.name, [number]):
            self._sync(one.merged_at, one.merged_at + timedelta(seconds=1))

    def _read(self, period: Period) -> None:
        begins = self._target.source.begins_at()
        self._sync(min(period.since, max(period.before().since, begins)), period.until)

    def _sync(self, since: datetime, until: datetime) -> None:
        jobs.sync(self._target, since, until, now=self._now, progress=self._progress)


class StoreDesk:
    """The store that a configuration names, read only."""

    def __init__(
        self,
        store: Store,
        subjects: Mapping[str, Subject],
        clones: Mapping[str, Callable[[], PullRequestSource]],
        period: Period,
        *,
        now: datetime,
        progress: Progress,
    ) -> None:
        self.period = period
        self._store = store
        self._subjects = subjects
        self._clones = clones
        self._progress = progress
        self._context = Context(store, subjects, period, now)

    def digest(self) -> Digest:
        """The digest of the period. Raises UsageError when it is not synced, or several repositories are left."""
        if len(self._subjects) > 1:
            names = ", ".join(self._subjects)
            raise UsageError(f"several repositories are configured: choose one with --repository ({names})")
        subject = next(iter(self._subjects.values()))
        context = self._reaching(subject, self.period)
        self._progress.start("digest", None)
        try:
            return _built(context, subject)
        except Unassessed:
            raise _unsynced(subject.name, self.period) from None

    def answer(self, text: str) -> Answer:
        """What a channel that may see these repositories would see for a typed command.

        Raises UsageError when what it speaks of is not synced.
        """
        context = self._context
        with suppress(CommandProblem, PeriodError, UserError):  # the answer will say what is wrong with the command
            request = requested(context, text)
            if request.command.name != "help":
                context = self._reaching(request.subject, request.period)
        return answer(context, text, HANDLERS)

    def _reaching(self, subject: Subject, period: Period) -> Context:
        """The context for a period that is stored and assessed, of a clone as far as the clone itself reaches.

        Raises UsageError, naming the sync to run, for any other.
        """
        context = self._context
        if not self._stored(context, subject, period):
            if subject.name not in self._clones:
                raise _unsynced(subject.name, period)
            source = self._clones[subject.name]()
            source.count(period.since, period.until)  # refused where a shallow clone begins later
            context = replace(context, begins_at=source.begins_at(), fresh_until=source.fresh_until())
        if not self._stored(context, subject, period):
            raise _unsynced(subject.name, period)
        return context

    def _stored(self, context: Context, subject: Subject, period: Period) -> bool:
        since, until = within_reach(context, period)
        if since >= until:
            return True
        covered = self._store.covered_since(subject.name, until)
        if covered is None or covered > since:
            return False
        try:
            self._store.assessed(subject.name, period.since, period.until)
        except Unassessed:
            return False
        return True


def _unsynced(repository: str, period: Period) -> UsageError:
    since, until = period.since.date(), period.until.date()
    return UsageError(
        f"{repository} is not synced from {since} to {until}: "
        f"run digest-bot sync --config FILE --repository {repository} --since {since} --until {until}"
    )


def _built(context: Context, subject: Subject) -> Digest:
    return build(week_of(context, subject, context.period), subject.rules, subject.wording)
