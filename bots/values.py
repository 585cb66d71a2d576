"""What positions and moves are worth: learned chances of each rank and quick scores of moves, to build bots on.

Tongiaki and Sunda to Sahul have both. Positions are states or views; nothing hidden counts, so a view, the state that it was taken from
and each of its samples have equal values. `evaluate`, also in `bots`, returns points instead of chances.

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

`rank_moves`, the expert's first look at a position, is enough for a bot:

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
    """Return each seat's chance of each rank, from the first to the last: a row for each seat. Rows and columns add up to 1.

    They are the chances that `arena analyse` shows, learned from self-play (docs/strength.md has their errors): about 50 microseconds in
    Tongiaki. Seats that are tied at the end share their places equally.

    Raises LookupError for a game without a value function, and ValueError for a seat alone at the table.
    """
    return _value_of(position).rank_chances(_state(position))


def win_chances(position: View[State] | State) -> list[float]:
    """Return each seat's chance of the first place; they add up to 1. Quicker than `rank_chances`; raises the same errors."""
    return _value_of(position).win_chances(_state(position))


def utilities(position: View[State] | State) -> list[float]:
    """Return the value that the bot ``learned`` maximises, from 0 to 1 for each seat, in seat order.

    It is 0.7 times the chance of first place plus 0.3 times the expected share of rivals that the seat finishes above, which tells
    lost positions apart; at a table of two, the chance to win. Use it as the ``value`` of `bots.search.search`. Raises the errors
    of `rank_chances`.
    """
    return _value_of(position).worths(_state(position))


def score_moves(position: View[State] | State, moves: Sequence[Move] | None = None) -> list[float]:
    """Return a score for each of some legal moves (by default all, in the order of ``legal_moves``), for the seat that has to decide.

    Scores are in points at the end of the game; only their differences mean anything. They come from rules of thumb, without playing on, in
    a few microseconds a move. Use it as the ``prior`` of `bots.search.search`. Raises LookupError for a game without such rules.
    """
    state = _state(position)
    return _heuristic_of(state.game).scores(state, state.list_moves() if moves is None else moves)


def rank_moves(position: View[State] | State, rng: Random | None = None) -> list[tuple[float, Move]]:
    """Return the legal moves with their scores, best first; equivalent moves, such as turns of a tile with the same effect, appear once.

    Ties are in random order if ``rng`` is given. A single move has the score 0. Raises the errors of `score_moves`.
    """
    state = _state(position)
    return ranked(_heuristic_of(state.game), state, rng)


def evaluate(position: View[State] | State) -> tuple[float, ...]:
    """Return the points that each seat may expect to have at the end of the game: one number for each seat, in seat order.

    Once the game is over, these are its scores. It is the estimate by which ``expert`` and ``mcts`` compare positions
    (``bots/reference/heuristics/``): rules of thumb about the present position, which play no move and take tens of microseconds. It uses
    nothing that is hidden, so a view, the state it was taken from and each of its samples have the same value. In solo play it is the
    points so far.

    Raises LookupError for a game without an expert; the games that come with the project have one each.
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
        raise LookupError(f"{position.game.name} has no value function, so chances of its ranks are unknown")
    return value


def _heuristic_of(game: Game) -> Heuristic[Any]:
    try:
        return heuristic_of(game)
    except OptionsError as error:  # a game that is not installed
        raise LookupError(str(error)) from None
