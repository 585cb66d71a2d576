"""Seeds for games that were not given one."""

from __future__ import annotations

import numpy as np

from arena.tournament.seeds.keys import SEED_BITS


def draw_seed(random: np.random.Generator) -> int:
    """Draw the seed of a game."""
    return int(random.integers(1 << SEED_BITS))
