"""A bot that wants points now: it takes the move that gives it the largest lead at the end of its turn."""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from bots.reference.heuristics.sunda_placement import PlacementWeights
from bots.reference.search.one_ply import best_move
from engine.core import Move, State, View

WEIGHTS = PlacementWeights()
"""Close nodes, complete islands where it has tokens, don't make nodes ready for others."""


class Greedy:
    """Takes the move that gives it the largest lead at the end of its turn."""

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers."""
        self.rng = random.Random(info.seed)

    def choose(self, view: View[State], clock: Clock) -> Move:  # it takes a few milliseconds
        """Return the move with the largest lead after it."""
        return best_move(view, self.rng, lead, WEIGHTS)


def lead(state: State, seat: int) -> float:
    """Own points less the mean of the others', and half a point for each island held where the tally counts islands."""
    tally = state.tally()
    points = tally["points"]
    others = [points[other] for other in range(state.players) if other != seat]
    value = points[seat] - (sum(others) / len(others) if others else 0.0)
    if "islands" in tally:
        value += 0.5 * tally["islands"][seat]
    return value
