"""What a subscription is sent: its repositories brought up to date, their digests built, several made into one."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from threading import Lock

from bot import jobs
from bot.catalogue import Listed
from bot.digest.build import Digest, build
from bot.digest.exclude import excluding
from bot.digest.posting import messages_of
from bot.digest.several import Failure, several
from bot.dispatch import Context, week_of
from bot.message import Message
from bot.models import Exclusion, Period, Reading
from bot.ports import Silent, SourceError
from bot.store.errors import Unassessed, UnknownRepository
from bot.store.store import Store
from bot.store.subscriptions import Subscription
from bot.subscriptions import calendar_of

_FRESH = timedelta(minutes=10)
"""Subscriptions to one repository are mostly due at once: what was read a moment ago is not read again."""

_SPAN = timedelta(minutes=15)
"""For how long a digest stays as it was made, unless its repository is read again; days begin at such instants."""

_KEPT = 16
"""Digests: those of one Monday's channels, which mostly read the same."""

_log = logging.getLogger(__name__)


class NoDigestError(Exception):
    """None of a subscription's repositories could be read: one English line."""


class Editions:
    """Builds digests for subscriptions. Usable from several threads; of one repository only one reads at a time."""

    def __init__(self, store: Store, catalogue: Mapping[str, Listed], now: Callable[[], datetime]) -> None:
        self._store = store
        self._catalogue = catalogue
        self._now = now
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        self._lock = Lock()
        self._building = Lock()  # two at once would take as long each
        self._made = lru_cache(_KEPT)(self._make)

    def of(self, subscription: Subscription, period: Period) -> tuple[Message, ...]:
        """The root, and what goes in its thread, in order.

        A repository whose source fails is told from what is stored, as far as that reaches, or named with the reason.
        Raises NoDigestError when there is nothing to tell of any, and StoreError.
        """
        digests: list[Digest] = []
        failures: list[Failure] = []
        for name in subscription.repositories:
            found = self._digest(name, subscription, period)
            if isinstance(found, Failure):
                failures.append(found)
            else:
                digests.append(found)
        if not digests:
            raise NoDigestError("; ".join(f"{one.repository}: {one.reason}" for one in failures))
        if len(subscription.repositories) == 1:
            return messages_of(digests[0])
        return several(digests, failures)

    def refresh(self, name: str, period: Period) -> None:
        """Bring a repository's history up to now, so that commands find it. Raises SourceError and StoreError."""
        with self._of_repository(name):
            self._read(name, period)

    def _digest(self, name: str, subscription: Subscription, period: Period) -> Digest | Failure:
        if name not in self._catalogue:
            return Failure(name, "not in the configuration any more")
        problem = self._refreshed(name, period)
        try:
            return self._built(name, subscription, period)
        except (Unassessed, UnknownRepository) as error:
            return Failure(name, problem or str(error))

    def _refreshed(self, name: str, period: Period) -> str | None:
        """Why the repository could not be brought up to date; None where it is."""
        try:
            self.refresh(name, period)
        except SourceError as error:
            _log.warning("%s could not be read, its digest is made from what is stored: %s", name, error)
            return str(error)
        return None

    def _read(self, name: str, period: Period) -> None:
        if self._was_read(name, period):
            return
        listed = self._catalogue[name]
        target = jobs.Target(name, listed.source(), self._store, listed.subject.rules)
        jobs.bring_up_to_date(target, period, now=self._now(), progress=Silent())

    def _was_read(self, name: str, period: Period) -> bool:
        """Whether all of the period that the source had was read a moment ago."""
        synced, fresh = self._store.synced_at(name), self._store.reach(name).fresh_until
        if synced is None or abs(self._now() - synced) >= _FRESH:
            return False
        until = period.until if fresh is None else min(period.until, fresh)
        covered = self._store.covered_since(name, until)
        return until <= period.since or (covered is not None and covered <= period.since)

    def _built(self, name: str, subscription: Subscription, period: Period) -> Digest:
        exclude = Exclusion(subscription.exclude_authors, subscription.exclude_paths)
        usual = self._catalogue[name].subject.reading
        reading = replace(usual, exclude=exclude, calendar=calendar_of(subscription))
        now = self._now()
        now -= (now - datetime.min.replace(tzinfo=UTC)) % _SPAN
        with self._building:
            return self._made(self._store.synced_at(name), name, reading, period, now)

    def _make(self, _read_at: datetime | None, name: str, reading: Reading, period: Period, now: datetime) -> Digest:
        subject = replace(self._catalogue[name].subject, reading=reading)
        reach = self._store.reach(name)
        context = Context(
            self._store, {name: subject}, period, now, fresh_until=reach.fresh_until, begins_at=reach.begins_at
        )
        return build(excluding(week_of(context, subject, period)), subject.rules, subject.wording)

    def _of_repository(self, name: str) -> Lock:
        with self._lock:
            return self._locks[name]
