"""The tables as they were before there were revisions (``arena_schema`` version 1)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_EXACT = sa.String().with_variant(sa.String(collation="C"), "postgresql")
_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make all tables."""
    op.create_table("arena_schema", sa.Column("version", sa.Integer(), primary_key=True, autoincrement=False))
    op.create_table(
        "bot",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", _EXACT, nullable=False),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", _EXACT, nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("seed", _BIG, nullable=False),
        sa.Column("spec", sa.String(), nullable=False),
        sa.Column("total", _BIG, nullable=False),
        sa.Column("created", _TIME, nullable=False),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "bot_version",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("bot_id", sa.Integer(), sa.ForeignKey("bot.id"), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("created", _TIME, nullable=False),
        sa.UniqueConstraint("bot_id", "digest"),
    )
    op.create_table(
        "match",
        sa.Column("id", _EXACT, primary_key=True),
        sa.Column("tournament_id", sa.Integer(), sa.ForeignKey("tournament.id"), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("block", sa.Integer(), nullable=False),
        sa.Column("rotation", sa.Integer(), nullable=False),
        sa.Column("seed", _BIG, nullable=False),
        sa.Column("end", sa.String(), nullable=False),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("replay", sa.LargeBinary(), nullable=False),
        sa.Column("isolation", sa.String(), nullable=False),
        sa.Column("finished", _TIME, nullable=False),
    )
    op.create_index("ix_match_tournament_id", "match", ["tournament_id"])
    op.create_table(
        "void",
        sa.Column("match_id", _EXACT, primary_key=True),
        sa.Column("tournament_id", sa.Integer(), sa.ForeignKey("tournament.id"), nullable=False),
        sa.Column("seats", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("happened", _TIME, nullable=False),
    )
    op.create_index("ix_void_tournament_id", "void", ["tournament_id"])
    op.create_table(
        "entrant",
        sa.Column("tournament_id", sa.Integer(), sa.ForeignKey("tournament.id"), primary_key=True),
        sa.Column("bot_version_id", sa.Integer(), sa.ForeignKey("bot_version.id"), primary_key=True),
    )
    op.create_table(
        "seat",
        sa.Column("match_id", _EXACT, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("seat", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("bot_version_id", sa.Integer(), sa.ForeignKey("bot_version.id"), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("fault", sa.String()),
        sa.Column("fault_index", sa.Integer()),
        sa.Column("fault_detail", sa.String()),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("cpu_seconds", sa.Float(), nullable=False),
        sa.Column("peak_memory", _BIG),
    )
    op.create_index("ix_seat_bot_version_id", "seat", ["bot_version_id"])
    op.create_table(
        "seat_log",
        sa.Column("match_id", _EXACT, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("seat", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("kept", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "submission",
        sa.Column("bot_version_id", sa.Integer(), sa.ForeignKey("bot_version.id"), primary_key=True),
        sa.Column("bot_id", sa.Integer(), sa.ForeignKey("bot.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("submitted", _TIME, nullable=False),
        sa.Column("retired", _TIME),
        sa.UniqueConstraint("bot_id", "number"),
    )
    op.create_table(
        "rating",
        sa.Column("tournament_id", sa.Integer(), sa.ForeignKey("tournament.id"), primary_key=True),
        sa.Column("bot_version_id", sa.Integer(), sa.ForeignKey("bot_version.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("match_id", _EXACT, sa.ForeignKey("match.id"), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
    )
