"""Deliveries and their parts as rows, and what is asked of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, Text, cast, func, select

from bot.models import Period
from bot.store.schema import deliveries, delivery_parts

State = Literal["planned", "sending", "sent", "parked", "cancelled", "expired", "skipped"]
"""`parked` waits for a person (the note says what for), `cancelled` has lost its root or its subscription, `skipped`
is left out for a holiday."""

PartState = Literal["planned", "sending", "released", "sent"]
"""`sending`: it may or may not have been posted. `released`: the same, and a person has looked."""

STATES: tuple[State, ...] = get_args(State)
NOTICE = -1
"""The position of the word that a digest failed."""
ROOT = 0

_run = deliveries.c
_part = delivery_parts.c

COLUMNS = (
    *(_run.id, _run.platform, _run.channel, _run.subscription, _run.since, _run.until, _run.timezone),
    *(_run.repositories, _run.due_at, _run.planned_at, _run.state, _run.owner, _run.lease_until, _run.fence),
    *(_run.tries, _run.not_before, _run.finished_at, _run.note),
)
_PART = (
    *(_part.position, _part.key, _part.state, _part.attempted_at, _part.sent_at, _part.remote_id),
    *(_part.cites, _part.body),
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One subscription's digest of one period. `fence` counts the claims, `tries` those since something was achieved.

    `note` says in one English line why it is in its state, where that needs saying.
    """

    id: int
    platform: str
    channel: str
    subscription: str
    period: Period
    repositories: tuple[str, ...]
    due_at: datetime
    planned_at: datetime
    state: State
    owner: str | None
    lease_until: datetime | None
    fence: int
    tries: int
    not_before: datetime | None
    finished_at: datetime | None
    note: str | None


@dataclass(frozen=True, slots=True)
class StoredPart:
    """One message of a delivery; `attempted_at` is when it may have been posted first."""

    position: int
    key: str
    state: PartState
    attempted_at: datetime | None
    sent_at: datetime | None
    remote_id: str | None
    cites: tuple[str, ...]
    body: str


@dataclass(frozen=True, slots=True)
class Citation:
    """The root of a digest, and the message in its thread that speaks of a pull request."""

    thread: str
    beside: str


def to_delivery(row: Sequence[Any]) -> Delivery:
    """A row of COLUMNS; the period is in its own zone again."""
    number, platform, channel, subscription, since, until, timezone, repositories, *rest = row
    period = Period(_midnight(since, timezone), _midnight(until, timezone), timezone)
    return Delivery(number, platform, channel, subscription, period, tuple(repositories), *rest)


def _midnight(instant: datetime, timezone: str) -> datetime:
    # A midnight that the zone skips is read back as 01:00; its date is the same.
    day = instant.astimezone(ZoneInfo(timezone)).date()
    return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(timezone))


def read_deliveries(
    connection: Connection,
    *conditions: Any,  # noqa: ANN401 - SQLAlchemy's conditions
    limit: int | None = None,
) -> tuple[Delivery, ...]:
    """Those that meet the conditions, newest period first."""
    newest = (_run.until.desc(), _run.due_at.desc(), _run.id.desc())
    statement = select(*COLUMNS).where(*conditions).order_by(*newest).limit(limit)
    return tuple(to_delivery(row) for row in connection.execute(statement))


def read_parts(connection: Connection, delivery: int) -> tuple[StoredPart, ...]:
    """The parts of a delivery in order."""
    statement = select(*_PART).where(_part.delivery_id == delivery).order_by(_part.position)
    return tuple(_to_part(row) for row in connection.execute(statement))


def _to_part(row: Sequence[Any]) -> StoredPart:
    position, key, state, attempted_at, sent_at, remote_id, cites, body = row
    return StoredPart(position, key, state, attempted_at, sent_at, remote_id, tuple(cites), body)


def read_citing(connection: Connection, platform: str, channel: str, url: str) -> Citation | None:
    """The root and the last part that cites the address, of the latest digest that does."""
    root = delivery_parts.alias("root")
    # JSON of either dialect holds an address as it is written between quotes. SQLite's LIKE would pass over case.
    cites = cast(_part.cites, Text)
    cited = func.replace(cites, json.dumps(url, ensure_ascii=False), "") != cites
    statement = (
        select(root.c.remote_id, _part.remote_id)
        .join_from(delivery_parts, deliveries, _part.delivery_id == _run.id)
        .join(root, (root.c.delivery_id == _run.id) & (root.c.position == ROOT))
        .where(_run.platform == platform, _run.channel == channel, cited)
        .where(root.c.remote_id.is_not(None), _part.remote_id.is_not(None), _run.state != "cancelled")
        .order_by(_run.until.desc(), _run.due_at.desc(), _run.id.desc(), _part.position.desc())
        .limit(1)
    )
    row = connection.execute(statement).first()
    return None if row is None else Citation(*row)
