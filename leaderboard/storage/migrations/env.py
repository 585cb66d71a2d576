"""Alembic runs this for each command: the revisions, on the connection and in the transaction passed by ``migrate``."""

from __future__ import annotations

from alembic import context
from sqlmodel import SQLModel

from leaderboard.storage.tables import load_all

load_all()
context.configure(connection=context.config.attributes["connection"], target_metadata=SQLModel.metadata)
context.run_migrations()
