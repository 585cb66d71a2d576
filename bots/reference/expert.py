"""A bot that knows its game: it plays by the heuristic that belongs to it."""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from bots.reference.heuristics.registry import heuristic_of
from bots.reference.planner import Planner
from engine.core import Move, State, View


class Expert:
    """Knows what wins: plays by rules of thumb of its game, and looks to the end of its turn."""

    def start(self, info: MatchInfo) -> None:
        """Seed the dice, and find the game's heuristic. Raises LookupError for a game without one."""
        self.rng = random.Random(info.seed)
        self.heuristic = heuristic_of(info.game)
        self.planner: Planner | None = None
        if info.players == 1:  # nobody to reckon with: what counts is a plan
            self.planner = Planner()
            self.planner.start(info)

    def choose(self, view: View[State], clock: Clock) -> Move:  # it takes a few milliseconds
        """The heuristic's move; alone, the planner's."""
        if self.planner is not None:
            return self.planner.choose(view, clock)
        return self.heuristic.choose(view, self.rng)
