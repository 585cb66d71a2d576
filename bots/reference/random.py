"""A bot that plays any legal move, each as likely as the next."""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from engine.core import Move, State, View


class Random:
    """Any legal move, each as likely as the next."""

    def start(self, info: MatchInfo) -> None:
        """Seed the dice."""
        self.rng = random.Random(info.seed)

    def choose(self, view: View[State], clock: Clock) -> Move:  # it takes no time
        """One of the legal moves."""
        return view.legal_moves.random(self.rng)
