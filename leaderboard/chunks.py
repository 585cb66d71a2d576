"""Splits long sequences, so that a query has a bounded number of ids and a schedule is never held in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, TypeVar

T = TypeVar("T")

CHUNK: Final = 500
"""The number of items in a chunk, such as the ids in one query."""


def chunks(items: Iterable[T]) -> Iterator[list[T]]:
    """Yield the items in lists of ``CHUNK``, the last one perhaps shorter; items are consumed lazily, one list at a time."""
    iterator = iter(items)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk
