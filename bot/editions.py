"""What a subscription is sent: its repositories brought up to date, their digests built, several made into one."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Lock

from bot import jobs
from bot.catalogue import Listed
from bot.digest.build import Digest, build
from bot.digest.exclude import excluding
from bot.digest.posting import messages_of
from bot.digest.several import Failure, several
from bot.dispatch import Context, week_of
from bot.message import Message
from bot.models import Exclusion, Period
from bot.ports import Silent, SourceError
from bot.store.errors import Unassessed, UnknownRepository
from bot.store.store import Store
from bot.store.subscriptions import Subscription

_FRESH = timedelta(minutes=10)
"""Subscriptions to one repository are mostly due at once: what was read a moment ago is not read again."""

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
        self._building = Lock()  # digests are computed one after another: together they would only delay answers

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
        listed = self._catalogue.get(name)
        if listed is None:
            return Failure(name, "not in the configuration any more")
        problem = self._refreshed(name, period)
        try:
            with self._building:
                return self._built(listed, subscription, period)
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
        synced = self._store.synced_at(name)
        covered = self._store.covered_since(name, period.until)
        if synced is not None and self._now() - synced < _FRESH and covered is not None and covered <= period.since:
            return
        listed = self._catalogue[name]
        target = jobs.Target(name, listed.source(), self._store, listed.subject.rules)
        jobs.bring_up_to_date(target, period, now=self._now(), progress=Silent())

    def _built(self, listed: Listed, subscription: Subscription, period: Period) -> Digest:
        subject = listed.subject
        exclude = Exclusion(subscription.exclude_authors, subscription.exclude_paths)
        subject = replace(subject, reading=replace(subject.reading, exclude=exclude))
        reach = self._store.reach(subject.name)
        context = Context(
            self._store,
            {subject.name: subject},
            period,
            self._now(),
            fresh_until=reach.fresh_until,
            begins_at=reach.begins_at,
        )
        return build(excluding(week_of(context, subject, period)), subject.rules, subject.wording)

    def _of_repository(self, name: str) -> Lock:
        with self._lock:
            return self._locks[name]
