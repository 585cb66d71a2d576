"""Scores may have fractions. SQLite keeps a number with a fraction in a column of integers as it is, so only PostgreSQL has to be told."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Change the types of the two columns."""
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("seat", "score", type_=sa.Double(), existing_type=sa.Integer(), existing_nullable=False)
        op.alter_column("standing", "points", type_=sa.Double(), existing_type=sa.BigInteger(), existing_nullable=False)
