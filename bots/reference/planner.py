"""A bot that plans a whole game before its first move, where the heuristic of the game can; anywhere else it plays like ``greedy``."""

from __future__ import annotations

from bots.protocol import Clock, MatchInfo
from bots.reference.greedy import Greedy
from engine.core import Move, State, View


class Planner(Greedy):
    """Plans the whole game where that is possible, as in a game for one; otherwise plays like greedy."""

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers and ask the game's heuristic for a plan."""
        super().start(info)
        self.plan = None if self.heuristic is None else self.heuristic.plan(info.players, self.rng)

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the next move of the plan, or greedy's move where there is no plan or the game has left it."""
        move = None if self.plan is None else self.plan.next_move(view)
        return super().choose(view, clock) if move is None else move
