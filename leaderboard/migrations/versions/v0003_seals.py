"""Digests that a run leaves, for ``arena verify``. Tournaments of before have none until a run ends again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "seal",
        sa.Column("tournament_id", sa.Integer(), sa.ForeignKey("tournament.id"), primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(), primary_key=True),
        sa.Column("digest", sa.String(), nullable=False),
    )
