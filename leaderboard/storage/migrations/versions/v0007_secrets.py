"""Secrets of tournaments, and the block of a match apart from its seed. In older tournaments a block's matches share their seed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the table and the column."""
    op.create_table(
        "secret",
        sa.Column("tournament_id", sa.Integer(), sa.ForeignKey("tournament.id"), primary_key=True),
        sa.Column("commitment", sa.String(), nullable=False, unique=True),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("public_value", sa.String(), nullable=True),
    )
    op.add_column("match", sa.Column("block_key", _BIG, nullable=False, server_default="0"))
    op.execute("UPDATE match SET block_key = seed")
