"""What is asked of the database. A question about a period costs what the period holds, not what is stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, and_, cast, select

from bot.models import Assessment, ChangedFile, DiffFact, DirectCommit, PullRequest, Release
from bot.store import rows
from bot.store.errors import Unassessed, UnknownRepository
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

_IN_LIST = 500  # numbers named in one statement


class Repository(NamedTuple):
    """A repository's own row."""

    id: int
    name: str
    source: str | None
    synced_at: datetime | None


class Reach(NamedTuple):
    """From when until when a repository's source had history when it was last asked (UTC); None: not known."""

    begins_at: datetime | None = None
    fresh_until: datetime | None = None


class Touch(NamedTuple):
    """One pull request that touched a file, and how many lines of the file it changed."""

    number: int
    churn: int


def find_repository(connection: Connection, name: str) -> Repository | None:
    columns = repositories.c
    row = connection.execute(
        select(columns.id, columns.name, columns.source, columns.synced_at).where(columns.name == name)
    ).first()
    return None if row is None else Repository(*row)


def read_reach(connection: Connection, name: str) -> Reach:
    columns = repositories.c
    row = connection.execute(select(columns.begins_at, columns.fresh_until).where(columns.name == name)).first()
    return Reach() if row is None else Reach(*row)


def require_repository(connection: Connection, name: str) -> Repository:
    repository = find_repository(connection, name)
    if repository is None:
        raise UnknownRepository(name)
    return repository


def merged_between(repository_id: int, since: datetime, until: datetime) -> ColumnElement[bool]:
    """The pull requests merged in [since, until), into any branch."""
    columns = pull_requests.c
    return and_(columns.repository_id == repository_id, columns.merged_at >= since, columns.merged_at < until)


def in_period(repository_id: int, since: datetime, until: datetime) -> ColumnElement[bool]:
    """Those merged in [since, until) into the default branch."""
    return and_(merged_between(repository_id, since, until), pull_requests.c.base.is_(None))


def elsewhere_in_period(repository_id: int, since: datetime, until: datetime) -> ColumnElement[bool]:
    """Those merged in [since, until) into another branch."""
    return and_(merged_between(repository_id, since, until), pull_requests.c.base.is_not(None))


def _same_pull_request(other: Any) -> ColumnElement[bool]:  # noqa: ANN401 - a table's columns, which have no static type
    columns = pull_requests.c
    return and_(other.c.repository_id == columns.repository_id, other.c.number == columns.number)


_OLDEST_FIRST = (pull_requests.c.merged_at, pull_requests.c.number)


def read_pull_requests(
    connection: Connection, which: ColumnElement[bool], *, with_files: bool
) -> tuple[PullRequest, ...]:
    found = connection.execute(select(*rows.PULL_REQUEST).where(which).order_by(*_OLDEST_FIRST)).all()
    files = _files(connection, which) if with_files and found else {}
    return tuple(rows.to_pull_request(row, files.get(row[0], ())) for row in found)


def _files(connection: Connection, which: ColumnElement[bool]) -> dict[int, tuple[ChangedFile, ...]]:
    joined = pull_requests.join(changed_files, _same_pull_request(changed_files))
    statement = (
        select(*rows.CHANGED_FILE).select_from(joined).where(which).order_by(*_OLDEST_FIRST, changed_files.c.position)
    )
    return rows.to_files(connection.execute(statement).all())


def read_pull_request(connection: Connection, repository_id: int, number: int) -> PullRequest | None:
    columns = pull_requests.c
    found = read_pull_requests(
        connection, and_(columns.repository_id == repository_id, columns.number == number), with_files=True
    )
    return found[0] if found else None


def read_assessments(connection: Connection, repository_id: int, numbers: Iterable[int]) -> dict[int, Assessment]:
    wanted = sorted(set(numbers))
    found: dict[int, Assessment] = {}
    for start in range(0, len(wanted), _IN_LIST):
        chosen = assessments.c.number.in_(wanted[start : start + _IN_LIST])
        statement = select(*rows.ASSESSMENT).where(assessments.c.repository_id == repository_id, chosen)
        found |= {row[0]: rows.to_assessment(row) for row in connection.execute(statement)}
    return found


