"""PostgreSQL as it may be set up: no setting changes an answer, and what cannot be used is one line with the fix."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import make_url

from bot.store.errors import StoreError
from bot.store.sqlstates import meaning
from bot.store.store import Store
from tests.cli import configured, run
from tests.database import admin, database, new_database, server, session
from tests.factories import make_pr
from tests.stores import POSTGRESQL, addressed, query
from tests.test_store_server import name_of, said

ENGINE = "acme/engine"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with addressed(POSTGRESQL, tmp_path) as found:
        yield found


# Settings


def test_settings_of_the_server_change_no_answer(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in (
        "timezone = 'Pacific/Kiritimati'",
        "datestyle = 'German'",
        "default_transaction_isolation = 'serializable'",
        "client_encoding = 'SQL_ASCII'",
        "standard_conforming_strings = off",
        "extra_float_digits = -15",
        "bytea_output = 'escape'",
    ):
        admin("ALTER DATABASE {} SET " + setting, name_of(address))
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    last = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
    title = r"一 \' \\ 👩‍💻 é"
    with Store.open(address) as store:
        store.save_history(ENGINE, [make_pr(1, title, created_at=last), make_pr(2)])
        found = store.pull_request(ENGINE, 1)
        assert found == make_pr(1, title, created_at=last)
        assert found.merged_at.tzinfo is UTC
        with store._engines.writing() as connection:  # noqa: SLF001 - what its sessions are set to
            assert connection.exec_driver_sql("SHOW transaction_isolation").scalar() == "read committed"


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII", "EUC_CN"])
def test_another_encoding_than_utf_8_is_refused(encoding: str) -> None:
    refused = new_database(encoding=encoding)
    with pytest.raises(StoreError, match=f"is in the encoding {encoding}: .*createdb --encoding=UTF8") as caught:
        Store.open(refused)
    said(caught, user_can_fix=True)
    assert query(refused, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]


def test_a_user_that_may_make_no_tables() -> None:
    with database() as empty:
        admin("DROP ROLE IF EXISTS guest")
        admin("CREATE ROLE guest LOGIN PASSWORD 'hunter2'")
        as_guest = make_url(empty).set(username="guest", password="hunter2").render_as_string(hide_password=False)  # noqa: S106 - an example
        with pytest.raises(StoreError, match=r"does not let its user do that .*permission denied for schema") as caught:
            Store.open(as_guest)
        assert "postgresql://guest@/" in said(caught, user_can_fix=True)


# The address


@pytest.mark.parametrize(
    ("parts", "message", "user_can_fix"),
    [
        ({"database": "absent"}, 'database "absent" does not exist.: correct database.url', True),
        ({"username": "nobody"}, 'role "nobody" does not exist.: correct database.url', True),
        ({"host": "127.0.0.1", "port": 1}, "Connection refused.: check that the server runs", False),
        ({"host": "db.invalid"}, "failed to resolve host 'db.invalid'.*: check that the server runs", False),
    ],
)
def test_a_server_that_lets_nobody_in(parts: dict[str, str], message: str, user_can_fix: bool) -> None:
    url = make_url(server().get_uri())
    if "host" in parts:
        url = url.difference_update_query(["host"])
    wrong = url.set(password="hunter2", **parts).render_as_string(hide_password=False)  # type: ignore[arg-type]  # as given  # noqa: S106 - an example
    with pytest.raises(StoreError, match=message) as caught:
        Store.open(wrong)
    said(caught, user_can_fix=user_can_fix)


def test_an_option_that_nobody_knows(address: str) -> None:
    with pytest.raises(StoreError, match=r"option \"colour\".*: correct database.url") as caught:
        Store.open(f"{address}&colour=red&password=hunter2")
    said(caught, user_can_fix=True)


def test_errors_that_cannot_be_made_here() -> None:
    for sqlstate, reason, words in (
        ("53100", "", "is full"),
        ("25006", "cannot execute INSERT in a read-only transaction", "name the primary server"),
        ("0A000", "cannot set transaction read-write mode during recovery", "name the primary server"),
    ):
        found = meaning(sqlstate, reason, operational=False)
        assert found is not None
        assert words in found.text
    assert meaning("42703", "no such column", operational=False) is None
    assert meaning(None, "a slip of ours", operational=False) is None


# The commands


def test_db_upgrade_and_backup_on_postgresql(address: str, tmp_path: Path) -> None:
    config = configured(tmp_path, tmp_path)
    text = config.read_text(encoding="utf-8")
    config.write_text(
        text.replace("sqlite:///bot.db", address.replace("postgres:@", "postgres:hunter2@")), encoding="utf-8"
    )
    done = run("db", "upgrade", "--config", config)
    assert (done.code, done.err) == (0, "")
    assert "there is nothing to upgrade" in done.out
    problem = run("db", "backup", "--config", config, tmp_path / "copy.dump").problem()
    command = (
        f"pg_dump --format=custom --file={tmp_path / 'copy.dump'} 'postgresql://postgres@/{name_of(address)}?host="
    )
    assert f"is not a file: run {command}" in problem
    assert "hunter2" not in problem


def test_tables_of_others_are_left_alone() -> None:
    with database() as shared:
        query(shared, "CREATE TABLE bookmarks (name TEXT)")
        with Store.open(shared) as store:
            store.save_history(ENGINE, [make_pr(1)])
        with session(shared) as other:
            assert other.execute(b"SELECT count(*) FROM bookmarks").fetchone() == (0,)


def test_tables_of_the_same_name_are_left_alone() -> None:
    with database() as shared:
        query(shared, "CREATE TABLE events (name TEXT)")
        with pytest.raises(StoreError, match=r"holds tables of something else .events.: name another") as caught:
            Store.open(shared)
        said(caught, user_can_fix=True)


def test_the_migrations_of_another_program_are_no_revision_of_ours() -> None:
    with database() as shared:
        query(shared, "CREATE TABLE alembic_version (version_num TEXT PRIMARY KEY)")
        query(shared, "INSERT INTO alembic_version VALUES ('0003')")
        with pytest.raises(
            StoreError, match=r"holds tables of something else .alembic_version.: name another"
        ) as caught:
            Store.open(shared)
        said(caught, user_can_fix=True)
