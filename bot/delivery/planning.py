"""Enters into the ledger what is due."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfoNotFoundError

from bot import schedule
from bot.holidays import UnknownCountryError
from bot.schedule import Due
from bot.store.deliveries import State
from bot.store.ledger import Ledger, Plan
from bot.store.subscriptions import Subscription
from bot.subscriptions import calendar_of

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
        # The oldest first: of two that a long holiday moved to one day, the earlier week is taken first.
        found = [(one, due) for one in owed for due in reversed(_due(now, one, self._ledger.settled_of(one.id)))]
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
    """What is owed; nothing where the zone or the country is not known: one subscription holds up no other."""
    where = f"{subscription.platform} channel {subscription.channel}"
    try:
        return schedule.due(now, subscription, settled, calendar_of(subscription))
    except ZoneInfoNotFoundError:
        _log.exception("%s: unknown time zone %s, nothing is planned", where, subscription.timezone)
    except UnknownCountryError as error:
        _log.exception("%s: %s, nothing is planned", where, error)
    return ()


def _plans(found: Iterable[tuple[Subscription, Due]]) -> Iterator[Plan]:
    for subscription, due in found:
        state, note = _state(subscription, due)
        yield Plan(
            platform=subscription.platform,
            channel=subscription.channel,
            subscription=subscription.id,
            period=due.period,
            repositories=subscription.repositories,
            due_at=due.due_at,
            state=state,
            note=note,
        )


def _state(subscription: Subscription, due: Due) -> tuple[State, str | None]:
    """What is entered, and why."""
    if due.skipped:
        return "skipped", f"skipped: {due.holiday} is a day off ({', '.join(_names(subscription, due.holiday))})"
    return ("expired", _MISSED) if due.expired else ("planned", None)


def _names(subscription: Subscription, day: date | None) -> tuple[str, ...]:
    calendar = calendar_of(subscription)
    holiday = calendar.holiday(day) if calendar is not None and day is not None else None
    return () if holiday is None else holiday.names
