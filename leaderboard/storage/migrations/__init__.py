"""The history of the tables since release 0.1.0, as Alembic revisions, and the one function that brings a database up to date.

New databases are made of the models at once and need no revision; ``versions`` begins with that release, whose tables are version 12.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def upgrade(connection: Connection, before: int, *, versions: Path | None = None) -> None:
    """Bring tables of version ``before`` up to date within the transaction that the connection is in.

    ``versions`` is a folder of revisions, other than the program's own.
    """
    folder = Path(__file__).parent
    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", str(versions or folder / "versions").replace("%", "%%"))
    config.attributes["connection"] = connection
    command.stamp(config, f"{before:04}")
    command.upgrade(config, "head")
