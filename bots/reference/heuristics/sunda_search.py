"""Heuristics for tree searches in Sunda to Sahul: promising placements, equivalent placements, and points that the next tiles can score."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from bots.reference.heuristics.base import Ranked
from bots.reference.heuristics.sunda_placement_scores import PlacementScorer, hot_places
from engine.core import Move
from engine.sunda import SundaMove, SundaState
from engine.sunda.board.trigrid import corners_of, lozenge_of
from engine.sunda.notation.moves import PLACE
from engine.sunda.position import CHOOSE, LAY

TAKEN: Final = 0.8
"""The weight of points that the next tiles can score, compared with points already scored."""


def closers(state: SundaState) -> Ranked | None:
    """Return the placements that close a vertex without a shift, or None in solo play or if no tile is to be laid."""
    p = state.inside
    if p.phase not in {LAY, CHOOSE} or p.alone:
        return None
    seat = p.chosen if p.phase == CHOOSE else p.seat
    scorer = PlacementScorer(p, seat, has_next=p.phase == LAY and p.step == 0)
    moves = [SundaMove(PLACE, tile, placement) for tile, placement in hot_places(p, p.pot(seat))]
    return [(scorer.value(move.first, move.second), move) for move in moves]


def kind_of(move: Move) -> Hashable:
    """Return the lozenge of a placement, or None for another move. Of the placements on a lozenge, a search tries only one of those with
    the same score, since these differ only in their tabs."""
    return lozenge_of(move.second) if isinstance(move, SundaMove) and move.kind == PLACE else None


def unveil(state: SundaState) -> None:
    """Take back the choices made so far in a tick. They are not public yet, so this restores the position before the first choice."""
    p = state.inside
    if p.phase == CHOOSE:
        p.choices = [None] * p.players
        p.chosen = 0
        p.moves = None


def is_quiet(state: SundaState) -> bool:
    """Return whether all seats are about to choose their next tiles or, in solo play, whether the next tile is to be laid."""
    p = state.inside
    return (p.phase == CHOOSE and p.chosen == 0) or (p.phase == LAY and p.alone)


def takings(state: SundaState, choices: Ranked) -> list[float] | None:
    """Return the points that each seat can take with the tiles of this turn and the next, or None in solo play or if no tile is to be laid.

    Each of these tiles, in order, takes the best placement left that shares no corner with those already taken.
    """
    p = state.inside
    if p.phase != LAY or p.alone:
        return None
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
