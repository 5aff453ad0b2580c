"""The store: facts and conclusions of every repository, in SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from sqlalchemy import select

from bot.models import Assessment, DiffFact, DirectCommit, Period, PullRequest, Reading, Release, Week
from bot.store import reading as read
from bot.store import writing as write
from bot.store.channels import StoredChannels
from bot.store.conversations import StoredConversations
from bot.store.copies import copy
from bot.store.engines import Engines, connect
from bot.store.inbox import StoredInbox
from bot.store.intervals import start_reaching
from bot.store.ledger import Ledger
from bot.store.reading import Reach
from bot.store.reports import StoredReports
from bot.store.revisions import PACKAGED, Migrations, create, require_current
from bot.store.schema import repositories
from bot.store.subscriptions import StoredSubscriptions
from bot.store.weeks import read_week

if TYPE_CHECKING:
    from bot.store.migrate import Upgrade

_T = TypeVar("_T")
_DEFAULT_READING = Reading()

_CHUNK = 50
"""Items a transaction: SQLite lets one write at a time, and an event's acknowledgement waits for those before it."""


class Store:
    """Facts and conclusions of every repository. Usable from several threads, and as a context manager.

    Instants may come in any zone and leave as UTC; periods are half-open. Every method raises StoreError where the
    database cannot be read or written; what a failed method had begun is undone, what was stored before stays.
    U+0000 in a text, which PostgreSQL cannot keep, becomes U+FFFD.
    """

    def __init__(self, engines: Engines, revision: str) -> None:
        self._engines = engines
        self.revision = revision

    @classmethod
    def open(cls, url: str, *, migrations: Migrations = PACKAGED) -> Self:
        """The store at `sqlite:///path` or `postgresql://…`; one that does not exist yet is made.

        `?timeout=SECONDS` in the address says how long to wait for another writer (default 10).
        Raises StoreError for an address, folder or file that cannot be used, for a database newer than this code,
        and for an older one, naming the command that upgrades it.
        """
        engines = connect(url)
        try:
            require_current(engines, migrations)
        except BaseException:
            engines.close()
            raise
        return cls(engines, migrations.current)

    @classmethod
    def in_memory(cls) -> Self:
        """An empty store that lives as long as the object; threads take turns."""
        engines = connect("sqlite://")
        with engines.writing() as connection:
            create(connection)
        return cls(engines, PACKAGED.current)

    @staticmethod
    def upgrade(url: str, *, migrations: Migrations = PACKAGED) -> Upgrade:
        """Bring the database at `url` to the current revision, after a copy of it beside the file (SQLite).

        All revisions are applied or none. Returns the revisions before and after and the copy's path, None where
        nothing was to do. A database that does not exist yet is made. Raises StoreError, also for a newer one.
        """
        from bot.store.migrate import upgrade  # noqa: PLC0415 - Alembic costs 0.15 s and is needed nowhere else

        return upgrade(url, migrations)

    def backup(self, destination: Path) -> None:
        """Write a consistent copy to a file that does not exist yet, while others read and write (SQLite only).

        Raises StoreError, also where the file exists, its folder does not, or the database is PostgreSQL.
        """
        copy(self._engines, destination)

    def close(self) -> None:
        """Close all connections; a store in memory is gone after that."""
        self._engines.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def subscriptions(self) -> StoredSubscriptions:
        """Who gets which digest, when."""
        return StoredSubscriptions(self._engines)

    def ledger(self) -> Ledger:
        """Which digests were and are to be delivered."""
        return Ledger(self._engines)

    def inbox(self) -> StoredInbox:
        """What chat platforms brought."""
        return StoredInbox(self._engines)

    def channels(self) -> StoredChannels:
        """What is known of channels."""
        return StoredChannels(self._engines)

    def reports(self) -> StoredReports:
        """What was reported to be wrong."""
        return StoredReports(self._engines)

    def conversations(self) -> StoredConversations:
        """What was said on the local page, kept in the same database."""
        return StoredConversations(self._engines)

    # What is written

    def save_history(self, repository: str, items: Iterable[PullRequest | DirectCommit], *, chunk: int = _CHUNK) -> int:
        """Insert or replace what was merged, `chunk` items a transaction; returns how many came.

        `items` is consumed between transactions, so a slow or failing source holds nothing locked and loses no more
        than the unfinished chunk. Assessments and diff facts stay. Raises ValueError for text that is not Unicode.
        """
        saved = 0
        for count, part in enumerate(_chunks(items, chunk), start=1):
            with self._engines.writing() as connection:
                write.write_history(connection, write.ensure_repository(connection, repository), part)
                if len(part) == chunk and count.bit_count() == 1:  # the 1st, 2nd, 4th, 8th …
                    write.note_growth(connection)
            saved += len(part)
        return saved

    def mark_covered(
        self,
        repository: str,
        since: datetime,
        until: datetime,
        *,
        source: str,
        synced_at: datetime,
        reach: Reach | None = None,
    ) -> None:
        """Remember that history in [since, until) is complete, joined with what was covered before.

        `source` is the kind of source ("github", "clone", "sample"), `synced_at` when it was asked, `reach` from when
        until when it had history. Raises ValueError unless since < until.
        """
        _require_order(since, until)
        with self._engines.writing() as connection:
            repository_id = write.ensure_repository(connection, repository)
            write.write_covered(connection, repository_id, since, until)
            write.write_sync(connection, repository_id, source, synced_at, reach)

    def save_releases(self, repository: str, releases: Iterable[Release]) -> None:
        """Replace the repository's releases; their order is kept."""
        found = tuple(releases)
        with self._engines.writing() as connection:
            write.write_releases(connection, write.ensure_repository(connection, repository), found)

    def save_assessments(self, repository: str, assessments: Iterable[Assessment]) -> None:
        """Insert or replace, some a transaction. Raises ValueError where a pull request is not stored."""
        for part in _chunks(assessments, _CHUNK):
            with self._engines.writing() as connection:
                write.write_assessments(connection, write.ensure_repository(connection, repository), part)

    def save_diff_facts(self, repository: str, since: datetime, until: datetime, facts: Iterable[DiffFact]) -> None:
        """Replace the facts of the pull requests merged in [since, until), and remember that their diffs were read.

        Pull requests stored later count as unread. Raises ValueError unless since < until, and where one that
        `facts` names is not stored.
        """
        _require_order(since, until)
        found = tuple(facts)
        with self._engines.writing() as connection:
            repository_id = write.ensure_repository(connection, repository)
            write.write_diff_facts(connection, repository_id, since, until, found)

    # What is asked

    def repositories(self) -> tuple[str, ...]:
        """The names of all repositories of which anything is stored, sorted."""
        with self._engines.reading() as connection:
            return tuple(sorted(connection.scalars(select(repositories.c.name))))

    def covered_since(self, repository: str, until: datetime) -> datetime | None:
        """The start (UTC) of the covered interval that reaches up to `until` or beyond; None if there is none."""
        with self._engines.reading() as connection:
            found = read.find_repository(connection, repository)
            return found and start_reaching(read.read_coverage(connection, found.id), until)

    def synced_at(self, repository: str) -> datetime | None:
        """When the repository's source was last asked (UTC); None if it never was."""
        with self._engines.reading() as connection:
            found = read.find_repository(connection, repository)
            return found and found.synced_at

    def reach(self, repository: str) -> Reach:
        """From when until when its source had history when it was last asked."""
        with self._engines.reading() as connection:
            return read.read_reach(connection, repository)

    def pull_requests(
        self, repository: str, since: datetime, until: datetime, *, with_files: bool = True
    ) -> tuple[PullRequest, ...]:
        """What was merged into the default branch in [since, until), oldest first (ties: lower number).

        Without files, which is faster, `files` is empty. Raises UnknownRepository.
        """
        with self._engines.reading() as connection:
            which = read.in_period(read.require_repository(connection, repository).id, since, until)
            return read.read_pull_requests(connection, which, with_files=with_files)

    def pull_request(self, repository: str, number: int) -> PullRequest | None:
        """One pull request with its files, whatever branch it went into; None if none is stored.

        Raises UnknownRepository.
        """
        with self._engines.reading() as connection:
            return read.read_pull_request(connection, read.require_repository(connection, repository).id, number)

    def assessments(self, repository: str, numbers: Iterable[int]) -> dict[int, Assessment]:
        """By number; numbers without an assessment are left out. Raises UnknownRepository."""
        wanted = tuple(numbers)
        with self._engines.reading() as connection:
            return read.read_assessments(connection, read.require_repository(connection, repository).id, wanted)

    def assessed(self, repository: str, since: datetime, until: datetime) -> tuple[tuple[PullRequest, Assessment], ...]:
        """What `pull_requests` gives without files, each with its assessment.

        Raises UnknownRepository, and Unassessed when one has none: the counts would be wrong.
        """
        with self._engines.reading() as connection:
            found = read.require_repository(connection, repository)
            return read.read_assessed(connection, found, read.in_period(found.id, since, until))

    def touching(self, repository: str, since: datetime, until: datetime) -> dict[str, tuple[read.Touch, ...]]:
        """By path, who touched it in [since, until): number and changed lines, oldest first.

        Only what was merged into the default branch. Raises UnknownRepository.
        """
        with self._engines.reading() as connection:
            which = read.in_period(read.require_repository(connection, repository).id, since, until)
            return read.read_touching(connection, which)

    def releases(self, repository: str) -> tuple[Release, ...]:
        """All releases in the order in which they were saved. Raises UnknownRepository."""
        with self._engines.reading() as connection:
            return read.read_releases(connection, read.require_repository(connection, repository).id)

    def load_week(self, repository: str, period: Period, reading: Reading = _DEFAULT_READING) -> Week:
        """Everything a digest of the period is made from, as of one instant.

        The history reaches back 13 weeks, or one span where that is longer; `covered_since` is never before its
        start. Where the period is covered only in part, `covered_since` speaks of the time before it: ask
        `Store.covered_since(repository, period.until)` whether the period itself is. Raises UnknownRepository.
        """
        with self._engines.reading() as connection:
            return read_week(connection, read.require_repository(connection, repository), period, reading)


def _chunks(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def _require_order(since: datetime, until: datetime) -> None:
    if since >= until:
        raise ValueError(f"a period must begin before it ends: {since} to {until}")
