"""Plans a whole solo game of Sunda to Sahul, with all 136 tiles and every island complete (RULES 8).

If there is only water along the board's edge, all tiles together have 68 land nodes. At levels 0 and 1, each scores 2 points: 136 in all.
From level 2 on, a single island counts as 13 tribes of five and one of three: 2 * (13 * 25 + 3**2) = 668 points. `plan` works in two
stages. Simulated annealing finds the corners (the lozenges, and where there is land). Then repair finds the sides (where the tabs are).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from engine.core import Move, State, View
from engine.sunda import SundaMove, SundaState
from engine.sunda.board.board import CLOSED
from engine.sunda.board.tiles import (
    ALL_WATER,
    IS_TURNED,
    KIND_OF_CORNERS,
    LAND,
    N_OF_KIND,
    N_TILES,
    SYMMETRIC,
    TILE_OF_PATTERN,
    WATER,
    side_kind,
)
from engine.sunda.board.trigrid import ACROSS, UNITS, WEDGES, corners_of, half_turned, lozenge_of, vertex_at, x_of, y_of
from engine.sunda.notation.moves import PLACE, START
from engine.sunda.position import BEGIN
from engine.sunda.puzzle import Laid

HEXAGON: Final = (6, 7, 7)
"""The hexagon's sides, in tiles. It has room for 6 * 7 + 7 * 7 + 7 * 6 = 133 of the 136 tiles; the other three lie in a row next to it."""

_COOLING: Final = (2.5, 0.25)
"""The first and the last temperature of the annealing, in tiles that are not in the box."""

_SWEEPS: Final = 60_000
"""The number of moves in one annealing."""

_REPAIRS: Final = 200_000
"""The number of sides that are flipped before the corners are given up."""

_NOISE: Final = 0.02
"""How often a random side is flipped instead of the best one."""


class SoloPlan:
    """A plan for a solo game, made before the first tile is laid. There is no plan for a game that has already started."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._laid: list[Laid] = []

    def next_move(self, view: View[State]) -> Move | None:
        """Return the plan's next tile, or None if the board differs from the plan. The first call takes a second or two."""
        state = view.position
        assert isinstance(state, SundaState), "a view of this game"
        if state.inside.phase == BEGIN:
            self._laid = plan(self._rng)
            return SundaMove(START, self._laid[0][0])
        lies = state.inside.board.lies
        move = next((SundaMove(PLACE, tile, placement) for tile, placement in self._laid if tile not in lies), None)
        return move if move is not None and move in view.legal_moves else None


def plan(rng: random.Random) -> list[Laid]:
    """Return all tiles with their placements, in an order in which they can be laid. The first tile is all water and lies at 0,0,0.

    Random generators in the same state give the same plan. A plan usually takes a second or two; the number of attempts is not limited.
    """
    while True:
        corners = _Corners(rng)
        if corners.anneal():
            sides = _Sides(rng, corners.lozenges, corners.types)
            if sides.repair():
                return _in_order(sides.laid())


