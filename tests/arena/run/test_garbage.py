"""During a run the garbage collector does little, and afterwards as much as before, however the run ends."""

from __future__ import annotations

import gc
from contextlib import suppress

from arena.run.garbage import OBJECTS, sparing_collector


def test_the_collector_is_as_it_was_afterwards() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with suppress(KeyboardInterrupt), sparing_collector():
        assert gc.get_threshold() == (OBJECTS, *before[1:])
        assert gc.get_freeze_count() > frozen
        raise KeyboardInterrupt
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)
