"""The base of a game's heuristic: an expert's move, quick scores for moves, an evaluation of positions, and hints for bots that search."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from enum import Enum, auto
from typing import Generic, Protocol, TypeAlias, TypeVar

from engine.core import Move, State, View

StateT = TypeVar("StateT", bound=State)

Ranked: TypeAlias = list[tuple[float, Move]]
"""Moves with their scores, best first unless noted otherwise."""


class Aim(Enum):
    """What a bot that looks no further than its own turn plays for."""

    LEAD = auto()
    """Its own points minus those of the others."""
    DAMAGE = auto()
    """Few points for its strongest rival, before its own."""


class Plan(Protocol):
    """A whole game that one seat has planned by itself."""

    def next_move(self, view: View[State]) -> Move | None:
        """Return the legal move that the plan has for this position, or None if the game has left the plan."""


class Heuristic(ABC, Generic[StateT]):
    """Knowledge about one game for bots. Stateless, so that equal questions get equal answers.

    The first three methods are required. The others are for peculiarities of a game; their defaults fit a game with a few dozen legal
    moves, in which a turn is one decision or several in a row.
    """

    @abstractmethod
    def choose(self, view: View[StateT], rng: random.Random) -> Move:
        """Return the expert's move, in a few milliseconds. Ties are broken by ``rng``."""

    @abstractmethod
    def scores(self, state: StateT, moves: Sequence[Move]) -> list[float]:
        """Score some legal moves for the seat that has to decide, in points at the end; only differences mean anything.

        It takes microseconds per move and plays nothing: a search uses it as its prior and as the policy of its playouts.
        """

    @abstractmethod
    def evaluate(self, state: StateT) -> list[float]:
        """Return the points that each seat may expect at the end of the game; once the game is over, its scores."""

    # For bots that look to the end of their turn (search.one_ply).

    def quick_move(self, view: View[StateT], rng: random.Random, aim: Aim) -> Move | None:
        """Return a move for a decision with too many moves to try each, without search; None where they shall be tried."""
        return None

    def begins_anew(self, state: StateT) -> bool:
        """Return whether what the seat decides now does not depend on what it has just done, so that its turn is as good as over."""
        return False

    def assets(self, state: StateT, seat: int) -> float:
        """Return the value, in points, of a seat's assets that are not counted in its points yet."""
        return 0.0

    def plan(self, players: int, rng: random.Random) -> Plan | None:
        """Return a plan for a whole game of that many seats, made at its first move; None if there is no planning."""
        return None

    # For bots that search a tree (search.tree).

    def unveil(self, state: StateT) -> None:
        """Change a view's position to that in which the seats began to choose, if some have chosen something that is still hidden."""

    def candidates(self, state: StateT) -> Ranked | None:
        """Return the moves that stand out with their scores, in any order, perhaps none, found without listing all legal moves.

        None if all should be listed and scored.
        """
        return None

    def kind_of(self, move: Move) -> Hashable:
        """Return a key, so that of the moves with equal keys and equal scores only one is tried; None for a move unlike all others."""
        return None

    def is_quiet(self, state: StateT, mover: int) -> bool:
        """Return whether a position can be evaluated; ``mover`` is the seat that moved last. By default, when its turn is over."""
        return state.actor != mover

    def takings(self, state: StateT, choices: Ranked) -> list[float] | None:
        """Return the points that each seat may take before an evaluation counts; None to play on. ``choices`` are candidates."""
        return None
