"""Inserting rows: many at the driver's own speed, or rows that may already be there, in either database's dialect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Connection, Dialect, Table, insert

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, object]], *, replace: bool = False) -> None:
    """Insert rows of the same keys, which are in the order of the table's columns; ``replace`` rows with their primary keys.

    SQLAlchemy compiles the statement once and converts no values, so they must be of types that the database's driver accepts, such as
    numbers, texts and bytes; ``storing`` converts others.
    """
    if not rows:
        return
    statement, is_positional = _statement(connection.dialect, table, tuple(rows[0]), replace)
    connection.exec_driver_sql(statement, [tuple(row.values()) if is_positional else dict(row) for row in rows])


def storing(connection: Connection, column: Column[Any]) -> Callable[[Any], object]:
    """Return a function that converts a value of the column to one that the database's driver accepts."""
    return column.type.dialect_impl(connection.dialect).bind_processor(connection.dialect) or (lambda value: value)


@lru_cache(maxsize=16)
def _statement(dialect: Dialect, table: Table, keys: tuple[str, ...], replace: bool) -> tuple[str, bool]:
    """Return the statement, and whether its parameters are positional, in the order of the keys, rather than named."""
    compiled = (_replacing(dialect.name, table) if replace else insert(table)).compile(dialect=dialect, column_keys=list(keys))
    assert not dialect.positional or compiled.positiontup == list(keys)
    return str(compiled), dialect.positional


def insert_or_replace(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """Return an insert that replaces the values of rows whose primary key is already there."""
    return _replacing(connection.dialect.name, table)


@lru_cache(maxsize=16)
def _replacing(dialect: str, table: Table) -> sqlite.Insert | postgresql.Insert:
    match dialect:
        case "sqlite":
            from sqlalchemy.dialects import sqlite  # noqa: PLC0415  # a dialect is loaded only where it is used

            statement: sqlite.Insert | postgresql.Insert = sqlite.insert(table)
        case "postgresql":
            from sqlalchemy.dialects import postgresql  # noqa: PLC0415  # as above

            statement = postgresql.insert(table)
        case other:
            raise TypeError(f"upserts are not supported on {other}")
    key = table.primary_key.columns.keys()
    return statement.on_conflict_do_update(
        index_elements=key, set_={column.name: statement.excluded[column.name] for column in table.columns if column.name not in key}
    )
