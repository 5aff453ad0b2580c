"""The facts and the conclusions: repositories, what was merged, releases, assessments and diff facts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_INSTANT = sa.DateTime(timezone=True)


def _repository_id() -> sa.Column[int]:
    return sa.Column("repository_id", sa.Integer, nullable=False)


def _of_repository(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["repository_id"], ["repositories.id"], name=f"fk_{table}_repositories", ondelete="CASCADE"
    )


def _of_pull_request(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["repository_id", "number"],
        ["pull_requests.repository_id", "pull_requests.number"],
        name=f"fk_{table}_pull_requests",
        ondelete="CASCADE",
    )


def upgrade() -> None:
    op.create_table(
        "repositories",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("source", sa.String(16)),
        sa.Column("synced_at", _INSTANT),
        sa.PrimaryKeyConstraint("id", name="pk_repositories"),
        sa.UniqueConstraint("name", name="uq_repositories_name"),
    )
    _history()
    _conclusions()


def _history() -> None:
    op.create_table(
        "pull_requests",
        _repository_id(),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("merged_at", _INSTANT, nullable=False),
        sa.Column("base", sa.Text),
        sa.Column("diffs_read", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("counted", sa.Boolean, nullable=False),
        sa.Column("truncated", sa.Boolean, nullable=False),
        sa.Column("author_kind", sa.String(16), nullable=False),
        sa.Column("created_at", _INSTANT),
        sa.Column("commit", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("labels", sa.JSON, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("reviews", sa.JSON),
        sa.Column("threads", sa.JSON),
        sa.Column("comments", sa.JSON),
        sa.PrimaryKeyConstraint("repository_id", "number", name="pk_pull_requests"),
        _of_repository("pull_requests"),
    )
    op.create_index("ix_pull_requests_merged", "pull_requests", ["repository_id", "merged_at", "number", "base"])
    op.create_table(
        "changed_files",
        _repository_id(),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("additions", sa.Integer, nullable=False),
        sa.Column("deletions", sa.Integer, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("previous_path", sa.Text),
        sa.Column("binary", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "number", "position", name="pk_changed_files"),
        _of_pull_request("changed_files"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "direct_commits",
        _repository_id(),
        sa.Column("commit", sa.String(64), nullable=False),
        sa.Column("committed_at", _INSTANT, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "commit", name="pk_direct_commits"),
        _of_repository("direct_commits"),
    )
    op.create_index("ix_direct_commits_committed", "direct_commits", ["repository_id", "committed_at"])
    op.create_table(
        "coverage",
        _repository_id(),
        sa.Column("since", _INSTANT, nullable=False),
        sa.Column("until", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "since", name="pk_coverage"),
        _of_repository("coverage"),
    )
    op.create_table(
        "releases",
        _repository_id(),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("tagged_at", _INSTANT, nullable=False),
        sa.Column("cut_at", _INSTANT),
        sa.Column("prerelease", sa.Boolean, nullable=False),
        sa.Column("picks", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "position", name="pk_releases"),
        _of_repository("releases"),
    )


def _conclusions() -> None:
    op.create_table(
        "assessments",
        _repository_id(),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("importance", sa.Double, nullable=False),
        sa.Column("reasons", sa.JSON, nullable=False),
        sa.Column("tags", sa.JSON, nullable=False),
        sa.Column("risks", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "number", name="pk_assessments"),
        _of_pull_request("assessments"),
    )
    op.create_table(
        "diff_facts",
        _repository_id(),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("old", sa.Text, nullable=False),
        sa.Column("new", sa.Text, nullable=False),
        sa.Column("lines", sa.Integer, nullable=False),
        sa.Column("other", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "number", "position", name="pk_diff_facts"),
        _of_pull_request("diff_facts"),
    )
