"""The bot ``greedy``, which chooses the move that gives it the largest lead at the end of its turn."""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from bots.reference.heuristics.base import Aim
from bots.reference.heuristics.registry import find_heuristic
from bots.reference.search.one_ply import TurnSearch, points_of
from engine.core import Move, State, View


class Greedy:
    """Chooses the move that gives it the largest lead at the end of its turn."""

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers and look up the game's heuristic, if the game has one."""
        self.rng = random.Random(info.seed)
        self.heuristic = find_heuristic(info.game)
        self.search = TurnSearch(self.heuristic, Aim.LEAD, self.lead, self.rng)

    def choose(self, view: View[State], clock: Clock) -> Move:  # it takes a few milliseconds
        """Return the move that gives the bot the largest lead at the end of its turn."""
        return self.search.best_move(view)

    def lead(self, state: State, seat: int) -> float:
        """Return the seat's points, including assets that are not counted yet, minus the mean of the other seats' points."""
        points = points_of(state)
        others = [points[other] for other in range(state.players) if other != seat]
        value = points[seat] - (sum(others) / len(others) if others else 0.0)
        return value if self.heuristic is None else value + self.heuristic.assets(state, seat)
