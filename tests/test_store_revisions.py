"""New, current, older and newer databases, their copies, and what another dialect would be sent."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import ClauseElement, Engine, Table, create_engine, event
from sqlalchemy.dialects import postgresql, sqlite

from bot.models import DiffFact, DirectCommit, Release
from bot.store import schema, writing
from bot.store.errors import StoreError
from bot.store.revisions import PACKAGED, Migrations
from bot.store.store import Store
from tests.factories import PERIOD, WEDNESDAY, make_assessment, make_pr

ENGINE = "acme/engine"
SINCE, UNTIL = PERIOD.since, PERIOD.until

NEXT = "9001"  # the revision of a later version
NEXT_REVISION = f"""
import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{PACKAGED.current}"


def upgrade():
    with op.batch_alter_table("pull_requests", recreate="always") as table:
        table.add_column(sa.Column("glanced", sa.Boolean, nullable=False, server_default=sa.false()))
    {{then}}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bot.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


def later(tmp_path: Path, then: str = "pass") -> Migrations:
    """The migrations of a later version: the packaged ones and one that rebuilds the table all others refer to."""
    folder = tmp_path / "later 100%"
    shutil.copytree(PACKAGED.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / f"revision_{NEXT}.py").write_text(NEXT_REVISION.format(then=then), encoding="utf-8")
    return Migrations(folder, (*PACKAGED.names, NEXT))


def fill(store: Store) -> None:
    store.save_history(ENGINE, [make_pr(1), make_pr(2, base="other"), DirectCommit("c", "s", "a", WEDNESDAY)])
    store.save_assessments(ENGINE, [make_assessment(1)])
    store.save_releases(ENGINE, [Release("v1", WEDNESDAY, None)])
    store.save_diff_facts(ENGINE, SINCE, UNTIL, [DiffFact(1, "flag", "a.py", "--x", new="y")])
    store.mark_covered(ENGINE, SINCE, UNTIL, source="clone", synced_at=UNTIL)


