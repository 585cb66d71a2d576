"""Quick scores for placements in Sunda to Sahul, for simple bots: what a tile would close, complete, or leave for others."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from engine.core import Move, View
from engine.sunda import SundaMove, SundaState
from engine.sunda.board.board import CLOSED, SundaBoard
from engine.sunda.board.tiles import HALF_TURN, LAND, PATTERN_OF_TILE
from engine.sunda.board.trigrid import WEDGES, corners_of, lozenge_of
from engine.sunda.notation.moves import PLACE
from engine.sunda.position import LAY

RIGHTS = 2
"""The most tokens that can be placed on land nodes in one step (RULES 5)."""
WATER_RIGHTS = 5
"""The points for each vertex of a lake (RULES 6)."""


@dataclass(frozen=True, slots=True)
class PlacementWeights:
    """The weights of a placement's effects.

    - ``closed``: land nodes that it closes; ``completed``: islands that it completes
    - ``own_next``: land nodes that the next tile could close, if that tile is the seat's own; ``rival_next``: the same, if it is a rival's
    """

    closed: float = 1.0
    own_next: float = 0.3
    rival_next: float = -0.4
    completed: float = 1.0


def best_placement(view: View[SundaState], rng: random.Random, weights: PlacementWeights) -> Move | None:
    """Return the legal placement with the best score, with ties broken at random, or None if no tile is to be laid or if ending the game
    may be better."""
    p = view.position.inside
    placements = [move for move in view.legal_moves if isinstance(move, SundaMove) and move.kind == PLACE]
    if not placements:
        return None
    scorer = _QuickScorer(view, weights, has_next=p.alone or (p.phase == LAY and p.step == 0))
    best = _best(placements, scorer, rng)
    if p.phase == LAY and p.agreed == p.players - 1 and not p.alone and scorer.value(best) <= 0:
        return None  # the others have agreed to end the game, so agreeing must be considered too
    return best


def _best(placements: Iterable[SundaMove], scorer: _QuickScorer, rng: random.Random) -> SundaMove:
    return max(((scorer.value(move), rng.random(), move) for move in placements), key=lambda entry: entry[:2])[2]


class _QuickScorer:
    """Scores placements in one position. Tiles with the same corners on the same lozenge are scored only once."""

    def __init__(self, view: View[SundaState], weights: PlacementWeights, *, has_next: bool) -> None:
        self._p = view.position.inside
        self._board: SundaBoard = self._p.board
        self._weights = weights
        self._ready_worth = weights.own_next if has_next else weights.rival_next
        self._tokens = _tokens_by_island(view)
        self._seen: dict[tuple[int, int], float] = {}

    def value(self, move: SundaMove) -> float:
        lozenge = lozenge_of(move.second)
        pattern = PATTERN_OF_TILE[move.first]
        kinds = (pattern if move.second == lozenge else HALF_TURN[pattern]) >> 4
        key = (lozenge, kinds)
        if key not in self._seen:
            self._seen[key] = self._look(corners_of(lozenge), kinds)
        return self._seen[key]

    def _look(self, corners: tuple[int, int, int, int], kinds: int) -> float:
        wedges = self._board.wedges
        closed: dict[bool, list[int]] = {True: [], False: []}
        opened: dict[bool, list[int]] = {True: [], False: []}
        ready = 0
        for corner, vertex in enumerate(corners):
            is_land = kinds >> (3 - corner) & 1 == LAND
            before = wedges.get(vertex, 0)
            after = before + WEDGES[corner]
            if after == CLOSED:
                closed[is_land].append(vertex)
            else:
                opened[is_land].append(vertex)
                ready += is_land and before < CLOSED - 2 <= after
        nodes = len(closed[True]) if self._p.alone else min(len(closed[True]), RIGHTS)
        value = self._weights.closed * nodes + self._ready_worth * ready
        if closed[True] and not opened[True]:
            value += self._weights.completed * self._completed(closed[True])
        if closed[False] and not opened[False] and self._p.level >= 1 and not self._p.alone:
            value += self._lake(closed[False])
        return value

    def _bodies(self, vertices: list[int]) -> dict[int, int]:
        """Return the regions of these vertices with their sizes, or nothing if any region would still have an open vertex."""
        islands = self._board.islands
        closing: dict[int, int] = {}
        for vertex in vertices:
            name = islands.name[vertex]
            closing[name] = closing.get(name, 0) + 1
        if any(islands.open[name] != number for name, number in closing.items()):
            return {}
        return {name: islands.size[name] for name in closing}

    def _completed(self, vertices: list[int]) -> float:
        """Return the value of doubling the completed islands: the seat's tokens minus the strongest rival's tokens there."""
        bodies = self._bodies(vertices)
        if self._p.alone:
            return float(sum(bodies.values()))
        gain = 0.0
        for name in bodies:
            own, rival = self._tokens.get(name, (0.0, 0.0))
            gain += own - rival + 0.5
        return gain

    def _lake(self, vertices: list[int]) -> float:
        return float(WATER_RIGHTS * sum(self._bodies(vertices).values()))


def _tokens_by_island(view: View[SundaState]) -> dict[int, tuple[float, float]]:
    """Return the points of each island's tribes for the seat and for its strongest rival there."""
    p = view.position.inside
    worth: dict[int, list[float]] = {}
    for vertex, tribe in p.claims.tribes.items():
        on_island = worth.setdefault(p.board.islands.name[vertex], [0.0] * p.players)
        for seat in tribe:
            on_island[seat] += len(tribe) if p.level >= 2 else 1
    seat = view.seat
    return {name: (each[seat], max([*each[:seat], *each[seat + 1 :]], default=0.0)) for name, each in worth.items()}
