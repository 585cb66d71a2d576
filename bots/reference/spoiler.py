"""A bot that holds its strongest rival down before it looks after itself."""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from bots.reference.heuristics.sunda_placement import PlacementWeights
from bots.reference.search.one_ply import best_move
from engine.core import Move, State, View

WEIGHTS = PlacementWeights(own_next=0.0, rival_next=-1.5)
"""Above all, leave no node that the next player can close."""


class Spoiler:
    """Holds the strongest rival down first; its own points count half."""

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers."""
        self.rng = random.Random(info.seed)

    def choose(self, view: View[State], clock: Clock) -> Move:  # it takes a few milliseconds
        """Return the move that is best for half of its own points less the strongest rival's."""
        return best_move(view, self.rng, damage, WEIGHTS)


def damage(state: State, seat: int) -> float:
    """Return half of the seat's points, less those of its strongest rival."""
    points = state.tally()["points"]
    rivals = [points[other] for other in range(state.players) if other != seat]
    return points[seat] / 2 - max(rivals, default=0)
