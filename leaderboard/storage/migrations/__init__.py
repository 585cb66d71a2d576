"""The history of the tables, as Alembic revisions, and the one function that brings a database up to date."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def migrate(connection: Connection, *, begun_with: str | None = None, target: str = "head") -> None:
    """Bring the tables up to the ``target`` revision within the transaction that the connection is in.

    ``begun_with`` is the revision of tables that were made before there were revisions, and do not say so themselves.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    if begun_with is not None:
        command.stamp(config, begun_with)
    command.upgrade(config, target)
