"""Tokens that contestants submit bots with, and matches of people, which rate nobody."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_EXACT = sa.String().with_variant(sa.String(collation="C"), "postgresql")
_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the two tables."""
    op.create_table(
        "token",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("digest", sa.String(), nullable=False, unique=True),
        sa.Column("author", _EXACT, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked", sa.DateTime(timezone=True), nullable=True),
    )
    op.create_table(
        "casual",
        sa.Column("id", _EXACT, primary_key=True),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("seed", _BIG, nullable=False),
        sa.Column("seats", sa.String(), nullable=False),
        sa.Column("end", sa.String(), nullable=False),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("replay", sa.LargeBinary(), nullable=False),
        sa.Column("isolation", sa.String(), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_casual_finished", "casual", ["finished"])
