"""Bots for benchmarks: they move at random, and count to a number before each move, so that a match takes as long as a benchmark wants."""

from __future__ import annotations

from typing import ClassVar

from bots.protocol import Clock
from bots.reference.random import Random
from engine.core import Move, State, View


class Steady(Random):
    """A match of two at Tongiaki takes about 5 ms of CPU time on a machine like that of docs/performance.md."""

    rounds: ClassVar[int] = 2_500

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Count, then one of the legal moves."""
        for _ in range(self.rounds):
            pass
        return super().choose(view, clock)


class Slow(Steady):
    """The same, about 25 ms."""

    rounds = 16_500
