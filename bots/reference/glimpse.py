"""The moves that a search looks at first, in microseconds. It owns no opinion of its own: what looks good is up to a game's sense."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from bots.reference.sense import Sense
from bots.reference.sunda_eye import Eye, placed
from engine.core import Move, State
from engine.sunda import SundaMove, SundaState
from engine.sunda.board import CLOSED
from engine.sunda.moves import PLACE
from engine.sunda.position import CHOOSE, LAY, Position
from engine.sunda.tiles import N_DEMANDS, PATTERNS_FITTING, TILE_OF_PATTERN
from engine.sunda.trigrid import VERTEX_LOZENGES, WEDGES, lozenge_of

Ranked: TypeAlias = list[tuple[float, Move]]
"""Moves with their scores, best first."""

CROWD: Final = 100
"""More moves than this are not listed for a glimpse."""

_CLOSING: Final = {CLOSED - wedge: [step for step, corner in VERTEX_LOZENGES if WEDGES[corner] == wedge] for wedge in (1, 2)}
"""By the triangles around a vertex that are covered: the lozenges that would cover the others, less six times the vertex."""


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
    moves: list[Move] = []
    scores: list[float] = []
    for lozenge, pattern in _closing_patterns(p, p.pot(seat)):
        moves.append(SundaMove(PLACE, *placed(lozenge, pattern)))
        scores.append(eye.look(lozenge, pattern >> 4))
    return _distinct(moves, scores)


def _closing_patterns(p: Position, pot: int) -> Iterator[tuple[int, int]]:
    """Lozenges and patterns of tiles in the pot that would close a vertex there; of patterns with equal corners one."""
    free = p.board.spots.free
    pot_of = p.pots.pot_of
    almost = [(vertex, covered) for vertex, covered in p.board.wedges.items() if CLOSED > covered >= CLOSED - 2]
    for lozenge in dict.fromkeys([6 * vertex + step for vertex, covered in almost for step in _CLOSING[covered]]):
        demand = free.get(lozenge, N_DEMANDS)
        if demand < N_DEMANDS:
            corners = -1
            for pattern in PATTERNS_FITTING[demand]:
                if pattern >> 4 != corners and pot_of[TILE_OF_PATTERN[pattern]] == pot:
                    corners = pattern >> 4
                    yield lozenge, pattern
