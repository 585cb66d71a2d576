"""Scores the placement of a tile in Sunda to Sahul by what it closes, how it changes islands, and what it leaves for the next tile.

No moves are played. The pieces on islands are evaluated by ``sunda_evaluation``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bots.reference.heuristics.sunda_evaluation import WATER_RIGHTS, Isle, attack, chance, isles_of
from engine.sunda.board.board import CLOSED
from engine.sunda.board.claims import TRIBE_SIZE
from engine.sunda.board.tiles import HALF_TURN, IS_TURNED, LAND, N_DEMANDS, PATTERN_OF_TILE, PATTERNS_FITTING, TILE_OF_PATTERN
from engine.sunda.board.trigrid import CORNER_OFFSETS, WEDGES, corners_of, half_turned, lozenge_of
from engine.sunda.position import Position

RIGHTS: Final = 2
"""The most tokens that can be placed on land nodes in one step (RULES 5)."""


def _groups(corners: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the groups of corners of one type that a tile joins: a single group, except that two acute corners are not joined (RULES
    2)."""
    if corners == (0, 2):
        return (0,), (2,)
    return (corners,) if corners else ()


def _both(kinds: int) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    land = tuple(corner for corner in range(4) if kinds >> (3 - corner) & 1 == LAND)
    return _groups(land), _groups(tuple(corner for corner in range(4) if corner not in land))


GROUPS: Final = [_both(kinds) for kinds in range(16)]
"""By the four corner types (a pattern's highest bits): the groups of land corners that a tile joins, and the groups of water corners."""


@dataclass(frozen=True, slots=True)
class ScorerWeights:
    """The weights of things that may become points, as shares of those points.

    - ``own_ready``: a land node that the next tile can close, if that tile is the seat's own; ``rival_ready``: the same, if it is a rival's
    - ``own_lake``: a lake with one open vertex, if the next tile is the seat's own; ``rival_lake``: the same, if it is a rival's
    - ``far``: the factor for a lake whose open vertex takes more than one tile to close; ``farther``: for a lake with two open vertices
    - ``doubled``: the average factor for a lake in an island that may be completed; ``fight``: the expected gain of a challenge
    """

    own_ready: float = 0.35
    rival_ready: float = -0.45
    own_lake: float = 0.5
    rival_lake: float = -0.6
    far: float = 0.4
    farther: float = 0.2
    doubled: float = 1.3
    fight: float = 1.0


WEIGHTS: Final = ScorerWeights()