def _region(sides: tuple[int, int, int]) -> list[int]:
    """Return the lozenges of a hexagon with these sides, and of a row on top of it for the remaining tiles."""
    a, b, c = sides
    u0, u1, u2 = UNITS[:3]
    placements = [6 * (i * u0 + u0 + k * u2) + 2 for i in range(a) for k in range(c)]
    placements += [6 * (c * u2 + i * u0 + j * u1) for i in range(a) for j in range(b)]
    placements += [6 * (a * u0 + j * u1 + k * u2) + 1 for j in range(b) for k in range(c)]
    more = N_TILES - len(placements)
    placements += [6 * (b * u1 + c * u2 + (i + (a - more) // 2) * u0) for i in range(more)]
    return [lozenge_of(placement) for placement in placements]


def _around(vertex: int, first: int) -> list[int]:
    """Return the three lozenges whose obtuse corners meet at a vertex; ``first`` is 0 or 1 for the two ways to place them."""
    return [lozenge_of(6 * (vertex + UNITS[k]) + (k + 2) % 6) for k in range(first, 6, 2)]


class _Corners:
    """Lozenges that cover the region, and the types of its vertices, with only water along the edge.

    A move of the search flips the type of an inner vertex, or replaces the three lozenges around a vertex with the other three possible
    ones. The search removes tiles that are not in the box, and land that is not part of a single island.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        a, b, c = rng.sample(HEXAGON, 3)
        self.lozenges = dict.fromkeys(_region((a, b, c)))
        wedges: Counter[int] = Counter()
        for lozenge in self.lozenges:
            for vertex, added in zip(corners_of(lozenge), WEDGES, strict=True):
                wedges[vertex] += added
        self.inner = sorted(vertex for vertex, angle in wedges.items() if angle == CLOSED)
        self.types = dict.fromkeys(wedges, WATER)
        for vertex in rng.sample(self.inner, N_TILES // 2):
            self.types[vertex] = LAND
        self.at: dict[int, set[int]] = {vertex: set() for vertex in wedges}
        self.counts = dict.fromkeys(N_OF_KIND, 0)
        for lozenge in self.lozenges:
            self._put(lozenge)

    def _kind(self, lozenge: int) -> int:
        c0, c1, c2, c3 = corners_of(lozenge)
        types = self.types
        return KIND_OF_CORNERS[types[c0] << 3 | types[c1] << 2 | types[c2] << 1 | types[c3]]

    def _put(self, lozenge: int) -> None:
        for vertex in corners_of(lozenge):
            self.at[vertex].add(lozenge)
        self.counts[self._kind(lozenge)] += 1

    def _take(self, lozenge: int) -> None:
        for vertex in corners_of(lozenge):
            self.at[vertex].remove(lozenge)
        self.counts[self._kind(lozenge)] -= 1

    def _excess(self) -> int:
        """Return how many tiles are not in the box."""
        return sum(max(0, self.counts[kind] - supply) for kind, supply in N_OF_KIND.items())

    def _islands(self) -> int:
        types = self.types
        left = {vertex for vertex in self.inner if types[vertex] == LAND}
        number = 0
        while left:
            number += 1
            front = [left.pop()]
            while front:
                vertex = front.pop()
                for unit in UNITS:
                    if vertex + unit in left:
                        left.remove(vertex + unit)
                        front.append(vertex + unit)
        return number

    def _turn(self, vertex: int) -> list[int] | None:
        """Replace the three lozenges around a vertex and return the old ones, or None if there are not three."""
        here = self.at[vertex]
        if len(here) != 3:
            return None
        first = next(way for way in (0, 1) if not here.isdisjoint(_around(vertex, way)))
        gone = _around(vertex, first)
        for lozenge in gone:
            self._take(lozenge)
            del self.lozenges[lozenge]
        for lozenge in _around(vertex, 1 - first):
            self.lozenges[lozenge] = None
            self._put(lozenge)
        return gone

    def _flip(self, vertex: int) -> None:
        here = self.at[vertex]
        for lozenge in here:
            self.counts[self._kind(lozenge)] -= 1
        self.types[vertex] = 1 - self.types[vertex]
        for lozenge in here:
            self.counts[self._kind(lozenge)] += 1

    def anneal(self) -> bool:
        """Run the search and return whether it succeeded: the tiles are those in the box, and all land is one island."""
        rng = self.rng
        hot, cold = _COOLING
        excess, islands = self._excess(), self._islands()
        for step in range(_SWEEPS):
            if excess == 0 and islands == 1:
                return True
            temperature = hot * (cold / hot) ** (step / _SWEEPS)
            vertex = self.inner[int(rng.random() * len(self.inner))]
            is_turn = rng.random() < 0.3
            if is_turn:
                if self._turn(vertex) is None:
                    continue
            else:
                self._flip(vertex)
            allowed = excess + islands - temperature * math.log(1 - rng.random())
            after = self._excess()
            parts = islands if is_turn or after + 1 > allowed else self._islands()
            if after + parts <= allowed:
                excess, islands = after, parts
            elif is_turn:
                self._turn(vertex)
            else:
                self._flip(vertex)
        return False


class _Sides:
    """Tabs and blanks for given corners. Two lozenges that share a side must have different kinds there, and every tile must be used once.

    A move of the search flips a side of a lozenge whose tile is used twice: the side that leaves the fewest duplicates or, sometimes, any.
    """

    def __init__(self, rng: random.Random, lozenges: Iterable[int], types: Mapping[int, int]) -> None:
        self.rng = rng
        self.patterns: dict[int, int] = {}
        self.used: list[list[int]] = [[] for _ in range(N_TILES)]
        self.beside: dict[tuple[int, int], tuple[int, int]] = {}
        owner: dict[tuple[int, int], tuple[int, int]] = {}
        for lozenge in lozenges:
            c = corners_of(lozenge)
            pattern = sum(types[vertex] << (7 - i) for i, vertex in enumerate(c))
            for side in range(4):
                a, b = c[side], c[(side + 1) % 4]
                other = owner.setdefault((min(a, b), max(a, b)), (lozenge, side))
                if other == (lozenge, side):
                    pattern |= rng.getrandbits(1) << (3 - side)
                    continue
                self.beside[lozenge, side] = other
                self.beside[other] = (lozenge, side)
                pattern |= (1 - side_kind(self.patterns[other[0]], other[1])) << (3 - side)
            self.patterns[lozenge] = pattern
            self.used[TILE_OF_PATTERN[pattern]].append(lozenge)

    def repair(self) -> bool:
        """Run the search and return whether every tile is used once."""
        rng = self.rng
        for _ in range(_REPAIRS):
            doubled = [lozenge for users in self.used if len(users) > 1 for lozenge in users]
            if not doubled:
                return True
            lozenge = rng.choice(doubled)
            if rng.random() < _NOISE:
                self._turn(lozenge, rng.randrange(4))
                continue
            costs = [(self._cost(lozenge, side), rng.random(), side) for side in range(4)]
            self._turn(lozenge, min(costs)[2])
        return False

    def _turn(self, lozenge: int, side: int) -> None:
        for each, its in ((lozenge, side), self.beside.get((lozenge, side), (0, -1))):
            if its >= 0:
                pattern = self.patterns[each]
                self.used[TILE_OF_PATTERN[pattern]].remove(each)
                pattern ^= 8 >> its
                self.used[TILE_OF_PATTERN[pattern]].append(each)
                self.patterns[each] = pattern

    def _cost(self, lozenge: int, side: int) -> int:
        """Return how much the number of duplicates would increase if this side were flipped."""
        used = self.used
        cost = 0
        changed: Counter[int] = Counter()
        for each, its in ((lozenge, side), self.beside.get((lozenge, side), (0, -1))):
            if its >= 0:
                changed[TILE_OF_PATTERN[self.patterns[each]]] -= 1
                changed[TILE_OF_PATTERN[self.patterns[each] ^ 8 >> its]] += 1
        for tile, more in changed.items():
            users = len(used[tile])
            cost += max(0, users + more - 1) - max(0, users - 1)
        return cost

    def laid(self) -> list[Laid]:
        found: list[Laid] = []
        for lozenge, pattern in self.patterns.items():
            found.append((TILE_OF_PATTERN[pattern], half_turned(lozenge) if IS_TURNED[pattern] else lozenge))
        return found


def _in_order(laid: list[Laid]) -> list[Laid]:
    """Return the tiles in an order that starts with an all-water tile at 0,0,0 and then adds tiles next to tiles that are already there.

    No order can leave a triangular space within the region: if a triangle is uncovered, so is the other triangle of its tile.
    """
    first = next((tile, placement) for tile, placement in laid if tile in ALL_WATER)
    tile_at: dict[int, Laid] = {}
    for tile, placement in laid:
        moved = _turned(placement, first[1])
        lozenge = lozenge_of(moved)
        tile_at[lozenge] = (tile, lozenge if SYMMETRIC[tile] else moved)
    order = [(first[0], 0)]
    del tile_at[0]
    for _, placement in order:
        lozenge = lozenge_of(placement)
        for near in (lozenge + offset for side in ACROSS[lozenge % 6] for offset in side[::2]):
            if near in tile_at:
                order.append(tile_at.pop(near))
    return order


def _turned(placement: int, first: int) -> int:
    """Return the placement after the board has been moved and rotated so that the placement ``first`` is 0,0,0."""
    x, y = x_of(placement // 6) - x_of(first // 6), y_of(placement // 6) - y_of(first // 6)
    for _ in range(-first % 6):
        x, y = -y, x + y
    return 6 * vertex_at(x, y) + (placement - first) % 6
