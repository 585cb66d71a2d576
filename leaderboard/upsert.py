"""Inserting rows that may be there already, in either database's own words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

Insert = sqlite.Insert | postgresql.Insert

_INSERTS: Final[dict[str, Callable[[Table], Insert]]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def insert_or_replace(connection: Connection, table: Table) -> Insert:
    """An insert that puts new values into rows whose primary key is there."""
    insert = _INSERTS[connection.dialect.name](table)
    key = table.primary_key.columns.keys()
    return insert.on_conflict_do_update(
        index_elements=key, set_={column.name: insert.excluded[column.name] for column in table.columns if column.name not in key}
    )
