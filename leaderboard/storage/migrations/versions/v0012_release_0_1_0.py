"""The tables of release 0.1.0, which are made of the models: what comes after it is a revision on top of this one."""

from __future__ import annotations

revision = "0012"
down_revision = None


def upgrade() -> None:
    """Do nothing: a database that has these tables needs no change."""
