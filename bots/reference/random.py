"""The bot ``random``, which plays any legal move with equal probability."""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from engine.core import Move, State, View


class Random:
    """Plays any legal move with equal probability."""

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers."""
        self.rng = random.Random(info.seed)

    def choose(self, view: View[State], clock: Clock) -> Move:  # it takes no time
        """Return one of the legal moves."""
        return view.legal_moves.random(self.rng)
