"""Whose holidays a subscription's digests heed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("subscriptions") as table:
        table.add_column(sa.Column("country", sa.String(8)))
        table.add_column(sa.Column("on_holiday", sa.String(8), nullable=False, server_default="post"))
