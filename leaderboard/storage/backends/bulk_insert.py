"""Inserting many rows at the driver's own speed: SQLAlchemy compiles the statement once and touches no value of a row.

Values must be of types that the database's driver accepts, as are numbers, texts and bytes; ``as_stored`` converts others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Column, Connection, Dialect, Table, insert


def insert_rows(connection: Connection, table: Table, keys: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> None:
    """Insert rows that have a value for each key, in the order of the table's columns."""
    statement, is_positional = _statement(connection.dialect, table, keys)
    if not rows:
        return
    connection.exec_driver_sql(statement, list(rows) if is_positional else [dict(zip(keys, row, strict=True)) for row in rows])


def as_stored(connection: Connection, column: Column[Any], value: object) -> object:
    """Return the value as the database's driver accepts it for that column."""
    process = column.type.dialect_impl(connection.dialect).bind_processor(connection.dialect)
    return value if process is None else process(value)


@lru_cache(maxsize=16)
def _statement(dialect: Dialect, table: Table, keys: tuple[str, ...]) -> tuple[str, bool]:
    """Return the statement, and whether its parameters are positional, in the order of the keys, rather than named."""
    compiled = insert(table).compile(dialect=dialect, column_keys=list(keys))
    assert not dialect.positional or compiled.positiontup == list(keys)
    return str(compiled), dialect.positional