def query(path: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(statement).fetchall()
        connection.commit()
        return found


def test_a_new_database_is_made_at_the_current_revision(path: Path, url: str) -> None:
    with Store.open(url) as store:
        assert store.revision == PACKAGED.current
    assert query(path, "SELECT version_num FROM alembic_version") == [(PACKAGED.current,)]
    assert query(path, "PRAGMA journal_mode") == [("wal",)]


def test_the_revisions_are_those_of_the_folder() -> None:
    config = Config()
    config.set_main_option("script_location", str(PACKAGED.folder))
    config.set_main_option("path_separator", "os")
    script = ScriptDirectory.from_config(config)
    assert tuple(reversed([one.revision for one in script.walk_revisions()])) == PACKAGED.names


def before_the_first(path: Path) -> None:
    """What is left of an upgrade that stopped before its first revision."""
    query(path, "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")


def made(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every table with its columns, keys and indexes, as SQLite tells them."""
    tables = [str(name) for (name,) in query(path, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
    told = ("table_xinfo", "foreign_key_list", "index_list")
    return {
        f"{about} {name}": sorted((row[1:] for row in query(path, f"PRAGMA {about}({name})")), key=str)
        for name in tables
        for about in told
    }


def test_migrations_and_tables_agree(path: Path, url: str, tmp_path: Path) -> None:
    """A database that was upgraded from nothing is the one that is made at once."""
    before_the_first(path)
    Store.upgrade(url)
    Store.open(f"sqlite:///{tmp_path / 'new.db'}").close()
    upgraded, new = made(path), made(tmp_path / "new.db")
    assert sum(name.startswith("table_xinfo") for name in new) == len(schema.metadata.tables) + 1
    upgraded.pop("table_xinfo alembic_version"), new.pop("table_xinfo alembic_version")
    assert upgraded == new
    engine = create_engine(url)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
    engine.dispose()


def test_a_newer_database_is_left_alone(path: Path, url: str) -> None:
    with Store.open(url) as store:
        fill(store)
    query(path, "UPDATE alembic_version SET version_num = '9999'")
    before = path.read_bytes()
    for attempt in (Store.open, Store.upgrade):
        with pytest.raises(StoreError, match=r"is newer than this digest-bot .*: upgrade digest-bot, or restore") as it:
            attempt(url)
        assert it.value.user_can_fix
        assert "\n" not in str(it.value)
    assert path.read_bytes() == before


def test_an_older_database_asks_to_be_upgraded(url: str, tmp_path: Path) -> None:
    Store.open(url).close()
    with pytest.raises(StoreError, match=r"older digest-bot .*: run digest-bot db upgrade --config FILE") as caught:
        Store.open(url, migrations=later(tmp_path))
    assert caught.value.user_can_fix


def test_an_upgrade_keeps_everything_and_a_copy(path: Path, url: str, tmp_path: Path) -> None:
    with Store.open(url) as store:
        fill(store)
        before = store.load_week(ENGINE, PERIOD)
    migrations = later(tmp_path)
    upgraded = Store.upgrade(url, migrations=migrations)
    assert (upgraded.before, upgraded.after) == (PACKAGED.current, NEXT)
    assert upgraded.backup == tmp_path / f"bot.db.revision-{PACKAGED.current}.backup"
    with Store.open(url, migrations=migrations) as store:
        assert store.revision == NEXT
        assert store.load_week(ENGINE, PERIOD) == before
    assert query(path, "SELECT number, glanced FROM pull_requests ORDER BY number") == [(1, 0), (2, 0)]
    with Store.open(f"sqlite:///{upgraded.backup}") as store:
        assert store.load_week(ENGINE, PERIOD) == before
    steps = f"from revision {PACKAGED.current} to {NEXT}"
    assert str(upgraded) == f"the database was upgraded {steps}; as it was before: {upgraded.backup}"
    again = Store.upgrade(url, migrations=migrations)
    assert again == (NEXT, NEXT, None)
    assert str(again) == f"the database is at revision {NEXT}, there is nothing to upgrade"


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
    with Store.open(url) as store:
        fill(store)
        before = store.load_week(ENGINE, PERIOD)
    with pytest.raises(error, match=message):
        Store.upgrade(url, migrations=later(tmp_path, then))
    with Store.open(url) as store:
        assert store.load_week(ENGINE, PERIOD) == before
    assert "glanced" not in str(query(tmp_path / "bot.db", "SELECT sql FROM sqlite_master"))


def test_upgrading_nothing_makes_a_new_database(url: str) -> None:
    assert Store.upgrade(url) == (PACKAGED.current, PACKAGED.current, None)
    Store.open(url).close()


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


POSTGRESQL = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy leaves it untyped


def everything_asked(url: str) -> list[ClauseElement]:
    """Every statement that the store's methods send, but for the upserts, which are made for their dialect."""
    sent: list[ClauseElement] = []

    def note(_connection: object, element: object, *_rest: object) -> None:
        assert isinstance(element, ClauseElement)
        sent.append(element)

    event.listen(Engine, "before_execute", note)
    try:
        with Store.open(url) as store:
            fill(store)
            store.repositories()
            store.covered_since(ENGINE, UNTIL)
            store.synced_at(ENGINE)
            store.load_week(ENGINE, PERIOD)
            store.pull_request(ENGINE, 1)
            store.assessments(ENGINE, [1])
            store.assessed(ENGINE, SINCE, UNTIL)
            store.touching(ENGINE, SINCE, UNTIL)
            store.releases(ENGINE)
            said = store.conversations()
            root = said.add("general", None, "dev", is_bot=False, html="", text="", at=UNTIL)
            said.heads("general", 5, before=root.id)
            said.replies("general", root.id)
            said.entries("general", said.last())
    finally:
        event.remove(Engine, "before_execute", note)
    return [element for element in sent if not isinstance(element, sqlite.Insert)]


def test_every_statement_is_known_to_postgresql(url: str) -> None:
    compiled = [str(element.compile(dialect=POSTGRESQL)) for element in everything_asked(url)]
    assert sum(statement.startswith("SELECT") for statement in compiled) > 20
    assert sum(statement.startswith(("INSERT", "UPDATE", "DELETE")) for statement in compiled) > 10
    for word in ("PRAGMA", "sqlite_master", "OR REPLACE", "ROWID", "TIMESTAMP WITHOUT TIME ZONE"):
        assert not any(word in statement for statement in compiled)
    made = [statement.split()[:3] for statement in compiled if "CREATE" in statement]
    indexes = sum(len(table.indexes) for table in schema.metadata.tables.values())
    assert sum(words[0] == "CREATE" and "INDEX" in words for words in made) == indexes > 4
    assert len(made) == len(schema.metadata.tables) + len([schema.alembic_version]) + indexes


@pytest.mark.parametrize("table", [schema.pull_requests, schema.assessments, schema.direct_commits])
def test_upserts_of_postgresql(table: Table) -> None:
    row = {column.name: None for column in table.columns if column.name != "diffs_read"}
    statement = str(writing.upsert(table, row, "postgresql").compile(dialect=POSTGRESQL))
    key = ", ".join(column.name for column in table.primary_key)
    _insert, _, changed = statement.partition(f"ON CONFLICT ({key}) DO UPDATE SET")
    assert {part.split(" = ")[0].strip() for part in changed.split(",")} == set(row) - set(key.split(", "))


def test_a_new_repository_of_postgresql() -> None:
    statement = str(writing.add_repository(ENGINE, "postgresql").compile(dialect=POSTGRESQL))
    assert "ON CONFLICT (name) DO NOTHING" in statement
