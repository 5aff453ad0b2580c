"""New, current, older and newer databases, and their copies."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from bot.models import DiffFact, DirectCommit, Release
from bot.store import schema
from bot.store.errors import StoreError
from bot.store.revisions import PACKAGED, Migrations
from bot.store.store import Store
from tests.factories import PERIOD, WEDNESDAY, make_assessment, make_pr
from tests.stores import FILE, POSTGRESQL, addressed, query

ENGINE = "acme/engine"
SINCE, UNTIL = PERIOD.since, PERIOD.until

NEXT = "9001"  # the revision of a later version
NEXT_REVISION = f"""
import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{PACKAGED.current}"


def upgrade():
    with op.batch_alter_table("pull_requests", recreate="{{recreate}}") as table:
        table.add_column(sa.Column("glanced", sa.Boolean, nullable=False, server_default=sa.false()))
    {{then}}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bot.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture(params=[FILE, POSTGRESQL])
def new(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where there is no store yet, on either engine."""
    with addressed(request.param, tmp_path, made=False) as found:
        yield found


def later(tmp_path: Path, then: str = "pass", *, address: str = "sqlite") -> Migrations:
    """The migrations of a later version: the packaged ones and one that changes the table all others refer to.

    On SQLite it is built anew.
    """
    recreate = "always" if address.startswith("sqlite") else "never"
    folder = tmp_path / "later 100%"
    shutil.copytree(PACKAGED.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    revision = NEXT_REVISION.format(then=then, recreate=recreate)
    (folder / "versions" / f"revision_{NEXT}.py").write_text(revision, encoding="utf-8")
    return Migrations(folder, (*PACKAGED.names, NEXT))


def fill(store: Store) -> None:
    store.save_history(ENGINE, [make_pr(1), make_pr(2, base="other"), DirectCommit("c", "s", "a", WEDNESDAY)])
    store.save_assessments(ENGINE, [make_assessment(1)])
    store.save_releases(ENGINE, [Release("v1", WEDNESDAY, None)])
    store.save_diff_facts(ENGINE, SINCE, UNTIL, [DiffFact(1, "flag", "a.py", "--x", new="y")])
    store.mark_covered(ENGINE, SINCE, UNTIL, source="clone", synced_at=UNTIL)


def test_a_new_database_is_made_at_the_current_revision(new: str) -> None:
    with Store.open(new) as store:
        assert store.revision == PACKAGED.current
    assert query(new, "SELECT version_num FROM alembic_version") == [(PACKAGED.current,)]


def test_a_new_file_has_a_write_ahead_log(url: str) -> None:
    Store.open(url).close()
    assert query(url, "PRAGMA journal_mode") == [("wal",)]


def test_the_revisions_are_those_of_the_folder() -> None:
    config = Config()
    config.set_main_option("script_location", str(PACKAGED.folder))
    config.set_main_option("path_separator", "os")
    script = ScriptDirectory.from_config(config)
    assert tuple(reversed([one.revision for one in script.walk_revisions()])) == PACKAGED.names


def before_the_first(address: str) -> None:
    """What is left of an upgrade that stopped before its first revision."""
    query(address, "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")


def made(address: str) -> dict[str, list[tuple[object, ...]]]:
    """Every table with its columns, keys and indexes, as the engine tells them."""
    if not address.startswith("sqlite"):
        return {about: query(address, f"SELECT {what} ORDER BY 1, 2") for about, what in CATALOG.items()}
    tables = [str(name) for (name,) in query(address, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
    told = ("table_xinfo", "foreign_key_list", "index_list")
    return {
        f"{about} {name}": sorted((row[1:] for row in query(address, f"PRAGMA {about}({name})")), key=str)
        for name in tables
        if name != "alembic_version"
        for about in told
    }


CATALOG = {
    "columns": "table_name, column_name, data_type, character_maximum_length, is_nullable, column_default"
    " FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'alembic_version'",
    "constraints": "conname, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE connamespace = 'public'::regnamespace AND conrelid <> 'alembic_version'::regclass",
    "indexes": "indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'alembic_version'",
}


def test_migrations_and_tables_agree(new: str, tmp_path: Path) -> None:
    """A database that was upgraded from nothing is the one that is made at once."""
    before_the_first(new)
    Store.upgrade(new)
    (other := tmp_path / "other").mkdir()
    with addressed(FILE if new.startswith("sqlite") else POSTGRESQL, other, made=False) as at_once:
        Store.open(at_once).close()
        upgraded, expected = made(new), made(at_once)
    assert sum(len(rows) for rows in expected.values()) > 100
    assert upgraded == expected
    engine = create_engine(new)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
    engine.dispose()


def test_a_newer_database_is_left_alone(new: str, tmp_path: Path) -> None:
    with Store.open(new) as store:
        fill(store)
    query(new, "UPDATE alembic_version SET version_num = '9999'")
    before = [file.read_bytes() for file in tmp_path.glob("bot.db")]
    for attempt in (Store.open, Store.upgrade):
        with pytest.raises(StoreError, match=r"is newer than this digest-bot .*: upgrade digest-bot, or restore") as it:
            attempt(new)
        assert it.value.user_can_fix
        assert "\n" not in str(it.value)
    assert [file.read_bytes() for file in tmp_path.glob("bot.db")] == before
    query(new, f"UPDATE alembic_version SET version_num = '{PACKAGED.current}'")  # noqa: S608 - its own
    with Store.open(new) as store:
        assert store.load_week(ENGINE, PERIOD).pull_requests == (make_pr(1),)


def test_an_older_database_asks_to_be_upgraded(new: str, tmp_path: Path) -> None:
    Store.open(new).close()
    with pytest.raises(StoreError, match=r"older digest-bot .*: run digest-bot db upgrade --config FILE") as caught:
        Store.open(new, migrations=later(tmp_path))
    assert caught.value.user_can_fix


def test_an_upgrade_keeps_everything(new: str, tmp_path: Path) -> None:
    with Store.open(new) as store:
        fill(store)
        before = store.load_week(ENGINE, PERIOD)
    migrations = later(tmp_path, address=new)
    upgraded = Store.upgrade(new, migrations=migrations)
    assert (upgraded.before, upgraded.after) == (PACKAGED.current, NEXT)
    with Store.open(new, migrations=migrations) as store:
        assert store.revision == NEXT
        assert store.load_week(ENGINE, PERIOD) == before
    assert query(new, "SELECT number, glanced FROM pull_requests ORDER BY number") == [(1, False), (2, False)]
    again = Store.upgrade(new, migrations=migrations)
    assert again == (NEXT, NEXT, None)
    assert str(again) == f"the database is at revision {NEXT}, there is nothing to upgrade"


def test_an_upgrade_of_a_file_keeps_a_copy(url: str, tmp_path: Path) -> None:
    with Store.open(url) as store:
        fill(store)
        before = store.load_week(ENGINE, PERIOD)
    upgraded = Store.upgrade(url, migrations=later(tmp_path))
    assert upgraded.backup == tmp_path / f"bot.db.revision-{PACKAGED.current}.backup"
    with Store.open(f"sqlite:///{upgraded.backup}") as store:
        assert store.load_week(ENGINE, PERIOD) == before
    steps = f"from revision {PACKAGED.current} to {NEXT}"
    assert str(upgraded) == f"the database was upgraded {steps}; as it was before: {upgraded.backup}"


def test_many_may_upgrade_the_same_database(new: str, tmp_path: Path) -> None:
    Store.open(new).close()
    migrations = later(tmp_path, address=new)
    with ThreadPoolExecutor(4) as pool:
        upgrades = list(pool.map(lambda _: Store.upgrade(new, migrations=migrations), range(4)))
    assert {one.after for one in upgrades} == {NEXT}
    assert sum(one.before != NEXT for one in upgrades) == 1


def test_a_second_copy_does_not_replace_the_first(url: str, tmp_path: Path) -> None:
    Store.open(url).close()
    first = tmp_path / f"bot.db.revision-{PACKAGED.current}.backup"
    first.write_text("precious", encoding="utf-8")
    second = tmp_path / f"bot.db.revision-{PACKAGED.current}-2.backup"
    assert Store.upgrade(url, migrations=later(tmp_path)).backup == second
    assert first.read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize(
    ("then", "error", "message"),
    [
        ("raise RuntimeError('half way')", RuntimeError, "half way"),
        ("op.execute('DELETE FROM repositories')", StoreError, "rows of .* refer to rows that repositories lacks"),
    ],
)
def test_a_failing_upgrade_changes_nothing(
    url: str, tmp_path: Path, then: str, error: type[Exception], message: str
) -> None:
    fails(url, later(tmp_path, then), error, message)
    assert "glanced" not in str(query(url, "SELECT sql FROM sqlite_master"))


def test_a_failing_upgrade_of_postgresql_changes_nothing(tmp_path: Path) -> None:
    with addressed(POSTGRESQL, tmp_path, made=False) as address:
        migrations = later(tmp_path, "raise RuntimeError('half way')", address=address)
        fails(address, migrations, RuntimeError, "half way")
        assert "glanced" not in str(made(address)["columns"])


def fails(address: str, migrations: Migrations, error: type[Exception], message: str) -> None:
    with Store.open(address) as store:
        fill(store)
        before = store.load_week(ENGINE, PERIOD)
    with pytest.raises(error, match=message):
        Store.upgrade(address, migrations=migrations)
    with Store.open(address) as store:
        assert store.load_week(ENGINE, PERIOD) == before


def test_upgrading_nothing_makes_a_new_database(new: str) -> None:
    assert Store.upgrade(new) == (PACKAGED.current, PACKAGED.current, None)
    Store.open(new).close()


def test_a_backup_holds_what_the_log_holds(path: Path, url: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with Store.open(url) as store:
        fill(store)
        assert (tmp_path / "bot.db-wal").stat().st_size > 0
        with closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("DELETE FROM assessments")
            store.backup(copy)
            writer.execute("ROLLBACK")
        expected = store.load_week(ENGINE, PERIOD)
    with Store.open(f"sqlite:///{copy}") as restored:
        assert restored.load_week(ENGINE, PERIOD) == expected
    assert {one.name for one in tmp_path.iterdir()} == {"bot.db", "copy.db"}


def test_a_store_in_memory_can_be_kept(tmp_path: Path) -> None:
    with Store.in_memory() as store:
        fill(store)
        store.backup(tmp_path / "copy.db")
        expected = store.load_week(ENGINE, PERIOD)
    with Store.open(f"sqlite:///{tmp_path / 'copy.db'}") as restored:
        assert restored.load_week(ENGINE, PERIOD) == expected


@pytest.mark.parametrize(
    ("destination", "message"),
    [("bot.db", "exists already"), ("absent/copy.db", "folder of the backup does not exist")],
)
def test_a_backup_that_cannot_be_made(url: str, tmp_path: Path, destination: str, message: str) -> None:
    with Store.open(url) as store:
        fill(store)
        with pytest.raises(StoreError, match=message) as caught:
            store.backup(tmp_path / destination)
        assert caught.value.user_can_fix
        assert store.load_week(ENGINE, PERIOD).pull_requests == (make_pr(1),)


def test_a_store_in_memory_needs_no_alembic() -> None:
    code = (
        "import sys; from bot.store.store import Store; Store.in_memory().close(); "
        "sys.exit('alembic' in sys.modules or 'sqlalchemy.dialects.postgresql' in sys.modules)"
    )
    root = Path(__file__).parent.parent
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
