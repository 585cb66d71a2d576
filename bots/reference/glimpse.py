"""The moves that a search looks at first, in microseconds. It owns no opinion of its own: what looks good is up to a game's sense."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import Any, Final, TypeAlias

from bots.reference.sense import Sense
from bots.reference.sunda_eye import Eye, hot_places
from engine.core import Move, State
from engine.sunda import SundaMove, SundaState
from engine.sunda.moves import PLACE
from engine.sunda.position import CHOOSE, LAY, Position
from engine.sunda.trigrid import lozenge_of

Ranked: TypeAlias = list[tuple[float, Move]]
"""Moves with their scores, best first."""

CROWD: Final = 100
"""More moves than this are not listed for a glimpse."""


def glimpse(sense: Sense[Any], state: State) -> tuple[Ranked, bool]:
    """The moves that stand out, and whether these are all that there are. Nothing may stand out."""
    if isinstance(state, SundaState):
        p = state.inside
        if p.phase in {LAY, CHOOSE} and not p.alone:
            return _closers(p), False
    if state.count_moves() > CROWD:
        return [], False
    return ranked(sense, state), True


def ranked(sense: Sense[Any], state: State, rng: random.Random | None = None) -> Ranked:
    """All legal moves; of those that come to the same, only the first. Those that look equal are in random order if there is ``rng``.

    Placements in Sunda to Sahul come to the same if they lie on the same lozenge and look equally good: such tiles differ in their tabs.
    """
    moves = state.list_moves()
    if rng is not None:
        moves = rng.sample(moves, len(moves))
    if len(moves) == 1:
        return [(0.0, moves[0])]
    return _distinct(moves, sense.scores(state, moves))


def _distinct(moves: Sequence[Move], scores: Sequence[float]) -> Ranked:
    seen: set[Hashable] = set()
    found: Ranked = []
    for index in sorted(range(len(moves)), key=scores.__getitem__, reverse=True):  # stable: of equal ones the first stays first
        move, score = moves[index], scores[index]
        if isinstance(move, SundaMove) and move.kind == PLACE:
            key = (lozenge_of(move.second), score)
            if key in seen:
                continue
            seen.add(key)
        found.append((score, move))
    return found


def _closers(p: Position) -> Ranked:
    """Tiles of Sunda to Sahul that close something, without a shift."""
    seat = p.chosen if p.phase == CHOOSE else p.seat
    eye = Eye(p, seat, has_next=p.phase == LAY and p.step == 0)
    moves = [SundaMove(PLACE, tile, placement) for tile, placement in hot_places(p, p.pot(seat))]
    return _distinct(moves, [eye.value(move.first, move.second) for move in moves])
