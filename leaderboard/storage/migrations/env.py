"""Alembic runs this for each command: the revisions, on the connection and in the transaction passed by ``migrate``."""

from __future__ import annotations

from alembic import context
from sqlmodel import SQLModel

import leaderboard.storage.tables  # noqa: F401  # it declares the tables

context.configure(connection=context.config.attributes["connection"], target_metadata=SQLModel.metadata)
context.run_migrations()
