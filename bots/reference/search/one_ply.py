"""Search one turn ahead, for bots that differ only in how they value a position."""

from __future__ import annotations

import random
from collections.abc import Callable

from bots.reference.heuristics.sunda_placement import PlacementWeights, best_placement
from engine.core import Move, State, View
from engine.sunda import SundaState
from engine.sunda.position import CHOOSE, LAY

Value = Callable[[State, int], float]
"""How good a state is for a seat; larger is better."""

TRIES = 24
"""Positions tried for each decision: few moves are tried often, many moves once."""
LONGEST_TURN = 12
"""The most own decisions played out after a move before the position is valued."""


def best_move(view: View[State], rng: random.Random, value: Value, weights: PlacementWeights) -> Move:
    """Return the legal move with the largest average ``value`` at the end of the seat's own turn.

    Hidden information is sampled at random. Of many legal moves ``TRIES`` are tried; ties are broken at random. Placements of tiles in
    Sunda to Sahul, of which there are hundreds, are chosen by ``weights`` without search.
    """
    if isinstance(view.position, SundaState):
        placement = best_placement(view, rng, weights)  # type: ignore[arg-type]  # the line above says what kind of view it is
        if placement is not None:
            return placement
    moves = candidates(view, rng)
    tries = max(1, TRIES // len(moves))
    scored = [(sum(_after(view, move, rng, value) for _ in range(tries)), rng.random(), move) for move in moves]
    return max(scored, key=lambda entry: entry[:2])[2]


def candidates(view: View[State], rng: random.Random) -> list[Move]:
    """Return all legal moves, or ``TRIES`` of them drawn at random if there are more."""
    legal = view.legal_moves
    if len(legal) <= TRIES:
        return list(legal)
    return [legal.random(rng) for _ in range(TRIES)]


def _after(view: View[State], move: Move, rng: random.Random, value: Value) -> float:
    state = view.sample(rng)
    state.play(move)
    for _ in range(LONGEST_TURN):
        if state.actor != view.seat or _is_new_tile(state):
            break
        state.play(state.random_move(rng))
    return value(state, view.seat)


def _is_new_tile(state: State) -> bool:
    """Whether the decision is about a new tile in Sunda to Sahul, which does not depend on the move before."""
    return isinstance(state, SundaState) and state.inside.phase in {LAY, CHOOSE}
