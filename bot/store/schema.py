"""The tables. `migrations/` builds the same ones revision by revision; a test holds the two together."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
    false,
)
from sqlalchemy import String as PlainString
from sqlalchemy import Text as PlainText
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine


class Instant(TypeDecorator[datetime]):
    """An instant: takes any aware datetime, keeps UTC, gives aware UTC. Raises ValueError for a naive one.

    SQLite has no type for it and keeps text without a zone; PostgreSQL answers in the zone of the session.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        if value is not None and value.tzinfo is None:
            raise ValueError(f"an instant needs a time zone to be stored: {value!r}")
        return value and value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        if value is not None and value.tzinfo is None:
            return value.replace(tzinfo=UTC)
        return value and value.astimezone(UTC)


class _WithoutNul(TypeDecorator[str]):
    """Text in which U+FFFD stands for U+0000, which PostgreSQL cannot keep.

    CommonMark replaces it likewise: https://spec.commonmark.org/0.31.2/#insecure-characters.
    """

    impl: type[TypeEngine[Any]] = PlainText
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        return value and value.replace("\0", "\ufffd")


class Text(_WithoutNul):
    cache_ok = True


class String(_WithoutNul):
    impl = PlainString
    cache_ok = True


metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
    }
)


def _repository_id() -> Column[int]:
    return Column("repository_id", Integer, nullable=False)


def _of_repository() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["repository_id"], ["repositories.id"], ondelete="CASCADE")


def _of_pull_request() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["repository_id", "number"], ["pull_requests.repository_id", "pull_requests.number"], ondelete="CASCADE"
    )


# Rows hang on the id, so that a renamed repository keeps them.
repositories = Table(
    "repositories",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("source", String(16)),
    Column("synced_at", Instant),
    Column("begins_at", Instant),
    Column("fresh_until", Instant),
)

