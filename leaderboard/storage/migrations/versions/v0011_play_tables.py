"""Tables at which people play, with their moves so far and what was written there."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_EXACT = sa.String().with_variant(sa.String(collation="C"), "postgresql")
_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the three tables."""
    texts = ("ticket", "chairs", "faults")
    later = ("stage", "problem", "match", "rematch")
    op.create_table(
        "play_table",
        sa.Column("id", _EXACT, primary_key=True),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("options", sa.String(), nullable=False),
        sa.Column("seed", _BIG, nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in texts),
        sa.Column("maker", sa.Integer(), nullable=False),
        sa.Column("browser", sa.String(), nullable=False),
        sa.Column("listed", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in later),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("touched", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "play_move",
        sa.Column("table_id", _EXACT, sa.ForeignKey("play_table.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("move", sa.String(), nullable=False),
    )
    op.create_table(
        "play_line",
        sa.Column("table_id", _EXACT, sa.ForeignKey("play_table.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("at", _BIG, nullable=False),
    )
