"""Who gets which digest, when: what the configuration lists and what admins changed in chat."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import Any, Literal

from sqlalchemy import Connection, Row, delete, select, update

from bot.calendars import OnHoliday
from bot.store.engines import Engines
from bot.store.schema import subscriptions
from bot.store.writing import dialect_insert, lock_table

Listen = Literal["thread", "mention"]

_table = subscriptions.c
_FACTS = (
    *("name", "repositories", "day", "time", "timezone", "exclude_authors", "exclude_paths", "listen"),
    *("country", "on_holiday"),
)
_NOT_IN_CHAT = ("name", "listen", "country", "on_holiday")
"""Facts that the configuration alone tells: they follow it whatever else was changed in chat."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A channel, its repositories and its time: weekly on `day` (0 is Monday) at `time` in the zone `timezone`.

    `id` is `subscription_id` of what it is about, so it outlasts a change of day, time, zone or name. Nothing that was
    due before `added_at` is owed. `country` (ISO 3166: `CN`, `DE-BY`) is whose holidays count, None: nobody's;
    `on_holiday` is what becomes of a digest that would come on one. `from_file`: the configuration lists it;
    `changed_by` is who changed it in chat (`platform:user`), None where nobody did.
    """

    id: str
    platform: str
    channel: str
    repositories: tuple[str, ...]
    day: int
    time: time
    timezone: str
    added_at: datetime
    name: str | None = None
    exclude_authors: tuple[str, ...] = ()
    exclude_paths: tuple[str, ...] = ()
    listen: Listen = "thread"
    country: str | None = None
    on_holiday: OnHoliday = "post"
    from_file: bool = True
    changed_by: str | None = None


def subscription_id(
    platform: str,
    channel: str,
    repositories: Iterable[str],
    *,
    exclude_authors: Iterable[str] = (),
    exclude_paths: Iterable[str] = (),
    ordinal: int = 0,
) -> str:
    """40 hexadecimal digits that name a subscription, whatever the order of the names.

    `ordinal` tells apart several of one channel that are about the same.
    """
    about = [sorted(repositories), sorted(exclude_authors), sorted(exclude_paths)]
    text = json.dumps([platform, channel, *about, ordinal], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:40]


class StoredSubscriptions:
    """The subscriptions in the store. Usable from several threads and processes; every method raises StoreError."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    def all(self) -> tuple[Subscription, ...]:
        """Every subscription in force, by platform, channel and age."""
        with self._engines.reading() as connection:
            return _in_force(connection)

    def of(self, platform: str, channel: str) -> tuple[Subscription, ...]:
        """Those of one channel, oldest first."""
        with self._engines.reading() as connection:
            return _in_force(connection, _table.platform == platform, _table.channel == channel)

    def seed(self, listed: Iterable[Subscription], now: datetime) -> None:
        """Make the store agree with what the configuration lists.

        New ones are added as of `now`, changed ones follow the list, but keep day, time and zone where somebody
        changed them in chat; those that the list no longer holds are forgotten, and those removed in chat stay removed
        while the list holds them.
        """
        wanted = {one.id: one for one in listed}
        with self._engines.writing() as connection:
            lock_table(connection, subscriptions)
            known = {row.id: row for row in connection.execute(select(subscriptions))}
            for one in wanted.values():
                _follow(connection, one, known.get(one.id), now)
            gone = [row.id for row in known.values() if row.from_file and row.id not in wanted]
            connection.execute(delete(subscriptions).where(_table.id.in_(gone)))

    def add(self, one: Subscription, by: str, now: datetime) -> Subscription:
        """Add what `by` (`platform:user`) asked for in chat, in place of one of the same id; returns it as kept.

        One that is in force keeps its age and its origin.
        """
        with self._engines.writing() as connection:
            lock_table(connection, subscriptions)
            before = connection.execute(select(subscriptions).where(_table.id == one.id)).one_or_none()
            if before is None or before.removed_at is not None:
                kept = replace(one, added_at=now, from_file=False, changed_by=by)
            else:
                kept = replace(one, added_at=before.added_at, from_file=before.from_file, changed_by=by)
            _save(connection, kept)
        return kept

    def remove(self, subscription: str, by: str, now: datetime) -> bool:
        """End one, as `by` asked in chat, so that the configuration does not bring it back; False: there was none."""
        known = (_table.id == subscription, _table.removed_at.is_(None))
        listed = update(subscriptions).where(*known, _table.from_file).values(removed_at=now, changed_by=by)
        unlisted = delete(subscriptions).where(*known, ~_table.from_file)
        with self._engines.writing() as connection:
            return any(connection.execute(statement).rowcount > 0 for statement in (listed, unlisted))


def _in_force(connection: Connection, *conditions: Any) -> tuple[Subscription, ...]:  # noqa: ANN401 - SQLAlchemy's conditions
    rows = connection.execute(select(subscriptions).where(_table.removed_at.is_(None), *conditions))
    # Not sorted by the database: PostgreSQL sorts text as its language has it.
    return tuple(sorted(map(_from_row, rows), key=lambda one: (one.platform, one.channel, one.added_at, one.id)))


def _follow(connection: Connection, listed: Subscription, known: Row[Any] | None, now: datetime) -> None:
    if known is None:
        _save(connection, replace(listed, added_at=now, from_file=True, changed_by=None))
    elif known.changed_by is None:
        _save(connection, replace(listed, added_at=known.added_at, from_file=True, changed_by=None))
    else:
        facts = {name: getattr(listed, name) for name in _NOT_IN_CHAT}
        connection.execute(update(subscriptions).where(_table.id == listed.id).values(from_file=True, **facts))


def _save(connection: Connection, one: Subscription) -> None:
    row = {
        "id": one.id,
        "platform": one.platform,
        "channel": one.channel,
        **{name: getattr(one, name) for name in _FACTS},
        "time": f"{one.time:%H:%M}",
        "from_file": one.from_file,
        "added_at": one.added_at,
        "changed_by": one.changed_by,
        "removed_at": None,
    }
    statement = dialect_insert(subscriptions, connection.dialect.name).values(row)
    changes = {name: statement.excluded[name] for name in row if name != "id"}
    connection.execute(statement.on_conflict_do_update(index_elements=["id"], set_=changes))


def _from_row(row: Row[Any]) -> Subscription:
    return Subscription(
        id=row.id,
        platform=row.platform,
        channel=row.channel,
        repositories=tuple(row.repositories),
        day=row.day,
        time=time.fromisoformat(row.time),
        timezone=row.timezone,
        added_at=row.added_at,
        name=row.name,
        exclude_authors=tuple(row.exclude_authors),
        exclude_paths=tuple(row.exclude_paths),
        listen=row.listen,
        country=row.country,
        on_holiday=row.on_holiday,
        from_file=row.from_file,
        changed_by=row.changed_by,
    )
