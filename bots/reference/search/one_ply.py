"""Searches one turn ahead, for bots that differ only in how they evaluate positions."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from bots.reference.heuristics.base import Aim, Heuristic
from bots.reference.search.sampling import sample
from engine.core import Move, State, View

Value = Callable[[State, int], float]
"""Returns how good a state is for a seat; larger is better."""

TRIES = 24
"""How many positions are tried for each decision: a few moves several times each, or many moves once each."""
LONGEST_TURN = 12
"""After a move, at most this many further decisions of the seat are played before the position is evaluated."""


class TurnSearch:
    """Searches to the end of the seat's turn. The heuristic of the game, if given, may choose a move without a search."""

    def __init__(self, heuristic: Heuristic[Any] | None, aim: Aim, value: Value, rng: random.Random) -> None:
        self._heuristic = heuristic
        self._aim = aim
        self._value = value
        self._rng = rng

    def best_move(self, view: View[State]) -> Move:
        """Return the legal move with the largest average value at the end of the seat's turn.

        Hidden information is sampled at random. If the heuristic has a quick move, it is returned without a search. At most ``TRIES``
        moves, drawn at random, are tried. Ties are broken at random.
        """
        if self._heuristic is not None:
            move = self._heuristic.quick_move(view, self._rng, self._aim)
            if move is not None:
                return move
        moves = candidates(view, self._rng)
        tries = max(1, TRIES // len(moves))
        scored = [(sum(self._after(view, move) for _ in range(tries)), self._rng.random(), move) for move in moves]
        return max(scored, key=lambda entry: entry[:2])[2]

    def _after(self, view: View[State], move: Move) -> float:
        state = sample(view, self._rng)
        state.play(move)
        for _ in range(LONGEST_TURN):
            if state.actor != view.seat or (self._heuristic is not None and self._heuristic.begins_anew(state)):
                break
            state.play(state.random_move(self._rng))
        return self._value(state, view.seat)


def candidates(view: View[State], rng: random.Random) -> list[Move]:
    """Return all legal moves or, if there are more than ``TRIES``, that number of random draws, which may repeat a move."""
    legal = view.legal_moves
    if len(legal) <= TRIES:
        return list(legal)
    return [legal.random(rng) for _ in range(TRIES)]


def points_of(state: State) -> Sequence[float]:
    """Return the points of each seat from the tally; if it has no points, return the final scores, or zeros until the game is over."""
    points = state.tally().get("points")
    if points is not None:
        return points
    return (0.0,) * state.players if state.outcome is None else state.outcome.scores
