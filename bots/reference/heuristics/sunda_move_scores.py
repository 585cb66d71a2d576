"""Quick scores for Sunda to Sahul moves: tiles use ``sunda_placement_scores``, everything else uses short rules. No moves are played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bots.reference.heuristics.sunda_evaluation import WATER_RIGHTS, chance, isles_of, loss, odds, shares
from bots.reference.heuristics.sunda_placement_scores import PlacementScorer
from engine.core import Move
from engine.sunda import SundaMove, SundaState
from engine.sunda.board.board import CLOSED
from engine.sunda.board.claims import controller
from engine.sunda.board.trigrid import lozenge_of
from engine.sunda.notation.moves import ACCEPT, AGREE, CHALLENGE, CLAIM, JOIN, LAKE, PLACE, RAID, RESOURCE
from engine.sunda.position import CHOOSE, LAY, MEND, Position

WIN: Final = 1000.0
"""The value of a win, in points, in addition to the scored points."""

NOT_NOW: Final = 0.2
"""The cost, in points, of giving up a turn if the seat leads."""
NEVER: Final = 50.0
"""The cost, in points, of giving up a turn if the seat does not lead. It is high, since the others may then end the game."""

FOUNDED: Final = 0.3
"""The value of a new tribe that can grow, in points, in addition to its first token."""


def move_scores(state: SundaState, moves: Sequence[Move]) -> list[float]:
    """Estimate the final points after each of the moves; only differences are meaningful."""
    p = state.inside
    phase = p.phase
    own = [move for move in moves if isinstance(move, SundaMove)]
    if phase in {LAY, CHOOSE}:
        seat = p.chosen if phase == CHOOSE else p.seat
        value = PlacementScorer(p, seat, has_next=p.alone or (phase == LAY and p.step == 0)).value
        return [value(move.first, move.second) if move.kind == PLACE else _no_tile(state, move, seat) for move in own]
    if phase == MEND:
        return _shifts(p, own)
    return _decisions(p, own)


def _no_tile(state: SundaState, move: SundaMove, seat: int) -> float:
    p = state.inside
    if move.kind == AGREE:
        points = state.points
        leads = points[seat] > max([*points[:seat], *points[seat + 1 :]])
        if p.agreed == p.players - 1:
            return WIN if leads else -WIN
        return -NOT_NOW if leads else -NEVER
    return -2.0 if move.kind == RAID else -1.0


def _shifts(p: Position, moves: Sequence[SundaMove]) -> list[float]:
    """Score shifts: the value of the tile in its new place, minus the cost of nodes and lakes that are opened in its old place."""
    board = p.board
    scorer = PlacementScorer(p, p.seat, has_next=False)
    lost: dict[int, float] = {}
    found: list[float] = []
    for move in moves:
        tile = board.tile_on(lozenge_of(move.first))
        if move.first not in lost:
            lost[move.first] = 0.5 * sum(board.wedges[vertex] == CLOSED for vertex in board.corners(tile))
        found.append(scorer.value(tile, move.second) - lost[move.first])
    return found


def _decisions(p: Position, moves: Sequence[SundaMove]) -> list[float]:
    """Score the decisions after a tile (RULES 5), and the first tiles of the game, whose scores are equal."""
    name, n_open = p.board.islands.name, p.board.islands.open
    tribes = p.claims.tribes
    seat = p.seat
    found: list[float] = []
    for move in moves:
        kind, value = move.kind, 0.0
        if kind == CLAIM:
            still_open = n_open[name[move.first]]
            value = 1 + chance(still_open) + (FOUNDED if p.level >= 2 and still_open else 0.0)
        elif kind == JOIN:
            own = tribes[move.first].count(seat)  # adds size + own + 1 points for the seat, and size - own for the others
            value = (2 * own + 1) * (1 + chance(n_open[name[move.first]]))
        elif kind == ACCEPT:
            value = -2.0 * tribes[p.focus].count(seat) if p.players == 2 else len(tribes[p.focus]) - 2.0
        elif kind == LAKE:
            value = float(WATER_RIGHTS * p.board.islands.size[name[move.first]])
        elif kind == RESOURCE:
            isle = isles_of(p)[p.claims.island_of(p.board, move.second)]
            value = move.first * (2 * shares(isle)[seat] - 1) - 0.1
        elif kind == CHALLENGE:
            own_tribe, other_tribe = tribes[move.first], tribes[move.second]
            win = odds(len(own_tribe), len(other_tribe))
            value = win * loss(other_tribe, controller(other_tribe)) - (1 - win) * loss(own_tribe, seat)
            value *= 1 + chance(n_open[name[move.first]])
        found.append(value)
    return found
