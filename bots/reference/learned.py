"""The bot ``learned``, which looks ahead to the end of its turn and compares positions using a value function learned in self-play."""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from bots.reference.expert import Expert
from bots.reference.heuristics.registry import heuristic_of
from bots.reference.search.by_value import best_by_value
from bots.reference.valuation.registry import find_value
from engine.core import Move, State, View


class Learned:
    """Chooses the move with the best value at the end of its turn, according to its game's value function."""

    needs_heuristic = True
    """Whether the bot can play only games that have a heuristic, and is refused for other games."""

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers and look up the game's heuristic. Raises LookupError for a game without a heuristic."""
        self.rng = random.Random(info.seed)
        self.heuristic = heuristic_of(info.game)
        self.value = find_value(info.game)
        self.expert: Expert | None = None
        if info.players == 1 or self.value is None or not self.value.is_learned:  # no ranks in solo play
            self.expert = Expert()
            self.expert.start(info)

    def choose(self, view: View[State], clock: Clock) -> Move:  # it takes a few milliseconds
        """Return the move with the best value, or the expert's move in solo play and for games without a learned value function."""
        if self.expert is not None or self.value is None:
            assert self.expert is not None
            return self.expert.choose(view, clock)
        return best_by_value(view, self.heuristic, self.value, self.rng)
