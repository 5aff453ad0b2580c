"""Who is told what, when, and what they said: subscriptions, the ledger, the inbox, channels and reports."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("repositories", sa.Column("begins_at", _INSTANT))
    op.add_column("repositories", sa.Column("fresh_until", _INSTANT))
    op.add_column("messages", sa.Column("key", sa.Text))
    op.create_index("ix_messages_key", "messages", ["key"], unique=True)
    _add_subscriptions()
    _add_ledger()
    _add_inbox()
    _add_channels()


def _add_subscriptions() -> None:
    op.create_table(
        "subscriptions",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("platform", sa.String(16), nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("repositories", sa.JSON, nullable=False),
        sa.Column("day", sa.Integer, nullable=False),
        sa.Column("time", sa.String(5), nullable=False),
        sa.Column("timezone", sa.Text, nullable=False),
        sa.Column("exclude_authors", sa.JSON, nullable=False),
        sa.Column("exclude_paths", sa.JSON, nullable=False),
        sa.Column("listen", sa.String(8), nullable=False),
        sa.Column("from_file", sa.Boolean, nullable=False),
        sa.Column("added_at", _INSTANT, nullable=False),
        sa.Column("changed_by", sa.Text),
        sa.Column("removed_at", _INSTANT),
        sa.PrimaryKeyConstraint("id", name="pk_subscriptions"),
    )
    op.create_index("ix_subscriptions_channel", "subscriptions", ["platform", "channel"])


def _add_ledger() -> None:
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("platform", sa.String(16), nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("subscription", sa.String(40), nullable=False),
        sa.Column("since", _INSTANT, nullable=False),
        sa.Column("until", _INSTANT, nullable=False),
        sa.Column("timezone", sa.Text, nullable=False),
        sa.Column("repositories", sa.JSON, nullable=False),
        sa.Column("due_at", _INSTANT, nullable=False),
        sa.Column("planned_at", _INSTANT, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("owner", sa.String(40)),
        sa.Column("lease_until", _INSTANT),
        sa.Column("fence", sa.Integer, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("not_before", _INSTANT),
        sa.Column("finished_at", _INSTANT),
        sa.Column("note", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
        sa.UniqueConstraint("platform", "channel", "subscription", "since", "until", name="uq_deliveries_period"),
    )
    op.create_index("ix_deliveries_state", "deliveries", ["state", "not_before"])
    op.create_table(
        "delivery_parts",
        sa.Column("delivery_id", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempted_at", _INSTANT),
        sa.Column("sent_at", _INSTANT),
        sa.Column("remote_id", sa.Text),
        sa.Column("cites", sa.JSON, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("delivery_id", "position", name="pk_delivery_parts"),
        sa.ForeignKeyConstraint(
            ["delivery_id"], ["deliveries.id"], name="fk_delivery_parts_deliveries", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("key", name="uq_delivery_parts_key"),
    )
    op.create_index("ix_delivery_parts_remote", "delivery_parts", ["remote_id"])


def _add_inbox() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("platform", sa.String(16), nullable=False),
        sa.Column("received_at", _INSTANT, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("owner", sa.String(40)),
        sa.Column("lease_until", _INSTANT),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    op.create_index("ix_events_state", "events", ["state", "lease_until"])
    op.create_table(
        "event_keys",
        sa.Column("platform", sa.String(16), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("seen_at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("platform", "key", name="pk_event_keys"),
    )
    op.create_index("ix_event_keys_seen", "event_keys", ["seen_at"])


def _add_channels() -> None:
    op.create_table(
        "channels",
        sa.Column("platform", sa.String(16), nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("welcomed_at", _INSTANT),
        sa.Column("external", sa.Boolean),
        sa.PrimaryKeyConstraint("platform", "channel", name="pk_channels"),
    )
    op.create_table(
        "reports",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("platform", sa.String(16), nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("thread", sa.Text),
        sa.Column("message", sa.Text),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.Column("told_channel", sa.Text),
        sa.Column("told_message", sa.Text),
        sa.Column("corrected_at", _INSTANT),
        sa.PrimaryKeyConstraint("id", name="pk_reports"),
    )
    op.create_index("ix_reports_told", "reports", ["platform", "told_channel", "told_message"])
