"""Seeds of games that were not given one."""

from __future__ import annotations

import numpy as np

from arena.tournament.seeds.keys import SEED_BITS


def draw_seed(random: np.random.Generator) -> int:
    """A game's seed."""
    return int(random.integers(1 << SEED_BITS))
