"""Finds the moves that a search should try first, ordered by the scores of a game's heuristic. This takes microseconds."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import Any, Final

from bots.reference.heuristics.base import Heuristic, Ranked
from engine.core import Move, State

CROWD: Final = 100
"""In positions with more moves than this, there are no candidates unless the heuristic finds some."""


def candidate_moves(heuristic: Heuristic[Any], state: State) -> tuple[Ranked, bool]:
    """Return a list of the most promising moves, which may be empty, and whether it holds all legal moves."""
    found = heuristic.candidates(state)
    if found is not None:
        return _distinct(heuristic, [move for _, move in found], [score for score, _ in found]), False
    if state.count_moves() > CROWD:
        return [], False
    return ranked(heuristic, state), True


def ranked(heuristic: Heuristic[Any], state: State, rng: random.Random | None = None) -> Ranked:
    """Return the scored legal moves, best first, with only one of equivalent moves. If ``rng`` is given, ties are in random order."""
    moves = state.list_moves()
    if rng is not None:
        moves = rng.sample(moves, len(moves))
    if len(moves) == 1:
        return [(0.0, moves[0])]
    return _distinct(heuristic, moves, heuristic.scores(state, moves))


def _distinct(heuristic: Heuristic[Any], moves: Sequence[Move], scores: Sequence[float]) -> Ranked:
    seen: set[Hashable] = set()
    found: Ranked = []
    for index in sorted(range(len(moves)), key=scores.__getitem__, reverse=True):  # stable: ties keep their order
        move, score = moves[index], scores[index]
        kind = heuristic.kind_of(move)
        if kind is not None:
            if (kind, score) in seen:
                continue
            seen.add((kind, score))
        found.append((score, move))
    return found
