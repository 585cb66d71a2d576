"""Levels of isolation as parameters of tests: the best of this machine every day. The others are slow, since each starts a zygote."""

from __future__ import annotations

import pytest

from bots.limits import Level
from bots.sandbox.probe import best_level

BEST = best_level()


OWN_PROCESS = [
    pytest.param(level, id=str(level), marks=[pytest.mark.slow] if level < BEST else []) for level in Level if Level.L0 <= level <= BEST
]
"""Every level that this machine offers at which a bot has a process of its own."""
each_level = pytest.mark.parametrize("level", OWN_PROCESS)
each_locked_level = pytest.mark.parametrize("level", OWN_PROCESS[1:])
