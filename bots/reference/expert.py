"""A bot that knows its game: it plays the move that the heuristic of its game chooses."""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from bots.reference.heuristics.registry import heuristic_of
from bots.reference.planner import Planner
from engine.core import Move, State, View


class Expert:
    """Plays by the rules of thumb of its game, and looks to the end of its turn."""

    needs_heuristic = True
    """Whether it can't play a game without a heuristic, so that it is refused before a match of one."""

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers and look up the game's heuristic. Raises LookupError for a game without one."""
        self.rng = random.Random(info.seed)
        self.heuristic = heuristic_of(info.game)
        planner = Planner()
        planner.start(info)
        self.planner = None if planner.plan is None else planner  # without rivals a plan for the whole game is best

    def choose(self, view: View[State], clock: Clock) -> Move:  # it takes a few milliseconds
        """Return the heuristic's move; where the whole game can be planned, the planner's."""
        if self.planner is not None:
            return self.planner.choose(view, clock)
        return self.heuristic.choose(view, self.rng)
