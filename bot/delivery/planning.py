"""Enters into the ledger what is due."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfoNotFoundError

from bot import schedule
from bot.schedule import Due
from bot.store.ledger import Ledger, Plan
from bot.store.subscriptions import Subscription

_RECENT = timedelta(weeks=3)
_MISSED = "missed: the bot was not running when it was due"

_log = logging.getLogger(__name__)

Subscriptions = Callable[[], Iterable[Subscription]]
"""All that are in force."""


class Planner:
    """Plans deliveries. `subscriptions` gives those in force; `accept_clock` believes one that is far ahead."""

    def __init__(
        self,
        ledger: Ledger,
        subscriptions: Subscriptions,
        now: Callable[[], datetime],
        *,
        accept_clock: bool = False,
    ) -> None:
        self._ledger = ledger
        self._subscriptions = subscriptions
        self._now = now
        self._accept_clock = accept_clock

    def plan(self) -> None:
        """Enter everything that is due. Raises StoreError, and ClockAheadError when the clock cannot be right."""
        now = self._now()
        subscriptions = tuple(self._subscriptions())
        self._check_clock(now, subscriptions)
        recent = self._ledger.settled(now - _RECENT)
        owed = [one for one in subscriptions if _due(now, one, recent.get(one.id, ()))]
        # What lies further back is read only of those few that seem to be owed something.
        found = [(one, due) for one in owed for due in _due(now, one, self._ledger.settled_of(one.id))]
        self._enter(now, found)

    def first(self, subscription: Subscription) -> bool:
        """Enter last week's digest for who just subscribed; False when it is entered already. Raises as `plan`."""
        now = self._now()
        self._check_clock(now, (subscription,))
        due = schedule.first(now, subscription, self._ledger.settled_of(subscription.id))
        if due is None:
            return False
        self._enter(now, [(subscription, due)])
        return True

    def _check_clock(self, now: datetime, subscriptions: Iterable[Subscription]) -> None:
        if self._accept_clock:
            return
        last = self._ledger.last_planned() or max((one.added_at for one in subscriptions), default=None)
        schedule.require_plausible(now, last)

    def _enter(self, now: datetime, found: Iterable[tuple[Subscription, Due]]) -> None:
        plans = tuple(_plans(found))
        self._ledger.plan(plans, now)
        for plan in plans:
            period = f"{plan.period.since:%Y-%m-%d} to {plan.period.until:%Y-%m-%d}"
            _log.info("%s: %s channel %s, %s", plan.state, plan.platform, plan.channel, period)


def _due(now: datetime, subscription: Subscription, settled: Iterable[schedule.Settled]) -> tuple[Due, ...]:
    try:
        return schedule.due(now, subscription, settled)
    except ZoneInfoNotFoundError:
        # One subscription that cannot be read must not hold up the others.
        where = f"{subscription.platform} channel {subscription.channel}"
        _log.exception("%s: unknown time zone %s, nothing is planned", where, subscription.timezone)
        return ()


def _plans(found: Iterable[tuple[Subscription, Due]]) -> Iterator[Plan]:
    for subscription, due in found:
        yield Plan(
            platform=subscription.platform,
            channel=subscription.channel,
            subscription=subscription.id,
            period=due.period,
            repositories=subscription.repositories,
            due_at=due.due_at,
            state="expired" if due.expired else "planned",
            note=_MISSED if due.expired else None,
        )
