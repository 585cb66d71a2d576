"""A bot that knows its game: it plays the move that the heuristic of its game chooses."""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from bots.reference.heuristics.registry import heuristic_of
from bots.reference.planner import Planner
from engine.core import Move, State, View


class Expert:
    """Plays by the rules of thumb of its game, and looks to the end of its turn."""

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers and look up the game's heuristic. Raises LookupError for a game without one."""
        self.rng = random.Random(info.seed)
        self.heuristic = heuristic_of(info.game)
        self.planner: Planner | None = None
        if info.players == 1:  # without rivals a plan for the whole table is best
            self.planner = Planner()
            self.planner.start(info)

    def choose(self, view: View[State], clock: Clock) -> Move:  # it takes a few milliseconds
        """Return the heuristic's move; alone at the table, the planner's."""
        if self.planner is not None:
            return self.planner.choose(view, clock)
        return self.heuristic.choose(view, self.rng)
