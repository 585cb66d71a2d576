"""The tables of release 0.1.0, created from the models; later changes are revisions on top of this one."""

from __future__ import annotations

revision = "0012"
down_revision = None


def upgrade() -> None:
    """Do nothing: a database that has these tables needs no change."""
