"""Keeps the subscribed repositories up to date: hourly for the commands, and shortly before each digest."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from time import monotonic
from typing import Protocol

from bot import schedule
from bot.apart import ApartError
from bot.desks import UsageError
from bot.models import Period
from bot.periods import parse_week
from bot.ports import SourceError
from bot.store.errors import StoreError
from bot.store.subscriptions import Subscription
from bot.subscriptions import calendar_of
from bot.workers import Work, Workers

_EVERY = timedelta(hours=1)
_LOOK = timedelta(minutes=1)  # between two looks at the timetable
_SHORTEST, _LONGEST = timedelta(minutes=2), timedelta(minutes=55)
_MARGIN = 2  # a round may take longer than the last ones did
_ROUNDS = 5
_log = logging.getLogger(__name__)


class Refreshes(Protocol):
    """What brings a repository up to date: `bot.editions.Editions`, wherever it runs."""

    def refresh(self, name: str, period: Period) -> None:
        """As `bot.editions.Editions.refresh`."""


class Refreshing:
    """Reads every subscribed repository at once and then hourly, one after another, in a thread of its own.

    Before a digest comes it reads them too, as early as the last rounds took long, so that the digest finds everything
    there at its hour. `clock` measures how long a round takes, in seconds.
    """

    def __init__(
        self,
        editions: Refreshes,
        subscriptions: Callable[[], Iterable[Subscription]],
        now: Callable[[], datetime],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._editions = editions
        self._subscriptions = subscriptions
        self._now = now
        self._clock = clock
        self._workers = Workers("refresh", threads=1, waiting=0)
        self._last: datetime | None = None
        self._looked: datetime | None = None
        self._coming: datetime | None = None
        self._took: list[timedelta] = []
        self._running = False

    @property
    def idle(self) -> bool:
        """Whether no round runs."""
        return not self._running

    def tick(self) -> None:
        """Begin when it is time; a round that still runs is not overtaken. Raises StoreError."""
        now = self._now()
        if self._is_time(now) and self._workers.submit(self._round):
            self._last = now

    def stop(self, deadline: float) -> bool:
        """Begin nothing more; False when what runs takes longer than `deadline` seconds. It can be broken off."""
        return self._workers.stop(deadline)

    def _is_time(self, now: datetime) -> bool:
        if self._last is None or abs(now - self._last) >= _EVERY:
            return True
        coming = self._next_digest(now)
        return coming is not None and self._last < coming - self._lead() <= now

    def _next_digest(self, now: datetime) -> datetime | None:
        """When the next digest of any channel comes; None: there are no channels."""
        if self._looked is None or abs(now - self._looked) >= _LOOK:
            coming = (schedule.next_at(now, one, calendar_of(one)) for one in self._subscriptions())
            self._looked, self._coming = now, min(coming, default=None)
        return self._coming

    def _lead(self) -> timedelta:
        """How long before a digest to begin."""
        return min(max([_MARGIN * took for took in self._took] + [_SHORTEST]), _LONGEST)

    def _round(self) -> Work:
        self._running = True
        return self._refresh_all

    def _refresh_all(self) -> None:
        try:
            self._read_all()
        finally:
            self._running = False

    def _read_all(self) -> None:
        began = self._clock()
        zones = {name: one.timezone for one in self._subscriptions() for name in one.repositories}
        for name, zone in zones.items():
            try:
                self._editions.refresh(name, parse_week("本周", zone, self._now()))
            except (ApartError, SourceError, StoreError, UsageError) as error:
                _log.warning("%s could not be brought up to date, and is tried again in an hour: %s", name, error)
        self._took = [*self._took, timedelta(seconds=self._clock() - began)][-_ROUNDS:]
