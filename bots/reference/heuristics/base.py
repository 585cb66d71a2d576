"""The base class of a game's heuristic: an expert's move, quick scores for moves, an evaluation of positions, and hints for searches."""

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
    """What a bot maximises if it looks ahead only to the end of its own turn."""

    LEAD = auto()
    """The bot's own points minus the mean of the other seats' points."""
    DAMAGE = auto()
    """Few points for the strongest rival; the bot's own points matter less."""


class Plan(Protocol):
    """A plan for all moves of a solo game."""

    def next_move(self, view: View[State]) -> Move | None:
        """Return the plan's next move, which is legal in this position, or None if the game has departed from the plan."""


class Heuristic(ABC, Generic[StateT]):
    """The knowledge that bots have of one game. It is stateless.

    The first three methods are required. The others are for peculiarities of a game; their defaults suit a game with a few dozen legal
    moves, in which a turn is one decision or several in a row.
    """

    @abstractmethod
    def choose(self, view: View[StateT], rng: random.Random) -> Move:
        """Return the move of the bot ``expert``, within a few milliseconds. Ties are broken with ``rng``."""

    @abstractmethod
    def scores(self, state: StateT, moves: Sequence[Move]) -> list[float]:
        """Estimate the final points after each of the legal moves ``moves``, for the seat to move; only differences are meaningful.

        This must take only microseconds per move and must not play moves, since searches use it as their prior and as their playout policy.
        """

    @abstractmethod
    def evaluate(self, state: StateT) -> list[float]:
        """Return the expected final points of each seat or, once the game is over, the scores."""

    # For bots that look ahead to the end of their turn (search.one_ply)

    def quick_move(self, view: View[StateT], rng: random.Random, aim: Aim) -> Move | None:
        """Return a move chosen without a search if the decision has too many moves to try, or None if the bot should try the moves."""
        return None

    def begins_anew(self, state: StateT) -> bool:
        """Return whether the seat's next decision no longer depends on its previous one. A search of one turn
        then ends before that decision, as it does at the end of the turn."""
        return False

    def assets(self, state: StateT, seat: int) -> float:
        """Return the value, in points, of a seat's assets that its points do not include yet."""
        return 0.0

    def plan(self, players: int, rng: random.Random) -> Plan | None:
        """Return a plan for a whole game with ``players`` seats, or None if such games can't be planned."""
        return None

    # For bots that search a tree (search.tree)

    def unveil(self, state: StateT) -> None:
        """Undo choices that seats have made but not revealed yet, in a copy of a view's position."""

    def candidates(self, state: StateT) -> Ranked | None:
        """Return the most promising moves with their scores, in any order, without listing all legal moves. The list may be empty. Return
        None if all legal moves should be listed and scored.
        """
        return None

    def kind_of(self, move: Move) -> Hashable:
        """Return a key, or None if the move has no equivalents. Searches try only one of the moves with the same key and the same score."""
        return None

    def is_quiet(self, state: StateT, mover: int) -> bool:
        """Return whether a position can be evaluated: by default, whether the turn of ``mover``, which moved last, is over."""
        return state.actor != mover

    def takings(self, state: StateT, choices: Ranked) -> list[float] | None:
        """Return the points that each seat can still take, which a search adds to its evaluation, or None if the search must play on first.
        ``choices`` are the position's `candidates`."""
        return None
