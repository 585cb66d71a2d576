"""Evaluations to build bots on: learned chances of each rank, expected points, and quick scores of moves.

They are available for Tongiaki and Sunda to Sahul. A position is a state or a view. Hidden information is not used, so a view, the state it
was taken from and each of its samples have equal values. `bots.evaluate` returns points instead of chances.

    >>> from bots.values import rank_chances, rank_moves, win_chances
    >>> from engine import find_game
    >>> state = find_game("tongiaki").new(3, seed=7)
    >>> [round(chance, 2) for chance in win_chances(state)]
    [0.34, 0.34, 0.32]
    >>> len(rank_chances(state)[0])
    3
    >>> score, move = rank_moves(state.view(0))[0]
    >>> move in state.legal_moves
    True

`rank_moves`, which sorts moves by the expert's quick scores, is enough for a bot:

    >>> class Quick:
    ...     def choose(self, view, clock):
    ...         return rank_moves(view)[0][1]
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from bots.reference.heuristics.base import Heuristic
from bots.reference.heuristics.registry import heuristic_of
from bots.reference.search.candidate_moves import ranked
from bots.reference.valuation.base import ValueFunction
from bots.reference.valuation.registry import find_value
from engine.core import Game, Move, OptionsError, State, View

__all__ = ["rank_chances", "rank_moves", "score_moves", "utilities", "win_chances"]


def rank_chances(position: View[State] | State) -> list[list[float]]:
    """Return a row for each seat, with its chance of each rank from first to last. Rows and columns add up to 1.

    These are the chances that `arena analyse` shows, learned from self-play (docs/strength.md lists their errors). A call takes about 50
    microseconds in Tongiaki. Seats that are tied at the end share their places equally.

    Raises LookupError for a game without a value function, and ValueError in solo play.
    """
    return _value_of(position).rank_chances(_state(position))


def win_chances(position: View[State] | State) -> list[float]:
    """Return each seat's chance of first place; the chances add up to 1. Faster than `rank_chances`; raises the same errors."""
    return _value_of(position).win_chances(_state(position))


def utilities(position: View[State] | State) -> list[float]:
    """Return each seat's value of the position, from 0 to 1, in seat order. The bot ``learned`` maximises this value.

    It is 0.7 times the chance of first place plus 0.3 times the expected share of rivals that the seat finishes above, so that lost
    positions still differ. With two players, it is the chance of winning. Use this function as the ``value`` of `bots.search.search`.
    Raises the same errors as `rank_chances`.
    """
    return _value_of(position).worths(_state(position))


def score_moves(position: View[State] | State, moves: Sequence[Move] | None = None) -> list[float]:
    """Return a score for each of ``moves`` (by default all legal moves, in the order of ``legal_moves``), for the seat to move.

    Scores estimate final points; only the differences between them are meaningful. They come from rules of thumb that play no moves,
    at a few microseconds per move. Use this function as the ``prior`` of a search. Raises LookupError for a game without a heuristic.
    """
    state = _state(position)
    return _heuristic_of(state.game).scores(state, state.list_moves() if moves is None else moves)


def rank_moves(position: View[State] | State, rng: Random | None = None) -> list[tuple[float, Move]]:
    """Return the legal moves with their scores, best first. Equivalent moves, such as rotations of a tile with the same effect, appear
    once.

    If ``rng`` is given, ties are in random order. If there is only one move, its score is 0. Raises the same errors as `score_moves`.
    """
    state = _state(position)
    return ranked(_heuristic_of(state.game), state, rng)


def evaluate(position: View[State] | State) -> tuple[float, ...]:
    """Return the expected final points of each seat, in seat order.

    Once the game is over, these are the final scores. ``expert`` compares positions using these estimates. They come from rules of thumb
    about the current position (``bots/reference/heuristics/``), without playing moves, and take tens of microseconds. Hidden
    information is not used, so a view, the state it was taken from and each of its samples have the same value. In solo play, the estimate
    is the points so far.

    Raises LookupError for a game without a heuristic.
    """
    state = _state(position)
    return tuple(_heuristic_of(state.game).evaluate(state))


def _state(position: View[State] | State) -> State:
    return position.position if isinstance(position, View) else position


def _value_of(position: View[State] | State) -> ValueFunction:
    try:
        value = find_value(position.game)
    except OptionsError as error:  # a game that is not installed
        raise LookupError(str(error)) from None
    if value is None:
        raise LookupError(f"{position.game.name} has no value function, so the chances of ranks are unknown")
    return value


def _heuristic_of(game: Game) -> Heuristic[Any]:
    try:
        return heuristic_of(game)
    except OptionsError as error:  # a game that is not installed
        raise LookupError(str(error)) from None
