"""The delivery ledger: what is due, who works on it, what was posted. Every write is one short transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    Connection,
    Delete,
    Select,
    Update,
    and_,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from bot.models import Period
from bot.store.deliveries import COLUMNS, NOTICE, ROOT, Delivery, State, to_delivery
from bot.store.ledger_reading import LedgerReading
from bot.store.schema import deliveries, delivery_parts
from bot.store.writing import dialect_insert

_run = deliveries.c
_part = delivery_parts.c
_OPEN: tuple[State, ...] = ("planned", "sending")
_ENDED: tuple[State, ...] = ("sent", "cancelled", "expired", "skipped")
_FREE = {"owner": None, "lease_until": None}


@dataclass(frozen=True, slots=True)
class Plan:
    """A digest to be posted (`planned`), or one that was missed (`expired`) or left out for a holiday (`skipped`)."""

    platform: str
    channel: str
    subscription: str
    period: Period
    repositories: tuple[str, ...]
    due_at: datetime
    state: State = "planned"
    note: str | None = None


@dataclass(frozen=True, slots=True)
class NewPart:
    """One message of a delivery. `position` 0 is the root; `NOTICE` is the word that the digest failed."""

    position: int
    key: str
    body: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """Which message stands for a part (None: none may), and whether the claim still held when it was recorded."""

    remote_id: str | None
    held: bool


class LeaseLost(Exception):  # noqa: N818 - says what is the case
    """Somebody else has taken the delivery over: leave it alone."""


class Ledger(LedgerReading):
    """The ledger in the store. Usable from several threads and processes; every method raises StoreError."""

    def plan(self, plans: Iterable[Plan], now: datetime) -> None:
        """Enter what is not entered yet; what was given up at an instant after `now` is planned anew."""
        # In one order, so that two processes do not wait for each other's rows.
        rows = [_row(plan, now) for plan in sorted(plans, key=_identity)]
        if not rows:
            return
        with self._engines.writing() as connection:
            connection.execute(plan_statement(connection.dialect.name), rows)

    def claimable(self, now: datetime) -> bool:
        """Whether anything waits to be worked on."""
        with self._engines.reading() as connection:
            return connection.scalar(select(exists().where(_waiting(now)))) or False

    def claim(self, owner: str, now: datetime, lease: timedelta, building: timedelta) -> Delivery | None:
        """Take the delivery that has waited longest, for `lease`, or for `building` while it has no parts; None: none.

        What another process takes at the same time is passed over.
        """
        with self._engines.writing() as connection:
            found = connection.scalar(waiting_statement(now))
            if found is None:
                return None
            frozen = connection.scalar(select(exists().where(_part.delivery_id == found, _part.position >= ROOT)))
            taken = (
                update(deliveries)
                .where(_run.id == found)
                .values(
                    state="sending",
                    owner=owner,
                    lease_until=now + (lease if frozen else building),
                    fence=_run.fence + 1,
                    tries=_run.tries + 1,
                    not_before=None,
                )
                .returning(*COLUMNS)
            )
            return to_delivery(connection.execute(taken).one())

    def freeze(self, claim: Delivery, parts: Sequence[NewPart], now: datetime, lease: timedelta) -> None:
        """Keep what is to be posted, before anything is. Raises LeaseLost."""
        rows = [
            {
                "delivery_id": claim.id,
                "position": part.position,
                "key": part.key,
                "state": "planned",
                "cites": list(part.cites),
                "body": part.body,
            }
            for part in parts
        ]
        with self._engines.writing() as connection:
            _hold(connection, claim, lease_until=now + lease, tries=0)
            connection.execute(insert(delivery_parts), rows)

    def begin(self, claim: Delivery, position: int, now: datetime, lease: timedelta) -> None:
        """Remember that a part is about to be posted, and since when it may have been. Raises LeaseLost."""
        first = func.coalesce(_part.attempted_at, literal(now, _part.attempted_at.type))
        with self._engines.writing() as connection:
            _hold(connection, claim, lease_until=now + lease)
            connection.execute(_at(claim.id, position).values(state="sending", attempted_at=first))

    def not_posted(self, claim: Delivery, position: int) -> None:
        """Remember that a part is known not to have been posted. Raises LeaseLost."""
        with self._engines.writing() as connection:
            _hold(connection, claim)
            connection.execute(_at(claim.id, position).where(_part.remote_id.is_(None)).values(state="planned"))

    def record(self, claim: Delivery, position: int, remote: str, now: datetime, lease: timedelta) -> Recorded:
        """Remember under which id a part was posted.

        The first id that is recorded for a part stands, whoever holds the claim, so that two that posted the same
        part agree on which copy to withdraw. None stands in a delivery that has ended in the meantime.
        """
        with self._engines.writing() as connection:
            state = connection.scalar(select(_run.state).where(_run.id == claim.id).with_for_update())
            known = connection.scalar(
                select(_part.remote_id).where(_part.delivery_id == claim.id, _part.position == position)
            )
            if known is None and state in _ENDED:
                return Recorded(None, held=False)
            if known is None:
                connection.execute(_at(claim.id, position).values(state="sent", sent_at=now, remote_id=remote))
            held = connection.execute(_held(claim).values(lease_until=now + lease, tries=0)).rowcount == 1
            return Recorded(known or remote, held)

    def postpone(self, claim: Delivery, until: datetime, note: str, *, counted: bool) -> None:
        """Give the delivery back until an instant; `counted`: as a try that failed. Raises LeaseLost."""
        begun = exists().where(_part.delivery_id == claim.id, _part.state != "planned")
        state = case((begun, "sending"), else_="planned")
        tries = _run.tries if counted else _run.tries - 1
        with self._engines.writing() as connection:
            _hold(connection, claim, state=state, not_before=until, note=note, tries=tries, **_FREE)

    def give_back(self, claim: Delivery) -> None:
        """Give the delivery back at once, as at the end of the process; one that was lost is left alone."""
        with self._engines.writing() as connection:
            connection.execute(_held(claim).values(tries=_run.tries - 1, **_FREE))

    def finish(self, claim: Delivery, state: State, now: datetime, note: str | None = None) -> None:
        """End the work on a delivery; of one that needs nobody any more the bodies are dropped. Raises LeaseLost."""
        ended = state in _ENDED
        with self._engines.writing() as connection:
            _hold(connection, claim, state=state, finished_at=now if ended else None, note=note, **_FREE)
            if ended:
                connection.execute(update(delivery_parts).where(_part.delivery_id == claim.id).values(body=""))

    def release(self, delivery: int, now: datetime) -> bool:
        """Plan a parked delivery anew, as a person asked; False when it is not parked.

        A part of which it is not known whether it was posted is looked for once more, and posted where that is not
        possible: the person has looked. A digest of which nothing was posted is built anew.
        """
        anew = {"state": "planned", "planned_at": now, "not_before": None, "tries": 0, "note": None}
        with self._engines.writing() as connection:
            parked = update(deliveries).where(_run.id == delivery, _run.state == "parked")
            if connection.execute(parked.values(**anew)).rowcount == 0:
                return False
            unknown = update(delivery_parts).where(_part.delivery_id == delivery, _part.state == "sending")
            connection.execute(unknown.values(state="released"))
            for statement in _unposted(delivery):
                connection.execute(statement)
            return True


def plan_statement(dialect: str) -> Any:  # noqa: ANN401 - see dialect_insert
    """Insert a delivery unless its period is there; one that was given up after the new one's time gives way to it."""
    statement = dialect_insert(deliveries, dialect)
    new = statement.excluded
    return statement.on_conflict_do_update(
        index_elements=["platform", "channel", "subscription", "since", "until"],
        set_={name: new[name] for name in ("state", "due_at", "planned_at", "finished_at", "note")},
        where=and_(_run.state == "expired", new.state != "expired", _run.finished_at > new.planned_at),
    )