class PlacementScorer:
    """Scores one seat's placements in one position. Tiles with the same corners on the same lozenge are scored only once."""

    def __init__(self, p: Position, seat: int, *, has_next: bool, weights: ScorerWeights = WEIGHTS) -> None:
        self._p = p
        self._seat = seat
        self._wedges = p.board.wedges
        self._name = p.board.islands.name
        self._open = p.board.islands.open
        self._size = p.board.islands.size
        self._lakes = p.level >= 1 and not p.alone
        self._has_token = not p.alone and p.claims.tokens[seat] > 0
        self._isles: dict[int, Isle] = isles_of(p)
        self._ready = weights.own_ready if has_next else weights.rival_ready
        self._lake = weights.own_lake if has_next else weights.rival_lake
        self._weights = weights
        self._attack = 0.0
        if p.level >= 4 and self._has_token:
            self._attack = max((attack(isle, seat, with_new=False) for isle in self._isles.values()), default=0.0)
        self._attacks: dict[int, float] = {}
        self._net: dict[int, float] = {}
        self._rights: dict[int, tuple[float, float]] = {}
        self._seen: dict[int, float] = {}

    def value(self, tile: int, placement: int) -> float:
        """Return the score of a tile in a placement, in final points; only differences are meaningful."""
        lozenge = lozenge_of(placement)
        pattern = PATTERN_OF_TILE[tile]
        if placement != lozenge:
            pattern = HALF_TURN[pattern]
        return self.look(lozenge, pattern >> 4)

    def look(self, lozenge: int, kinds: int) -> float:
        """Return the score of a tile on this lozenge. ``kinds`` holds the types of its corners (the four highest bits of its pattern)."""
        key = lozenge << 4 | kinds
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = self._judge(corners_of(lozenge), kinds)
        return found

    def _judge(self, corners: tuple[int, int, int, int], kinds: int) -> float:
        land, water = GROUPS[kinds]
        value = 0.0
        taken: list[tuple[float, float]] = []
        for group in land:
            value += self._on_land(corners, group, taken)
        if taken and self._p.alone:
            value += sum(first for first, _ in taken)
        elif taken and self._has_token:
            taken.sort(reverse=True)
            value += taken[0][0]
            if len(taken) > 1:
                value += taken[1][1]
            if self._p.level >= 4:
                here = [self._attack_on(corners[corner]) for group in land for corner in group]
                value += self._weights.fight * max(self._attack, *here)
        if self._lakes:
            for group in water:
                value += self._on_water(corners, group)
        return value

    # Effects of a group of corners of one type that a tile joins

    def _on_land(self, corners: tuple[int, int, int, int], group: tuple[int, ...], taken: list[tuple[float, float]]) -> float:
        wedges, name = self._wedges, self._name
        bodies: set[int] = set()
        still_open = 0
        closed = 0
        ready = 0
        for corner in group:
            vertex = corners[corner]
            before = wedges.get(vertex, 0)
            after = before + WEDGES[corner]
            if before == 0:
                still_open += 1
                continue
            bodies.add(name[vertex])
            if after == CLOSED:
                closed += 1
            elif before < CLOSED - 2 <= after:
                ready += 1
        if not bodies:
            return 0.0
        for body in bodies:
            still_open += self._open[body]
        still_open -= closed
        now = chance(still_open)
        value = 0.0
        main = -1
        for body in bodies:
            if body in self._isles or self._p.alone:
                value += self._stake(body) * (now - chance(self._open[body]))
                main = body
        if closed or ready:
            first, second = self._right(main)
            for _ in range(closed):
                taken.append((first * (1 + now), second * (1 + now)))
            value += self._ready * ready * first
        return value

    def _attack_on(self, vertex: int) -> float:
        body = self._name.get(vertex, -1)
        found = self._attacks.get(body)
        if found is None:
            isle = self._isles.get(body)
            found = self._attacks[body] = attack(isle, self._seat, with_new=True) if isle is not None else 0.0
        return found

    def _stake(self, body: int) -> float:
        """Return the seat's points on an island minus the mean of its rivals' points there."""
        found = self._net.get(body)
        if found is None and self._p.alone:
            found = self._net[body] = float(self._size[body] - self._open[body])
        elif found is None:
            isle = self._isles[body]
            own = isle.points[self._seat]
            rivals = sum(isle.points) - own
            best = max(isle.tokens)
            if isle.markers and best:
                share = 2.0 * isle.markers / isle.tokens.count(best)
                if isle.tokens[self._seat] == best:
                    own += share
                else:
                    rivals += share * isle.tokens.count(best)
            found = self._net[body] = own - rivals / max(1, self._p.players - 1)
        return found

    def _right(self, body: int) -> tuple[float, float]:
        """Return the points that the first and the second token of a step add on an island, before doubling."""
        if self._p.level < 2 or self._p.alone:
            return 1.0, 1.0
        found = self._rights.get(body)
        if found is None:
            size = 0
            if body in self._isles:
                for _, tribe in self._isles[body].tribes:
                    if size < len(tribe) < TRIBE_SIZE and tribe.count(self._seat) == len(tribe):
                        size = len(tribe)
            first = 2.0 * size + 1.0
            second = first + 2.0 if size + 1 < TRIBE_SIZE else 1.0
            found = self._rights[body] = (first, second)
        return found

    def _on_water(self, corners: tuple[int, int, int, int], group: tuple[int, ...]) -> float:
        wedges, name = self._wedges, self._name
        bodies: set[int] = set()
        still_open = 0
        size = 0
        near = True
        for corner in group:
            vertex = corners[corner]
            before = wedges.get(vertex, 0)
            if before == 0:
                still_open += 1
                size += 1
                near = False
                continue
            bodies.add(name[vertex])
            after = before + WEDGES[corner]
            if after == CLOSED:
                still_open -= 1
            elif after < CLOSED - 2:
                near = False
        if not bodies:
            return 0.0
        before_open = 0
        for body in bodies:
            still_open += self._open[body]
            before_open += self._open[body]
            size += self._size[body]
        if still_open == 0:
            return WATER_RIGHTS * size * self._weights.doubled if before_open and self._has_token else 0.0
        if still_open == 1:
            return self._lake * WATER_RIGHTS * size * (1.0 if near else self._weights.far)
        if still_open == 2:
            return self._lake * WATER_RIGHTS * size * self._weights.farther
        return 0.0


def hot_places(p: Position, pot: int) -> Iterator[tuple[int, int]]:
    """Yield pairs of a tile in the pot and a placement that closes a vertex. Tiles with the same corners on a lozenge count as one.

    Placements that leave a triangular space are skipped.
    """
    covered = p.board.wedges.get
    pot_of = p.pots.pot_of
    for lozenge, demand in p.board.spots.free.items():
        vertex = lozenge // 6
        _, c1, c2, c3 = CORNER_OFFSETS[lozenge % 6]
        # CLOSED minus the WEDGES of each corner
        if not (covered(vertex) == 5 or covered(vertex + c2) == 5 or covered(vertex + c1) == 4 or covered(vertex + c3) == 4):
            continue
        if demand >= N_DEMANDS:
            continue
        corners = -1
        for pattern in PATTERNS_FITTING[demand]:
            tile = TILE_OF_PATTERN[pattern]
            if pattern >> 4 != corners and pot_of[tile] == pot:
                corners = pattern >> 4
                yield tile, half_turned(lozenge) if IS_TURNED[pattern] else lozenge
