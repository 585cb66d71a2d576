"""Digests that a run leaves, for ``arena verify``. Tournaments of before have none until a run ends again.

Ratings were once kept after every match; those that are not kept any more (``leaderboard.ratings.results_fold.is_milestone``) are removed.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "seal",
        sa.Column("tournament_id", sa.Integer(), sa.ForeignKey("tournament.id"), primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(), primary_key=True),
        sa.Column("digest", sa.String(), nullable=False),
    )
    # From a power of two to the next, those are kept that a power of two divides: 32 of them.
    octaves = [(1 << bits, 1 << (bits - 5)) for bits in range(6, 31)]
    others = [f"(number >= {first} AND number < {2 * first} AND number % {step} <> 0)" for first, step in octaves]
    op.execute(sa.text(f"DELETE FROM rating WHERE {' OR '.join(others)}"))  # noqa: S608  # numbers of our own
