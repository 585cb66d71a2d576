"""The moves that a search tries first, in microseconds, ordered by the scores of a game's heuristic."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import Any, Final, TypeAlias

from bots.reference.heuristics.base import Heuristic
from bots.reference.heuristics.sunda_placement_scores import PlacementScorer, hot_places
from engine.core import Move, State
from engine.sunda import SundaMove, SundaState
from engine.sunda.board.trigrid import corners_of, lozenge_of
from engine.sunda.notation.moves import PLACE
from engine.sunda.position import CHOOSE, LAY, Position

Ranked: TypeAlias = list[tuple[float, Move]]
"""Moves with their scores, best first."""

TAKEN: Final = 0.8
"""The weight of what could be taken next."""
CROWD: Final = 100
"""Positions with more moves than this offer no quick candidates."""


def candidate_moves(heuristic: Heuristic[Any], state: State) -> tuple[Ranked, bool]:
    """Return the moves that stand out, perhaps none, and whether these are all legal moves."""
    if isinstance(state, SundaState):
        p = state.inside
        if p.phase in {LAY, CHOOSE} and not p.alone:
            return _closers(p), False
    if state.count_moves() > CROWD:
        return [], False
    return ranked(heuristic, state), True


def ranked(heuristic: Heuristic[Any], state: State, rng: random.Random | None = None) -> Ranked:
    """Return all legal moves, best first; of equivalent ones only the first. Ties are in random order if ``rng`` is given.

    Placements in Sunda to Sahul are equivalent if they lie on the same lozenge and score the same: such tiles differ in their tabs.
    """
    moves = state.list_moves()
    if rng is not None:
        moves = rng.sample(moves, len(moves))
    if len(moves) == 1:
        return [(0.0, moves[0])]
    return _distinct(moves, heuristic.scores(state, moves))


def _distinct(moves: Sequence[Move], scores: Sequence[float]) -> Ranked:
    seen: set[Hashable] = set()
    found: Ranked = []
    for index in sorted(range(len(moves)), key=scores.__getitem__, reverse=True):  # stable: ties keep their order
        move, score = moves[index], scores[index]
        if isinstance(move, SundaMove) and move.kind == PLACE:
            key = (lozenge_of(move.second), score)
            if key in seen:
                continue
            seen.add(key)
        found.append((score, move))
    return found


def _closers(p: Position) -> Ranked:
    """Return the placements of Sunda to Sahul that close something without a shift."""
    seat = p.chosen if p.phase == CHOOSE else p.seat
    scorer = PlacementScorer(p, seat, has_next=p.phase == LAY and p.step == 0)
    moves = [SundaMove(PLACE, tile, placement) for tile, placement in hot_places(p, p.pot(seat))]
    return _distinct(moves, [scorer.value(move.first, move.second) for move in moves])


def is_quiet(state: State, mover: int) -> bool:
    """Whether a position can be evaluated: the seat that moved last has ended its turn; in Sunda to Sahul, all choose anew."""
    if isinstance(state, SundaState):
        p = state.inside
        return (p.phase == CHOOSE and p.chosen == 0) or (p.phase == LAY and p.alone)
    return state.actor != mover


def takings(state: State, choices: Ranked) -> list[float] | None:
    """Return the points that each seat may take with the tiles of this turn and the next; None if no turn is at its tiles.

    The best placement goes to the seat that lays a tile now, the next best that is not beside it to the next tile, and so on.
    """
    if not isinstance(state, SundaState) or state.inside.phase != LAY or state.inside.alone:
        return None
    p = state.inside
    taken = [0.0] * p.players
    tiles = [p.seat] * (2 - p.step) + [(p.seat + 1) % p.players] * 2
    beside: set[int] = set()
    for score, move in choices:
        if not tiles or score <= 0.0 or not isinstance(move, SundaMove):
            break
        corners = corners_of(lozenge_of(move.second))
        if beside.isdisjoint(corners):
            beside.update(corners)
            taken[tiles.pop(0)] += TAKEN * score
    return taken