def waiting_statement(now: datetime) -> Select[tuple[int]]:
    """The delivery that has waited longest, locked; PostgreSQL passes over what others have locked."""
    oldest = select(_run.id).where(_waiting(now)).order_by(_run.due_at, _run.id).limit(1)
    return oldest.with_for_update(skip_locked=True)


def _waiting(now: datetime) -> Any:  # noqa: ANN401 - SQLAlchemy's conditions
    return and_(
        _run.state.in_(_OPEN),
        or_(_run.not_before.is_(None), _run.not_before <= now),
        or_(_run.lease_until.is_(None), _run.lease_until <= now),
    )


def _identity(plan: Plan) -> tuple[str, str, str, datetime, datetime]:
    return plan.platform, plan.channel, plan.subscription, plan.period.since, plan.period.until


def _row(plan: Plan, now: datetime) -> dict[str, Any]:
    return {
        "platform": plan.platform,
        "channel": plan.channel,
        "subscription": plan.subscription,
        "since": plan.period.since,
        "until": plan.period.until,
        "timezone": plan.period.timezone,
        "repositories": list(plan.repositories),
        "due_at": plan.due_at,
        "planned_at": now,
        "state": plan.state,
        "fence": 0,
        "tries": 0,
        "finished_at": now if plan.state in _ENDED else None,
        "note": plan.note,
    }


def _held(claim: Delivery) -> Update:
    return update(deliveries).where(_run.id == claim.id, _run.fence == claim.fence, _run.owner == claim.owner)


def _hold(connection: Connection, claim: Delivery, **changes: Any) -> None:  # noqa: ANN401 - column values
    """Change the delivery where the claim holds; without changes only make sure that it does."""
    held = _held(claim).values(**(changes or {"fence": claim.fence}))
    if connection.execute(held).rowcount == 0:
        raise LeaseLost(f"delivery {claim.id} was taken over by another process")


def _unposted(delivery: int) -> tuple[Delete, Delete]:
    """Forget the digest of a delivery when no part of it may have been posted, and the notice when it was not."""
    other = delivery_parts.alias()
    begun = exists().where(other.c.delivery_id == delivery, other.c.position >= ROOT, other.c.state != "planned")
    known = delete(delivery_parts).where(_part.delivery_id == delivery)
    return (
        known.where(_part.position >= ROOT, ~begun),
        known.where(_part.position == NOTICE, _part.state == "planned"),
    )


def _at(delivery: int, position: int) -> Update:
    return update(delivery_parts).where(_part.delivery_id == delivery, _part.position == position)
