"""Contents of bots that were not submitted, so that what played can be played again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "content",
        sa.Column("bot_version_id", sa.Integer(), sa.ForeignKey("bot_version.id"), primary_key=True, autoincrement=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
    )