# The long columns come last: SQLite keeps them on pages of their own and reads those only when asked.
pull_requests = Table(
    "pull_requests",
    metadata,
    _repository_id(),
    Column("number", Integer, nullable=False),
    Column("merged_at", Instant, nullable=False),
    Column("base", Text),
    Column("diffs_read", Boolean, nullable=False, server_default=false()),
    Column("counted", Boolean, nullable=False),
    Column("truncated", Boolean, nullable=False),
    Column("author_kind", String(16), nullable=False),
    Column("created_at", Instant),
    Column("commit", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("labels", JSON, nullable=False),
    Column("body", Text, nullable=False),
    Column("reviews", JSON(none_as_null=True)),
    Column("threads", JSON(none_as_null=True)),
    Column("comments", JSON(none_as_null=True)),
    PrimaryKeyConstraint("repository_id", "number"),
    _of_repository(),
    Index("ix_pull_requests_merged", "repository_id", "merged_at", "number", "base"),
)

# Without a row id of its own the files of one pull request lie side by side.
changed_files = Table(
    "changed_files",
    metadata,
    _repository_id(),
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("path", Text, nullable=False),
    Column("additions", Integer, nullable=False),
    Column("deletions", Integer, nullable=False),
    Column("status", String(16), nullable=False),
    Column("previous_path", Text),
    Column("binary", Boolean, nullable=False),
    PrimaryKeyConstraint("repository_id", "number", "position"),
    _of_pull_request(),
    sqlite_with_rowid=False,
)

direct_commits = Table(
    "direct_commits",
    metadata,
    _repository_id(),
    Column("commit", String(64), nullable=False),
    Column("committed_at", Instant, nullable=False),
    Column("author", Text, nullable=False),
    Column("subject", Text, nullable=False),
    PrimaryKeyConstraint("repository_id", "commit"),
    _of_repository(),
    Index("ix_direct_commits_committed", "repository_id", "committed_at"),
)

releases = Table(
    "releases",
    metadata,
    _repository_id(),
    Column("position", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("tagged_at", Instant, nullable=False),
    Column("cut_at", Instant),
    Column("prerelease", Boolean, nullable=False),
    Column("picks", JSON, nullable=False),
    PrimaryKeyConstraint("repository_id", "position"),
    _of_repository(),
)

assessments = Table(
    "assessments",
    metadata,
    _repository_id(),
    Column("number", Integer, nullable=False),
    Column("importance", Double, nullable=False),
    Column("reasons", JSON, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("risks", JSON, nullable=False),
    PrimaryKeyConstraint("repository_id", "number"),
    _of_pull_request(),
)

diff_facts = Table(
    "diff_facts",
    metadata,
    _repository_id(),
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("path", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("old", Text, nullable=False),
    Column("new", Text, nullable=False),
    Column("lines", Integer, nullable=False),
    Column("other", Integer, nullable=False),
    PrimaryKeyConstraint("repository_id", "number", "position"),
    _of_pull_request(),
)

# Half-open intervals whose history is complete; merged on writing, so that no two touch.
coverage = Table(
    "coverage",
    metadata,
    Column("repository_id", Integer, ForeignKey("repositories.id", ondelete="CASCADE"), nullable=False),
    Column("since", Instant, nullable=False),
    Column("until", Instant, nullable=False),
    PrimaryKeyConstraint("repository_id", "since"),
)

# What was said on the local page. One index follows a channel in time, one its threads and what has none.
messages = Table(
    "messages",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("channel", Text, nullable=False),
    Column("thread", Integer, ForeignKey("messages.id", ondelete="CASCADE")),
    Column("at", Instant, nullable=False),
    Column("is_bot", Boolean, nullable=False),
    Column("author", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("html", Text, nullable=False),
    Column("key", Text),
    Index("ix_messages_key", "key", unique=True),
    Index("ix_messages_channel", "channel", "id"),
    Index("ix_messages_thread", "channel", "thread", "id"),
)

# One row a subscription; what was removed in chat stays, so that the configuration does not bring it back.
subscriptions = Table(
    "subscriptions",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("platform", String(16), nullable=False),
    Column("channel", Text, nullable=False),
    Column("name", Text),
    Column("repositories", JSON, nullable=False),
    Column("day", Integer, nullable=False),
    Column("time", String(5), nullable=False),
    Column("timezone", Text, nullable=False),
    Column("exclude_authors", JSON, nullable=False),
    Column("exclude_paths", JSON, nullable=False),
    Column("listen", String(8), nullable=False),
    Column("country", String(8)),
    Column("on_holiday", String(8), nullable=False, server_default="post"),
    Column("from_file", Boolean, nullable=False),
    Column("added_at", Instant, nullable=False),
    Column("changed_by", Text),
    Column("removed_at", Instant),
    Index("ix_subscriptions_channel", "platform", "channel"),
)

# The ledger: one row a digest that is or was due, whatever became of it.
deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("platform", String(16), nullable=False),
    Column("channel", Text, nullable=False),
    Column("subscription", String(40), nullable=False),
    Column("since", Instant, nullable=False),
    Column("until", Instant, nullable=False),
    Column("timezone", Text, nullable=False),
    Column("repositories", JSON, nullable=False),
    Column("due_at", Instant, nullable=False),
    Column("planned_at", Instant, nullable=False),
    Column("state", String(16), nullable=False),
    Column("owner", String(40)),
    Column("lease_until", Instant),
    Column("fence", Integer, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("not_before", Instant),
    Column("finished_at", Instant),
    Column("note", Text),
    UniqueConstraint("platform", "channel", "subscription", "since", "until", name="uq_deliveries_period"),
    Index("ix_deliveries_state", "state", "not_before"),
)

# What a delivery consists of, frozen before the first is sent. `remote_id` is the platform's id of what was posted.
delivery_parts = Table(
    "delivery_parts",
    metadata,
    Column("delivery_id", Integer, ForeignKey("deliveries.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("key", String(64), nullable=False, unique=True),
    Column("state", String(16), nullable=False),
    Column("attempted_at", Instant),
    Column("sent_at", Instant),
    Column("remote_id", Text),
    Column("cites", JSON, nullable=False),
    Column("body", Text, nullable=False),
    PrimaryKeyConstraint("delivery_id", "position"),
    Index("ix_delivery_parts_remote", "remote_id"),
)

# What the platforms brought: kept before it is acknowledged, and until it is handled. The keys outlast it.
events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("platform", String(16), nullable=False),
    Column("received_at", Instant, nullable=False),
    Column("state", String(8), nullable=False),
    Column("owner", String(40)),
    Column("lease_until", Instant),
    Column("tries", Integer, nullable=False),
    Column("payload", Text, nullable=False),
    Index("ix_events_state", "state", "lease_until"),
)
event_keys = Table(
    "event_keys",
    metadata,
    Column("platform", String(16), nullable=False),
    Column("key", Text, nullable=False),
    Column("seen_at", Instant, nullable=False),
    PrimaryKeyConstraint("platform", "key"),
    Index("ix_event_keys_seen", "seen_at"),
)

# What is known of a channel; whether another organisation reads it comes with its events.
channels = Table(
    "channels",
    metadata,
    Column("platform", String(16), nullable=False),
    Column("channel", Text, nullable=False),
    Column("welcomed_at", Instant),
    Column("external", Boolean),
    PrimaryKeyConstraint("platform", "channel"),
)

# Reports that something is wrong, and where they were passed on to, so that a correction finds its thread.
reports = Table(
    "reports",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("platform", String(16), nullable=False),
    Column("channel", Text, nullable=False),
    Column("thread", Text),
    Column("message", Text),
    Column("user", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Column("told_channel", Text),
    Column("told_message", Text),
    Column("corrected_at", Instant),
    Index("ix_reports_told", "platform", "told_channel", "told_message"),
)

# Alembic's own table, named here so that opening a database does not load Alembic.
alembic_version = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
