"""Migrations of an older database: copy it, then bring it to the current revision, all of it or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from bot.store.copies import copy
from bot.store.engines import Engines, connect
from bot.store.errors import StoreError
from bot.store.revisions import Migrations, lock, prepare, stored


class Upgrade(NamedTuple):
    """What an upgrade did: the revisions before (None: before the first) and after, and the copy made in between.

    `backup` is None when there was nothing to do, and on PostgreSQL, which is backed up with pg_dump.
    """

    before: str | None
    after: str
    backup: Path | None

    def __str__(self) -> str:
        if self.before == self.after:
            return f"the database is at revision {self.after}, there is nothing to upgrade"
        kept = f"; as it was before: {self.backup}" if self.backup else ""
        return f"the database was upgraded from revision {self.before or 'none'} to {self.after}{kept}"


def upgrade(url: str, migrations: Migrations) -> Upgrade:
    """See `Store.upgrade`."""
    engines = connect(url, migrating=True)
    try:
        before = prepare(engines, migrations)
        if before == migrations.current:
            return Upgrade(before, before, None)
        return _upgraded(engines, migrations)
    finally:
        engines.close()


def _upgraded(engines: Engines, migrations: Migrations) -> Upgrade:
    with engines.writing() as connection:
        lock(connection)
        before = stored(engines.place, connection, migrations)
        if before == migrations.current:  # another process was faster
            return Upgrade(before, before, None)
        backup = _backup(engines, before)
        command.upgrade(_config(connection, migrations), migrations.current)
        _require_references(engines.place, connection)
    return Upgrade(before, migrations.current, backup)


def _backup(engines: Engines, before: str | None) -> Path | None:
    """A copy beside the file, under a name that is free; nobody can write meanwhile, the caller holds the lock."""
    if engines.path is None:
        return None
    stem = f"{engines.path.name}.revision-{before or 'none'}"
    names = (f"{stem}{suffix}.backup" for suffix in ("", *(f"-{n}" for n in range(2, 1000))))
    free = next(path for name in names if not (path := engines.path.with_name(name)).exists())
    copy(engines, free)
    return free


def _config(connection: Connection, migrations: Migrations) -> Config:
    config = Config()
    # ConfigParser would read a % of the path as a reference.
    config.set_main_option("script_location", str(migrations.folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _require_references(place: str, connection: Connection) -> None:
    if connection.dialect.name != "sqlite":
        return
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if broken is not None:
        raise StoreError(
            f"{place} was left as it was: rows of {broken[0]} refer to rows that {broken[2]} lacks; restore a backup",
            user_can_fix=False,
        )
