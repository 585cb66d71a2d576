"""A bot that would rather see the others lose: it holds the strongest rival down before it looks after itself."""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from bots.reference.lookahead import best_move
from engine.core import Move, State, View


class Spoiler:
    """The fewest points for the strongest rival at the end of its own turn; its own points count half."""

    def start(self, info: MatchInfo) -> None:
        """Seed the dice."""
        self.rng = random.Random(info.seed)

    def choose(self, view: View[State], clock: Clock) -> Move:  # it takes a few milliseconds
        """The move that leaves the strongest rival worst off."""
        return best_move(view, self.rng, damage)


def damage(state: State, seat: int) -> float:
    """Half the own points less those of the strongest rival."""
    points = state.tally()["points"]
    rivals = [points[other] for other in range(state.players) if other != seat]
    return points[seat] / 2 - max(rivals, default=0)
