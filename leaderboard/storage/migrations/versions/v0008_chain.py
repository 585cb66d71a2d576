"""The chain of seals, one link for each run; a match and a void match say which link is the first to cover them.

What was stored before is covered by the first link of its tournament.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the table and the two columns."""
    op.create_table(
        "seal_link",
        sa.Column("tournament_id", sa.Integer(), sa.ForeignKey("tournament.id"), primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("signature", sa.String(), nullable=True),
    )
    op.add_column("match", sa.Column("link", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("void", sa.Column("link", sa.Integer(), nullable=False, server_default="1"))
