"""The bot ``planner``. If the game's heuristic can plan the whole game, it follows such a plan; otherwise it plays like ``greedy``."""

from __future__ import annotations

from bots.protocol import Clock, MatchInfo
from bots.reference.greedy import Greedy
from engine.core import Move, State, View


class Planner(Greedy):
    """Follows a plan for the whole game if the heuristic can make one, as in Sunda's solo play, and otherwise plays like ``greedy``."""

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers and get a plan from the game's heuristic, if it can make one."""
        super().start(info)
        self.plan = None if self.heuristic is None else self.heuristic.plan(info.players, self.rng)

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the next move of the plan, or the move of ``greedy`` if there is no plan or the game has departed from it."""
        move = None if self.plan is None else self.plan.next_move(view)
        return super().choose(view, clock) if move is None else move
