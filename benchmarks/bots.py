"""Bots for benchmarks; a tournament file can use them as ``benchmarks.bots:Class``.

``Steady`` and ``Slow`` take a fixed time for a match; the others are variants of reference bots, for comparison with them.
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
"""The fraction of decisions that ``Slips`` makes at random."""


class Steady(Random):
    """Counts before each random move, so that a two-player Tongiaki match takes about 5 ms on the machine of docs/performance.md."""

    rounds: ClassVar[int] = 2_500

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Count, then return one of the legal moves."""
        for _ in range(self.rounds):
            pass
        return super().choose(view, clock)


class Slow(Steady):
    """Like ``Steady``, but a match takes about 25 ms."""

    rounds = 16_500


class MctsByPoints(Mcts):
    """``mcts`` without a learned value function; it evaluates leaves with the points of the game's heuristic."""

    @staticmethod
    def find_value(info: MatchInfo) -> ValueFunction | None:
        """Return None, even if the game has a value function."""
        return None


class Slips(Expert):
    """``expert``, except that it makes one decision in ten at random."""

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the expert's move, or a random legal move."""
        if self.rng.random() < SLIPS:
            moves = view.legal_moves
            return moves[self.rng.randrange(len(moves))]
        return super().choose(view, clock)