def read_assessments_of(connection: Connection, which: ColumnElement[bool]) -> dict[int, Assessment]:
    joined = pull_requests.join(assessments, _same_pull_request(assessments))
    statement = select(*rows.ASSESSMENT).select_from(joined).where(which)
    return {row[0]: rows.to_assessment(row) for row in connection.execute(statement).all()}


def read_assessed(
    connection: Connection, repository: Repository, which: ColumnElement[bool]
) -> tuple[tuple[PullRequest, Assessment], ...]:
    joined = pull_requests.outerjoin(assessments, _same_pull_request(assessments))
    statement = select(*rows.PULL_REQUEST, *rows.ASSESSMENT).select_from(joined).where(which).order_by(*_OLDEST_FIRST)
    width = len(rows.PULL_REQUEST)
    found = [(row[:width], row[width:]) for row in connection.execute(statement).all()]
    missing = tuple(pr[0] for pr, assessment in found if assessment[0] is None)
    if missing:
        raise Unassessed(repository.name, missing)
    return tuple((rows.to_pull_request(pr), rows.to_assessment(assessment)) for pr, assessment in found)


def read_touching(connection: Connection, which: ColumnElement[bool]) -> dict[str, tuple[Touch, ...]]:
    file = changed_files.c
    joined = pull_requests.join(changed_files, _same_pull_request(changed_files))
    statement = (
        select(file.path, file.number, cast(file.additions, BigInteger) + file.deletions)
        .select_from(joined)
        .where(which)
        .order_by(*_OLDEST_FIRST, file.position)
    )
    touches: dict[str, list[Touch]] = {}
    for path, number, churn in connection.execute(statement).all():
        touches.setdefault(path, []).append(Touch(number, churn))
    return {path: tuple(found) for path, found in touches.items()}


def read_diff_facts(connection: Connection, which: ColumnElement[bool]) -> tuple[DiffFact, ...]:
    joined = pull_requests.join(diff_facts, _same_pull_request(diff_facts))
    statement = select(*rows.DIFF_FACT).select_from(joined).where(which).order_by(*_OLDEST_FIRST, diff_facts.c.position)
    return tuple(rows.to_diff_fact(row) for row in connection.execute(statement))


def diffs_read(connection: Connection, which: ColumnElement[bool]) -> bool:
    """Whether no pull request is left whose diff was not read."""
    unread = select(pull_requests.c.number).where(which, pull_requests.c.diffs_read.is_(False)).limit(1)
    return connection.execute(unread).first() is None


def read_direct_commits(
    connection: Connection, repository_id: int, since: datetime, until: datetime
) -> tuple[DirectCommit, ...]:
    columns = direct_commits.c
    statement = select(*rows.DIRECT_COMMIT).where(
        columns.repository_id == repository_id, columns.committed_at >= since, columns.committed_at < until
    )
    found = (rows.to_direct_commit(row) for row in connection.execute(statement))
    # Not sorted by the database: PostgreSQL sorts text as its language has it.
    return tuple(sorted(found, key=lambda one: (one.committed_at, one.commit)))


def read_releases(connection: Connection, repository_id: int) -> tuple[Release, ...]:
    columns = releases.c
    statement = select(*rows.RELEASE).where(columns.repository_id == repository_id).order_by(columns.position)
    return tuple(rows.to_release(row) for row in connection.execute(statement))


def read_coverage(connection: Connection, repository_id: int) -> Sequence[tuple[datetime, datetime]]:
    columns = coverage.c
    statement = select(columns.since, columns.until).where(columns.repository_id == repository_id)
    return [(since, until) for since, until in connection.execute(statement.order_by(columns.since))]
