"""Levels of isolation as parameters of tests: the best of this machine every day. The others are slow, since each starts a zygote."""

from __future__ import annotations

import pytest

from bots.sandbox.levels import Level
from bots.sandbox.probe import best_level

BEST = best_level()


def from_level(lowest: Level) -> pytest.MarkDecorator:
    """Run a test at each level from ``lowest`` up that this machine offers."""
    levels = [level for level in Level if lowest <= level <= BEST]
    return pytest.mark.parametrize(
        "level", [pytest.param(level, id=str(level), marks=[pytest.mark.slow] if level < BEST else []) for level in levels]
    )


each_level = from_level(Level.L0)
each_locked_level = from_level(Level.L1)
