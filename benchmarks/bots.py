"""Bots for benchmarks; name them in a tournament file as ``benchmarks.bots:Class``.

``Steady`` and ``Slow`` take as long for a match as a benchmark wants; others are bots as they were, to measure what a change is worth.
"""

from __future__ import annotations

from typing import ClassVar

from bots.protocol import Clock, MatchInfo
from bots.reference.expert import Expert
from bots.reference.mcts import Mcts
from bots.reference.random import Random
from bots.reference.valuation.base import ValueFunction
from engine.core import Move, State, View

SLIPS = 0.1
"""The share of decisions that ``Slips`` plays at random."""


class Steady(Random):
    """Counts before each random move: a match of two at Tongiaki takes about 5 ms of CPU time on the machine of docs/performance.md."""

    rounds: ClassVar[int] = 2_500

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Count, then one of the legal moves."""
        for _ in range(self.rounds):
            pass
        return super().choose(view, clock)


class Slow(Steady):
    """The same, about 25 ms."""

    rounds = 16_500


class MctsByPoints(Mcts):
    """``mcts`` with leaves that are worth what the heuristic's points say, as it was before there were learned value functions."""

    @staticmethod
    def find_value(info: MatchInfo) -> ValueFunction | None:
        """Return nothing, whatever is known of the game."""
        return None


class Slips(Expert):
    """``expert`` that plays one decision in ten at random."""

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the expert's move, or one of the legal moves."""
        if self.rng.random() < SLIPS:
            moves = view.legal_moves
            return moves[self.rng.randrange(len(moves))]
        return super().choose(view, clock)
