"""Inserting rows that may already be there, in either database's dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, Table

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite


def insert_or_replace(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """Return an insert that replaces the values of rows whose primary key is already there."""
    statement = _insert(connection, table)
    key = table.primary_key.columns.keys()
    return statement.on_conflict_do_update(
        index_elements=key, set_={column.name: statement.excluded[column.name] for column in table.columns if column.name not in key}
    )


def _insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    match connection.dialect.name:
        case "sqlite":
            from sqlalchemy.dialects import sqlite  # noqa: PLC0415  # a dialect is loaded only where it is used

            return sqlite.insert(table)
        case "postgresql":
            from sqlalchemy.dialects import postgresql  # noqa: PLC0415  # as above

            return postgresql.insert(table)
        case other:
            raise TypeError(f"upserts are not supported on {other}")
