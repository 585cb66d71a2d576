"""Inserting rows that may be there already, in either database's own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, Table

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite


def insert_or_replace(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that puts new values into rows whose primary key is there."""
    statement = _insert(connection, table)
    key = table.primary_key.columns.keys()
    return statement.on_conflict_do_update(
        index_elements=key, set_={column.name: statement.excluded[column.name] for column in table.columns if column.name not in key}
    )


def _insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    match connection.dialect.name:
        case "sqlite":
            from sqlalchemy.dialects import sqlite  # noqa: PLC0415  # each database's words are loaded where it is used

            return sqlite.insert(table)
        case "postgresql":
            from sqlalchemy.dialects import postgresql  # noqa: PLC0415  # as above

            return postgresql.insert(table)
        case other:
            raise TypeError(f"there are no words for {other}")
