"""Seeds and actions as they are given to environments, and seeds for games that were not given one."""

from __future__ import annotations

from operator import index
from typing import Any

import gymnasium
import numpy as np

from arena.spec.keys import SEED_BITS


def draw_seed(random: np.random.Generator) -> int:
    """Draw the seed of a game."""
    return int(random.integers(1 << SEED_BITS))


def read_seed(seed: Any) -> int:
    """Return a seed as an integer. Raises Gymnasium's Error."""
    try:
        found = index(seed)
    except TypeError:
        found = -1
    if found < 0:
        raise gymnasium.error.Error(f"a seed is a non-negative integer or None, not {seed!r:.80}")
    return found


def read_action(action: Any) -> int:
    """Return an action as an integer. Raises ValueError."""
    try:
        return index(action)
    except TypeError:
        raise ValueError(f"an action is an integer, the index of a legal move, not {action!r:.80}") from None
