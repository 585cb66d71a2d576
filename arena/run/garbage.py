"""What the garbage collector does during a run: hardly anything, since results leave no cycles behind."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

OBJECTS: Final = 50_000
"""So many new objects are looked at together; Python's own figure, 700, is that of a few matches, whose results then grow old early."""


@contextmanager
def sparing_collector() -> Iterator[None]:
    """Keep the collector from going through all modules, and through results that wait to be stored, again and again."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
