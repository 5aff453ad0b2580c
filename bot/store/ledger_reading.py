"""What is asked of the delivery ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import exists, func, select

from bot.store.deliveries import (
    ROOT,
    STATES,
    Citation,
    Delivery,
    State,
    StoredPart,
    read_citing,
    read_deliveries,
    read_parts,
)
from bot.store.engines import Engines
from bot.store.schema import deliveries, delivery_parts

_run = deliveries.c
_part = delivery_parts.c


@dataclass(frozen=True, slots=True)
class Settled:
    """Fulfils `bot.schedule.Settled`."""

    since: datetime
    until: datetime
    expired_at: datetime | None


class LedgerReading:
    """The reading half of the ledger; every method raises StoreError."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    def settled(self, after: datetime) -> dict[str, tuple[Settled, ...]]:
        """By subscription, the periods that end after an instant."""
        return self._settled(_run.until > after)

    def settled_of(self, subscription: str) -> tuple[Settled, ...]:
        """All periods of one subscription."""
        return self._settled(_run.subscription == subscription).get(subscription, ())

    def last_planned(self) -> datetime | None:
        """When a delivery was last planned; None: never."""
        with self._engines.reading() as connection:
            last: datetime | None = connection.scalar(select(func.max(_run.planned_at)))
            return last

    def parts(self, delivery: int) -> tuple[StoredPart, ...]:
        """The parts of a delivery in order, with its notice, if there is one, before the root."""
        with self._engines.reading() as connection:
            return read_parts(connection, delivery)

    def delivery(self, delivery: int) -> Delivery | None:
        """One delivery; None if there is none of this id."""
        return self._first(_run.id == delivery)

    def posted_at(self, platform: str, channel: str, thread: str) -> Delivery | None:
        """The delivery whose root has this id; None if it is no digest's."""
        return self._first(_run.platform == platform, _run.channel == channel, _rooted(_part.remote_id == thread))

    def last(self, platform: str, channel: str) -> Delivery | None:
        """The latest delivery of a channel of which at least the root was posted."""
        return self._first(_run.platform == platform, _run.channel == channel, _rooted())

    def citing(self, platform: str, channel: str, url: str) -> Citation | None:
        """Where the latest digest of a channel that cites a pull request speaks of it; None: no digest does."""
        with self._engines.reading() as connection:
            return read_citing(connection, platform, channel, url)

    def of_state(self, *states: State) -> tuple[Delivery, ...]:
        """The deliveries of these states, newest period first."""
        with self._engines.reading() as connection:
            return read_deliveries(connection, _run.state.in_(states))

    def of_subscription(self, subscription: str, newest: int = 10) -> tuple[Delivery, ...]:
        """The deliveries of one subscription, newest period first."""
        with self._engines.reading() as connection:
            return read_deliveries(connection, _run.subscription == subscription, limit=newest)

    def counts(self) -> Mapping[str, int]:
        """How many deliveries are in each state."""
        with self._engines.reading() as connection:
            found = connection.execute(select(_run.state, func.count().label("number")).group_by(_run.state))
            return dict.fromkeys(STATES, 0) | {row.state: row.number for row in found}

    def _first(self, *conditions: Any) -> Delivery | None:  # noqa: ANN401 - SQLAlchemy's conditions
        with self._engines.reading() as connection:
            return next(iter(read_deliveries(connection, *conditions, limit=1)), None)

    def _settled(self, condition: Any) -> dict[str, tuple[Settled, ...]]:  # noqa: ANN401 - the same
        columns = (_run.subscription, _run.since, _run.until, _run.state, _run.finished_at)
        found: dict[str, list[Settled]] = {}
        with self._engines.reading() as connection:
            for subscription, since, until, state, finished_at in connection.execute(select(*columns).where(condition)):
                expired_at = finished_at if state == "expired" else None
                found.setdefault(subscription, []).append(Settled(since, until, expired_at))
        return {subscription: tuple(periods) for subscription, periods in found.items()}


def _rooted(*conditions: Any) -> Any:  # noqa: ANN401 - the same
    root = (_part.delivery_id == _run.id, _part.position == ROOT, _part.remote_id.is_not(None))
    return exists().where(*root, *conditions)
