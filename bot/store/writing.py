"""What is written to the database; each function is one part of its caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from importlib import import_module
from typing import Any

from sqlalchemy import Connection, Table, delete, insert, select, update

from bot.models import Assessment, DiffFact, DirectCommit, PullRequest, Release
from bot.store import rows
from bot.store.intervals import merged
from bot.store.reading import Reach, merged_between, read_coverage
from bot.store.schema import (
    assessments,
    changed_files,
    coverage,
    diff_facts,
    direct_commits,
    pull_requests,
    releases,
    repositories,
)


def dialect_insert(table: Table, dialect: str) -> Any:  # noqa: ANN401 - two classes of the same shape, without a common base
    """The INSERT of a dialect, "sqlite" or "postgresql": both know ON CONFLICT, the neutral one does not."""
    return import_module(f"sqlalchemy.dialects.{dialect}").insert(table)


def upsert(table: Table, row: rows.Row, dialect: str) -> Any:  # noqa: ANN401 - see dialect_insert
    """Insert rows with the keys of `row`, or replace those values where the primary key is known already."""
    statement = dialect_insert(table, dialect)
    key = [column.name for column in table.primary_key]
    return statement.on_conflict_do_update(
        index_elements=key, set_={name: statement.excluded[name] for name in row if name not in key}
    )


def lock_table(connection: Connection, table: Table) -> None:
    """Let nobody else write the table until the transaction ends, as on SQLite; reading goes on."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"LOCK TABLE {table.name} IN SHARE ROW EXCLUSIVE MODE")


def note_growth(connection: Connection) -> None:
    """Have PostgreSQL look how large the tables are: one that it takes for small is read whole for every key."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"ANALYZE {pull_requests.name}, {changed_files.name}")


def add_repository(name: str, dialect: str) -> Any:  # noqa: ANN401 - see dialect_insert
    """Insert a repository unless it is there."""
    return dialect_insert(repositories, dialect).values(name=name).on_conflict_do_nothing(index_elements=["name"])


def ensure_repository(connection: Connection, name: str) -> int:
    """The repository's id, its row made if need be, and locked (PostgreSQL) until the transaction ends."""
    wanted = select(repositories.c.id).where(repositories.c.name == name).with_for_update()
    found: int | None = connection.scalar(wanted)
    if found is None:
        connection.execute(add_repository(name, connection.dialect.name))
        found = connection.scalars(wanted).one()
    return found


def write_history(connection: Connection, repository_id: int, items: Iterable[PullRequest | DirectCommit]) -> None:
    """Insert or replace; where a number or commit comes twice, the later one stays."""
    requests: dict[int, PullRequest] = {}
    commits: dict[str, DirectCommit] = {}
    for item in items:
        if isinstance(item, PullRequest):
            requests[item.number] = item
        else:
            commits[item.commit] = item
    _upsert_all(connection, pull_requests, [rows.from_pull_request(repository_id, pr) for pr in requests.values()])
    _replace_files(connection, repository_id, requests)
    _upsert_all(connection, direct_commits, [rows.from_direct_commit(repository_id, c) for c in commits.values()])


def _replace_files(connection: Connection, repository_id: int, requests: dict[int, PullRequest]) -> None:
    files = changed_files.c
    known = delete(changed_files).where(files.repository_id == repository_id, files.number.in_(list(requests)))
    connection.execute(known)
    _insert_all(
        connection, changed_files, [row for pr in requests.values() for row in rows.from_files(repository_id, pr)]
    )


def write_assessments(connection: Connection, repository_id: int, found: Iterable[Assessment]) -> None:
    latest = {assessment.number: assessment for assessment in found}
    _upsert_all(connection, assessments, [rows.from_assessment(repository_id, one) for one in latest.values()])


def write_diff_facts(
    connection: Connection, repository_id: int, since: datetime, until: datetime, facts: Sequence[DiffFact]
) -> None:
    """Replace the facts of what was merged in [since, until), and of every pull request that `facts` names."""
    period = merged_between(repository_id, since, until)
    known = diff_facts.c
    # One statement for both would read every fact of the repository.
    for numbers in (select(pull_requests.c.number).where(period), sorted({fact.number for fact in facts})):
        outdated = delete(diff_facts).where(known.repository_id == repository_id, known.number.in_(numbers))
        connection.execute(outdated)
    _insert_all(
        connection,
        diff_facts,
        [rows.from_diff_fact(repository_id, position, fact) for position, fact in enumerate(facts)],
    )
    connection.execute(update(pull_requests).where(period).values(diffs_read=True))


def write_releases(connection: Connection, repository_id: int, found: Iterable[Release]) -> None:
    connection.execute(delete(releases).where(releases.c.repository_id == repository_id))
    _insert_all(connection, releases, [rows.from_release(repository_id, *pair) for pair in enumerate(found)])


def write_covered(connection: Connection, repository_id: int, since: datetime, until: datetime) -> None:
    """Add an interval to those known, and keep them merged."""
    intervals = merged([*read_coverage(connection, repository_id), (since, until)])
    connection.execute(delete(coverage).where(coverage.c.repository_id == repository_id))
    _insert_all(
        connection,
        coverage,
        [{"repository_id": repository_id, "since": start, "until": end} for start, end in intervals],
    )


def write_sync(
    connection: Connection, repository_id: int, source: str, synced_at: datetime, reach: Reach | None
) -> None:
    statement = update(repositories).where(repositories.c.id == repository_id)
    statement = statement.values(source=source, synced_at=synced_at)
    if reach is not None:
        statement = statement.values(begins_at=reach.begins_at, fresh_until=reach.fresh_until)
    connection.execute(statement)


def _upsert_all(connection: Connection, table: Table, found: list[rows.Row]) -> None:
    if found:
        connection.execute(upsert(table, found[0], connection.dialect.name), found)


def _insert_all(connection: Connection, table: Table, found: list[rows.Row]) -> None:
    if found:
        connection.execute(insert(table), found)
