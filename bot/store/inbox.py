"""What the platforms brought, kept until it is handled; what came before is known by its keys."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, delete, insert, or_, select, update

from bot.store.engines import Engines
from bot.store.grouped import GroupedWrites
from bot.store.schema import event_keys, events
from bot.store.writing import dialect_insert

MOST_TRIES = 3
_KEPT = timedelta(days=3)
"""Longer than any platform delivers again (Slack: an hour at most, Lark: about seven hours)."""

_AT_ONCE = 100
_event = events.c
# Made once: SQLAlchemy then compiles them once, and the way to the acknowledgement is short.
_ADD = insert(events).returning(_event.id)
_HELD = (_event.id == bindparam("event")) & (_event.owner == bindparam("by")) & (_event.state == "taken")
_FINISH = update(events).where(_HELD).values(state="done", payload="", owner=None, lease_until=None)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing to handle: `payload` is the platform's own JSON, `tries` counts this one too."""

    id: int
    platform: str
    payload: str
    tries: int


@dataclass(frozen=True, slots=True)
class Holder:
    """Who handles an event: `owner` is unique to a process; it loses the event unless it renews within `lease`."""

    owner: str
    lease: timedelta = timedelta(seconds=30)


class StoredInbox:
    """Events in the store, each handled by one process. Usable from several threads and processes.

    Every method raises StoreError, and waits no longer than `patience` seconds for its turn and as long for the
    database: whoever brought an event that could not be kept must not acknowledge it.
    """

    def __init__(self, engines: Engines, patience: float = 1.0) -> None:
        self._engines = engines
        self._writes = GroupedWrites(engines, patience)
        self._notes = GroupedWrites(engines, patience, synced=False)  # undone, they cost a second look at an event

    def take(self, platform: str, keys: Iterable[str], payload: str, *, holder: Holder, now: datetime) -> Event | None:
        """Keep an event under all its keys, held by `holder`; None: one of them is known, so it came before.

        Raises ValueError for an event without a key.
        """
        wanted = sorted(set(keys))  # in one order, so that two processes do not wait for each other's rows
        if not wanted:
            raise ValueError("an event needs a key to be known by")
        rows = [{"platform": platform, "key": key, "seen_at": now} for key in wanted]
        event = {"platform": platform, "received_at": now, "state": "taken", "tries": 1, "payload": payload}
        event |= {"owner": holder.owner, "lease_until": now + holder.lease}

        def kept(connection: Connection) -> Event | None:
            if not _are_new(connection, rows):
                return None
            return Event(connection.execute(_ADD, event).scalar_one(), platform, payload, 1)

        return self._writes.run(kept)

    def finish(self, event: Event, holder: Holder) -> None:
        """It was handled: the payload is forgotten. Nothing happens where another process took it over."""
        held = {"event": event.id, "by": holder.owner}
        self._notes.run(lambda connection: connection.execute(_FINISH, held).close())

    def put_back(self, found: Iterable[Event], holder: Holder, now: datetime, *, tried: bool) -> None:
        """Let go of events that were not handled: they are due again at `now`, which may lie ahead.

        `tried` False takes back the try that taking it counted.
        """
        tries = _event.tries if tried else _event.tries - 1
        self._set(_held([one.id for one in found], holder), owner=None, lease_until=now, tries=tries)

    def renew(self, found: Collection[Event], holder: Holder, now: datetime) -> None:
        """Hold on to events that take longer than a lease."""
        if found:
            self._set(_held([one.id for one in found], holder), lease_until=now + holder.lease)

    def take_over(self, platform: str, held: Collection[Event], *, holder: Holder, now: datetime) -> tuple[Event, ...]:
        """Events of a platform that nobody holds any more, oldest first; `held` are those that the caller is at.

        Those that were tried too often are given up: state "failed", logged, the payload forgotten.
        """
        free = [_event.platform == platform, _event.state == "taken", _event.lease_until <= now]
        free.append(_event.id.not_in([one.id for one in held]))
        with self._engines.reading() as connection:  # mostly there are none, and nobody has to wait
            if connection.scalar(select(_event.id).where(*free).limit(1)) is None:
                return ()
        return self._writes.run(partial(_take_over, free, holder, now))

    def prune(self, now: datetime) -> None:
        """Forget the keys, and the events that are through, of more than three days ago."""
        before = now - _KEPT
        old_keys = delete(event_keys).where(event_keys.c.seen_at < before)
        old = delete(events).where(_event.received_at < before, or_(_event.state == "done", _event.state == "failed"))
        self._writes.run(lambda connection: (connection.execute(old_keys), connection.execute(old)))

    def _set(self, which: ColumnElement[bool], **values: Any) -> None:  # noqa: ANN401 - columns of the table
        self._notes.run(lambda connection: connection.execute(update(events).where(which).values(values)).close())


def _held(ids: Iterable[int], holder: Holder) -> ColumnElement[bool]:
    return _event.id.in_(list(ids)) & (_event.owner == holder.owner) & (_event.state == "taken")


def _are_new(connection: Connection, keys: list[dict[str, Any]]) -> bool:
    """Remember the keys; False when one of them was known."""
    return len(connection.execute(_remember(connection.dialect.name), keys).all()) == len(keys)


@cache
def _remember(dialect: str) -> Any:  # noqa: ANN401 - see dialect_insert
    return dialect_insert(event_keys, dialect).on_conflict_do_nothing().returning(event_keys.c.key)


def _take_over(
    free: Collection[ColumnElement[bool]], holder: Holder, now: datetime, connection: Connection
) -> tuple[Event, ...]:
    spent = update(events).where(*free, _event.tries >= MOST_TRIES).values(state="failed", payload="", owner=None)
    for event_id, platform in connection.execute(spent.returning(_event.id, _event.platform)):
        _log.error(
            "event %s of %s was given up after %s tries; what failed is logged above", event_id, platform, MOST_TRIES
        )
    chosen = select(_event.id).where(*free).order_by(_event.id).limit(_AT_ONCE).with_for_update(skip_locked=True)
    taken = update(events).where(_event.id.in_(chosen))
    taken = taken.values(owner=holder.owner, lease_until=now + holder.lease, tries=_event.tries + 1)
    rows = connection.execute(taken.returning(_event.id, _event.platform, _event.payload, _event.tries))
    return tuple(sorted((Event(*row) for row in rows), key=lambda one: one.id))
