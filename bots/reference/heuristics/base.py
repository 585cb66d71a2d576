"""The interface of a game's heuristic: an expert's move, quick scores for moves, and an evaluation of a position."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

from engine.core import Move, State, View

StateT_contra = TypeVar("StateT_contra", bound=State, contravariant=True)


class Heuristic(Protocol[StateT_contra]):
    """What a bot may know of one game. Stateless, so that equal questions get equal answers."""

    def choose(self, view: View[StateT_contra], rng: random.Random) -> Move:
        """Return the expert's move, in a few milliseconds. Ties are broken by ``rng``."""

    def scores(self, state: StateT_contra, moves: Sequence[Move]) -> list[float]:
        """Score some legal moves for the seat that has to decide, in points at the end; only differences mean anything.

        It takes microseconds per move and plays nothing: a search uses it as its prior and as the policy of its playouts.
        """

    def evaluate(self, state: StateT_contra) -> list[float]:
        """Return the points that each seat may expect at the end of the game; once the game is over, its scores."""
