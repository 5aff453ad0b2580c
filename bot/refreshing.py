"""Keeps the subscribed repositories up to date between digests, so that commands find this week's pull requests."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from bot.apart import ApartError, EditionsApart
from bot.desks import UsageError
from bot.periods import parse_week
from bot.ports import SourceError
from bot.store.errors import StoreError
from bot.store.subscriptions import Subscription
from bot.workers import Work, Workers

_EVERY = timedelta(hours=1)
_log = logging.getLogger(__name__)


class Refreshing:
    """Reads every subscribed repository at once and then hourly, one after another, in a thread of its own."""

    def __init__(
        self, editions: EditionsApart, subscriptions: Callable[[], Iterable[Subscription]], now: Callable[[], datetime]
    ) -> None:
        self._editions = editions
        self._subscriptions = subscriptions
        self._now = now
        self._workers = Workers("refresh", threads=1, waiting=0)
        self._last: datetime | None = None

    def tick(self) -> None:
        """Begin when it is time; a round that still runs is not overtaken."""
        now = self._now()
        if (self._last is None or abs(now - self._last) >= _EVERY) and self._workers.submit(self._round):
            self._last = now

    def stop(self, deadline: float) -> bool:
        """Begin nothing more; False when what runs takes longer than `deadline` seconds. It can be broken off."""
        return self._workers.stop(deadline)

    def _round(self) -> Work:
        return self._refresh_all

    def _refresh_all(self) -> None:
        zones = {name: one.timezone for one in self._subscriptions() for name in one.repositories}
        for name, zone in zones.items():
            try:
                self._editions.refresh(name, parse_week("本周", zone, self._now()))
            except (ApartError, SourceError, StoreError, UsageError) as error:
                _log.warning("%s could not be brought up to date, and is tried again in an hour: %s", name, error)
