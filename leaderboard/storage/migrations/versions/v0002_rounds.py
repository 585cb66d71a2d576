"""Formats played in rounds: the round of a match, and the one before which a bot joined. Older tournaments have one round, 0."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the two columns."""
    op.add_column("match", sa.Column("round", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("entrant", sa.Column("joined", sa.Integer(), nullable=False, server_default="0"))
