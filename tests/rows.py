"""Rows of tables for tests."""

from __future__ import annotations

from typing import Any, TypeVar

from sqlmodel import SQLModel

RowT = TypeVar("RowT", bound=SQLModel)


def changed(row: RowT, **changes: Any) -> RowT:
    """A copy of a row with changes, which belongs to no session."""
    return type(row)(**{name: getattr(row, name) for name in type(row).model_fields} | changes)
