"""Settings of the garbage collector during a run: it rarely runs, since results leave no cycles behind."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

OBJECTS: Final = 50_000
"""The number of new objects that start a collection. Python's 700 are a few matches, whose results would become old objects."""


@contextmanager
def sparing_collector() -> Iterator[None]:
    """Keep the collector from repeatedly traversing all modules and the results that wait to be stored."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
