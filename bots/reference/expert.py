"""The bot ``expert``, which plays the move chosen by its game's heuristic."""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from bots.reference.heuristics.registry import heuristic_of
from bots.reference.planner import Planner
from engine.core import Move, State, View


class Expert:
    """Plays the moves of its game's heuristic, or follows the heuristic's plan for a whole game, as in Sunda's solo play."""

    needs_heuristic = True
    """Whether the bot can play only games that have a heuristic, and is refused for other games."""

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers and look up the game's heuristic. Raises LookupError for a game without one."""
        self.rng = random.Random(info.seed)
        self.heuristic = heuristic_of(info.game)
        planner = Planner()
        planner.start(info)
        self.planner = None if planner.plan is None else planner  # in solo play, a plan for the whole game is best

    def choose(self, view: View[State], clock: Clock) -> Move:  # it takes a few milliseconds
        """Return the move of the bot ``planner`` if the whole game can be planned, or else the heuristic's move."""
        if self.planner is not None:
            return self.planner.choose(view, clock)
        return self.heuristic.choose(view, self.rng)
