"""Which revision a database is at, and making a new one; opening never loads Alembic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, func, insert, inspect, select

from bot.store import schema
from bot.store.engines import Engines
from bot.store.errors import StoreError

_PG_LOCK = 7_305_861_482  # any number, the same in every process that makes or migrates a database


@dataclass(frozen=True)
class Migrations:
    """A folder of Alembic revisions and their names, oldest first; the last is what `schema.py` says."""

    folder: Path
    names: tuple[str, ...]

    @property
    def current(self) -> str:
        return self.names[-1]


PACKAGED = Migrations(Path(__file__).parent / "migrations", ("0001", "0002", "0003", "0004"))


def prepare(engines: Engines, migrations: Migrations) -> str | None:
    """Make a new database at the current revision; of an existing one return the revision (None: before the first).

    Raises StoreError when the database is newer than the code, or belongs to another program.
    """
    with engines.reading() as connection:
        _require_unicode(engines.place, connection)
        new = _is_new(engines, connection)
    if new:
        with engines.writing() as connection:
            lock(connection)
            if _is_new(engines, connection):  # another process may have been faster
                create(connection, migrations)
    if engines.path:
        _require_wal(engines)
    with engines.reading() as connection:
        return stored(engines.place, connection, migrations)


def require_current(engines: Engines, migrations: Migrations) -> None:
    """As `prepare`; raises StoreError for an older database too."""
    revision = prepare(engines, migrations)
    if revision != migrations.current:
        raise StoreError(
            f"{engines.place} was made by an older digest-bot (revision {revision or 'none'}, "
            f"needed {migrations.current}): run digest-bot db upgrade --config FILE",
            user_can_fix=True,
        )


def create(connection: Connection, migrations: Migrations = PACKAGED) -> None:
    """All tables at the current revision, in an empty database."""
    schema.metadata.create_all(connection)
    schema.alembic_version.create(connection)
    connection.execute(insert(schema.alembic_version).values(version_num=migrations.current))


def stored(place: str, connection: Connection, migrations: Migrations) -> str | None:
    """The database's revision, None before the first. Raises StoreError when this code does not know it."""
    found = _versions(connection)
    if not found:
        return None
    if len(found) > 1 or found[0] not in migrations.names:
        raise StoreError(
            f"{place} is newer than this digest-bot (revision {', '.join(found)}, known up to {migrations.current}): "
            "upgrade digest-bot, or restore a backup made before the database was upgraded",
            user_can_fix=True,
        )
    return str(found[0])


def _versions(connection: Connection) -> Sequence[str]:
    return connection.scalars(select(schema.alembic_version.c.version_num)).all()


def lock(connection: Connection) -> None:
    """Let one process at a time make or migrate the database; on SQLite the transaction itself does that."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_PG_LOCK)))


def _is_new(engines: Engines, connection: Connection) -> bool:
    tables = set(inspect(connection).get_table_names())
    ours = tables & set(schema.metadata.tables)
    if schema.alembic_version.name in tables and (ours or not _versions(connection)):
        return False
    # A server's database may be shared; a file is one program's own. Others use Alembic too.
    foreign = tables if engines.path else ours or tables & {schema.alembic_version.name}
    if foreign:
        raise StoreError(
            f"{engines.place} holds tables of something else ({min(foreign)}): name another database in database.url",
            user_can_fix=True,
        )
    return True


def _require_unicode(place: str, connection: Connection) -> None:
    if connection.dialect.name != "postgresql":
        return
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise StoreError(
            f"{place} is in the encoding {encoding}: name a database made with createdb --encoding=UTF8 "
            "--template=template0 in database.url",
            user_can_fix=True,
        )


def _require_wal(engines: Engines) -> None:
    # A restored file may be in another mode; the first connection that writes changes it.
    for connecting in (engines.reading, engines.writing):
        with connecting() as connection:
            if connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal":
                return
    raise StoreError(
        f"SQLite cannot keep its write-ahead log beside {engines.path}: "
        "put the database on a local disk, not on a network file system",
        user_can_fix=True,
    )
