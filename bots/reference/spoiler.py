"""The bot ``spoiler``, which hinders its strongest rival more than it looks after itself."""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from bots.reference.heuristics.base import Aim
from bots.reference.heuristics.registry import find_heuristic
from bots.reference.search.one_ply import TurnSearch, points_of
from engine.core import Move, State, View


class Spoiler:
    """Maximises ``own / 2 - rival``: half of its own points, minus all points of its strongest rival."""

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers and look up the game's heuristic, if the game has one."""
        self.search = TurnSearch(find_heuristic(info.game), Aim.DAMAGE, damage, random.Random(info.seed))

    def choose(self, view: View[State], clock: Clock) -> Move:  # it takes a few milliseconds
        """Return the move after which `damage` is largest at the end of the turn."""
        return self.search.best_move(view)


def damage(state: State, seat: int) -> float:
    """Return half of the seat's points, minus the points of its strongest rival."""
    points = points_of(state)
    rivals = [points[other] for other in range(state.players) if other != seat]
    return points[seat] / 2 - max(rivals, default=0)
