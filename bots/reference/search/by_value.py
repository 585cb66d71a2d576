"""Searches to the end of the seat's turn with a game's learned value function, for the bot ``learned`` and for training games."""

from __future__ import annotations

import random
from typing import Any, Final

from bots.reference.heuristics.base import Heuristic
from bots.reference.search.candidate_moves import candidate_moves, ranked
from bots.reference.search.sampling import sample
from bots.reference.valuation.base import ValueFunction
from engine.core import Move, State, View

WIDTH: Final = 12
"""How many of the best-scoring moves are tried for each decision."""
WORLDS: Final = 4
"""How many samples are drawn for each decision. All moves are tried in the same samples, so that luck cancels out."""
LONGEST_TURN: Final = 20
"""The most decisions that are played after a move before the position is evaluated."""


def best_by_value(view: View[State], heuristic: Heuristic[Any], value: ValueFunction, rng: random.Random) -> Move:
    """Return the move with the best value for the seat at the end of its turn, averaged over samples of the hidden information.

    After each move that is tried, the best candidate moves are played until the position is quiet. Ties are broken at random.
    """
    move = value.quick_move(view, rng)
    if move is not None:
        return move
    choices, _ = candidate_moves(heuristic, view.position)
    moves = [each for _, each in (choices or ranked(heuristic, view.position, rng))[:WIDTH]]
    totals = [0.0] * len(moves)
    for _ in range(WORLDS if len(moves) > 1 else 0):
        world = sample(view, rng)
        for index, each in enumerate(moves):
            after = world.copy()
            after.play(each)
            _finish_turn(after, heuristic, view.seat)
            totals[index] += value.worths(after)[view.seat]
    return moves[max(range(len(moves)), key=totals.__getitem__)]


def _finish_turn(state: State, heuristic: Heuristic[Any], mover: int) -> None:
    for _ in range(LONGEST_TURN):
        if state.actor is None or heuristic.is_quiet(state, mover):
            return
        choices, _ = candidate_moves(heuristic, state)
        state.play(choices[0][1] if choices else ranked(heuristic, state)[0][1])
