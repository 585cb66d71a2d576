"""What an expert of a game offers to those who search: a move at a glance, a first opinion of moves, and an outlook on a position."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

from engine.core import Move, State, View

StateT_contra = TypeVar("StateT_contra", bound=State, contravariant=True)


class Heuristic(Protocol[StateT_contra]):
    """The heuristic of one game. It keeps nothing between calls, so that equal questions get equal answers."""

    def choose(self, view: View[StateT_contra], rng: random.Random) -> Move:
        """The expert's own move, with all the thought it takes: a few milliseconds. Ties are broken by ``rng``."""

    def scores(self, state: StateT_contra, moves: Sequence[Move]) -> list[float]:
        """How good each of some legal moves looks for the seat that has to decide, in points at the end; only differences mean something.

        Microseconds a move, nothing is played: the first opinion of a search, and the policy of its playouts.
        """

    def evaluate(self, state: StateT_contra) -> list[float]:
        """The points that each seat may expect at the end of the game from here; of a game that is over, the score itself."""
