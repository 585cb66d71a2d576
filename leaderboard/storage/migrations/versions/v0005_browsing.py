"""Indexes for looking through matches: one that lists them newest first with all that filters ask for, one that says who sat where."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the two; the older list, which knew no more than the moment, is the beginning of the new one."""
    op.create_index("ix_match_list", "match", ["tournament_id", "finished", "id", "players", "block", "end"])
    op.drop_index("ix_match_finished", "match")
    op.create_index("ix_seat_bots", "seat", ["match_id", "bot_version_id", "seat"])
