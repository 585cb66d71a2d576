"""Standings kept beside the results, so that a leaderboard need not add up all seats; and indexes for the newest matches and for faults."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_FAULTY = sa.text("fault IS NOT NULL")


def upgrade() -> None:
    """Add the table, the column that says how many matches it covers, and the indexes."""
    op.create_table(
        "standing",
        sa.Column("tournament_id", sa.Integer(), sa.ForeignKey("tournament.id"), primary_key=True),
        sa.Column("bot_version_id", sa.Integer(), sa.ForeignKey("bot_version.id"), primary_key=True),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("wins", sa.Float(), nullable=False),
        sa.Column("places", _BIG, nullable=False),
        sa.Column("points", _BIG, nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("decisions", _BIG, nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
    )
    op.add_column("tournament", sa.Column("rated", _BIG, nullable=False, server_default="0"))
    op.drop_index("ix_match_tournament_id", "match")
    op.create_index("ix_match_finished", "match", ["tournament_id", "finished"])
    op.create_index("ix_seat_fault", "seat", ["bot_version_id", "match_id"], sqlite_where=_FAULTY, postgresql_where=_FAULTY)
