"""The table: which tile lies where, what each free lozenge demands of a tile, and the bodies of land and water.

It owns sections 2 and 3 of RULES but for the shift (see ``shifts``); it knows neither players nor tokens. Everything is kept up to
date by ``lay`` and ``lift``; nothing is worked out from the whole table again.
"""

from __future__ import annotations

from typing import Final, final

from engine.sunda.islands import Islands
from engine.sunda.tiles import (
    CORNER_DIGIT,
    HALF_TURN,
    LAND,
    MASK_FITTING,
    N_DEMANDS,
    N_TILES,
    PATTERN_OF_TILE,
    SIDE_DIGIT,
    SIDED,
    SYMMETRIC,
    TILE_MASK,
    TILES_FITTING,
)
from engine.sunda.trigrid import (
    ACROSS,
    CORNERS,
    OUTER,
    TOUCHING,
    TRIANGLES,
    UNITS,
    VERTEX_LOZENGES,
    WEDGE_TRIANGLES,
    WEDGES,
    corners_of,
    half_turned,
    lozenge_of,
    triangles_beside,
)

CLOSED: Final = 6
"""Triangles around a closed vertex."""


@final
class Board:
    """The tiles on the table.

    ``spots`` are the free lozenges with a laid tile at one of their sides: the value is what the spot demands of a tile plus
    ``N_DEMANDS`` for each triangular space that a tile there would make (RULES 3). ``tight`` repeats those that make exactly one, and
    ``fits`` counts for each of the 136 tiles the placements at spots that make none.
    """

    def __init__(self) -> None:
        self.lies: dict[int, int] = {}  # tile: placement
        self.cover: dict[int, int] = {}  # triangle: tile
        self.wedges: dict[int, int] = {}  # vertex: covered triangles around it, 1 to 6
        self.types: dict[int, int] = {}  # vertex: LAND or WATER
        self.demands: dict[int, int] = {}  # lozenge, covered or not: demand of its surroundings
        self.spots: dict[int, int] = {}
        self.tight: dict[int, int] = {}
        self.fits: list[int] = [0] * N_TILES
        self.islands = Islands()

    def copy(self) -> Board:
        """An independent copy."""
        other = Board()
        other.lies = self.lies.copy()
        other.cover = self.cover.copy()
        other.wedges = self.wedges.copy()
        other.types = self.types.copy()
        other.demands = self.demands.copy()
        other.spots = self.spots.copy()
        other.tight = self.tight.copy()
        other.fits = self.fits.copy()
        other.islands = self.islands.copy()
        return other

    # Questions

    def is_closed(self, vertex: int) -> bool:
        """Whether the tiles around a vertex leave no gap."""
        return self.wedges.get(vertex, 0) == CLOSED

    def is_land(self, vertex: int) -> bool:
        """Whether a vertex that has a type is land."""
        return self.types[vertex] == LAND

    def is_complete(self, vertex: int) -> bool:
        """Whether all vertices of the body that a vertex belongs to are closed: a complete island, or a lake."""
        return self.islands.open[self.islands.name[vertex]] == 0

    def neighbors(self, vertex: int) -> list[int]:
        """The neighbours of a vertex that have the same type, and so belong to the same body."""
        kind = self.types[vertex]
        found: list[int] = []
        before = 2 * vertex + WEDGE_TRIANGLES[5] in self.cover
        for k in range(6):
            covered = 2 * vertex + WEDGE_TRIANGLES[k] in self.cover
            if (covered or before) and self.types[vertex + UNITS[k]] == kind:
                found.append(vertex + UNITS[k])
            before = covered
        return found

    def corners(self, tile: int) -> tuple[int, int, int, int]:
        """The vertices of the lozenge a laid tile lies on."""
        return corners_of(lozenge_of(self.lies[tile]))

    def fit(self, tile: int, lozenge: int, demand: int) -> list[int]:
        """The placements of a tile on a lozenge that meet a demand."""
        mask = MASK_FITTING[demand]
        pattern = PATTERN_OF_TILE[tile]
        found: list[int] = []
        if mask >> pattern & 1:
            found.append(lozenge)
        if not SYMMETRIC[tile] and mask >> HALF_TURN[pattern] & 1:
            found.append(half_turned(lozenge))
        return found

    def places(self, tile: int) -> list[int]:
        """All placements of a tile that fit and make no triangular space, ascending."""
        found: list[int] = []
        wanted = TILE_MASK[tile]
        for lozenge, spot in self.spots.items():
            if spot < N_DEMANDS and MASK_FITTING[spot] & wanted:
                found += self.fit(tile, lozenge, spot)
        found.sort()
        return found

    def spaces_at(self, lozenge: int) -> list[int]:
        """The triangular spaces that a tile on a free lozenge would make, or that one lying there has made."""
        base = lozenge // 6 * 2
        cover = self.cover
        return [
            base + across
            for across, one, other in OUTER[lozenge % 6]
            if base + across not in cover and base + one in cover and base + other in cover
        ]

    def is_space(self, triangle: int) -> bool:
        """Whether a triangle is uncovered and its three sides are all covered."""
        return triangle not in self.cover and all(beside in self.cover for beside in triangles_beside(triangle))

    # Changes

    def lay(self, tile: int, placement: int) -> None:
        """Lay a tile that is not on the table; it must fit."""
        lozenge = lozenge_of(placement)
        d = lozenge % 6
        pattern = PATTERN_OF_TILE[tile]
        if placement != lozenge:
            pattern = HALF_TURN[pattern]
        self.lies[tile] = placement
        vertex = lozenge // 6
        corners = CORNERS[d]
        for corner in range(4):
            self._add_wedges(vertex + corners[corner], corner, pattern >> (7 - corner) & 1)
        base = 2 * vertex
        first, second = TRIANGLES[d]
        self.cover[base + first] = tile
        self.cover[base + second] = tile
        self._demand_sides(lozenge, pattern, 1)
        for offset in TOUCHING[d]:
            self._refresh(lozenge + offset)
        corner_types = pattern >> 4
        c0, c1, c2, c3 = vertex, vertex + corners[1], vertex + corners[2], vertex + corners[3]
        t0, t1, t2, t3 = corner_types >> 3, corner_types >> 2 & 1, corner_types >> 1 & 1, corner_types & 1
        join = self.islands.join
        if t0 == t1:
            join(c0, c1)
        if t1 == t2:
            join(c1, c2)
        if t2 == t3:
            join(c2, c3)
        if t3 == t0:
            join(c3, c0)
        if t1 == t3:
            join(c1, c3)

    def lift(self, tile: int) -> None:
        """Take a tile off the table; bodies that it held together fall apart."""
        corners = self.corners(tile)
        torn = [self.islands.name[vertex] for vertex in corners]
        self.uncover(tile)
        for body in dict.fromkeys(torn):
            self._split(body, [vertex for vertex, name in zip(corners, torn, strict=True) if name == body])

    def uncover(self, tile: int) -> None:
        """Take a tile off the table, but leave ``islands`` as it was: only for a copy on which one looks for places."""
        placement = self.lies.pop(tile)
        lozenge = lozenge_of(placement)
        d = lozenge % 6
        pattern = PATTERN_OF_TILE[tile]
        if placement != lozenge:
            pattern = HALF_TURN[pattern]
        for triangle in TRIANGLES[d]:
            del self.cover[lozenge // 6 * 2 + triangle]
        for corner in range(4):
            self._take_wedges(lozenge // 6 + CORNERS[d][corner], corner)
        self._demand_sides(lozenge, pattern, -1)
        for offset in TOUCHING[d]:
            self._refresh(lozenge + offset)

    def _add_wedges(self, vertex: int, corner: int, kind: int) -> None:
        wedges = self.wedges.get(vertex, 0)
        if wedges == 0:
            self.types[vertex] = kind
            self.islands.add(vertex)
            base = 6 * vertex
            demands = self.demands
            for lozenge, number in VERTEX_LOZENGES:
                demands[base + lozenge] = demands.get(base + lozenge, 0) + (kind + 1) * CORNER_DIGIT[number]
        wedges += WEDGES[corner]
        self.wedges[vertex] = wedges
        if wedges == CLOSED:
            self.islands.open[self.islands.name[vertex]] -= 1

    def _take_wedges(self, vertex: int, corner: int) -> None:
        wedges = self.wedges[vertex] - WEDGES[corner]
        if wedges:
            self.wedges[vertex] = wedges
            return
        del self.wedges[vertex]
        kind = self.types.pop(vertex)
        for lozenge, number in VERTEX_LOZENGES:
            self.demands[6 * vertex + lozenge] -= (kind + 1) * CORNER_DIGIT[number]

    def _demand_sides(self, lozenge: int, pattern: int, sign: int) -> None:
        """Add (or with sign -1 take back) what a tile with this pattern demands of the lozenges across its sides."""
        demands = self.demands
        sides = ACROSS[lozenge % 6]
        for side in range(4):
            wanted = sign * (2 - (pattern >> (3 - side) & 1))  # a tab wants a blank and a blank a tab
            one, one_side, other, other_side = sides[side]
            demands[lozenge + one] = demands.get(lozenge + one, 0) + wanted * SIDE_DIGIT[one_side]
            demands[lozenge + other] = demands.get(lozenge + other, 0) + wanted * SIDE_DIGIT[other_side]

    def _refresh(self, lozenge: int) -> None:
        """Bring ``spots``, ``tight`` and ``fits`` up to date for one lozenge."""
        spot = self.demands.get(lozenge, 0)
        d = lozenge % 6
        base = lozenge // 6 * 2
        cover = self.cover
        first, second = TRIANGLES[d]
        if spot < SIDED or base + first in cover or base + second in cover:
            spot = 0
        else:
            for across, one, other in OUTER[d]:
                if base + across not in cover and base + one in cover and base + other in cover:
                    spot += N_DEMANDS
        before = self.spots.get(lozenge, 0)
        if spot == before:
            return
        fits = self.fits
        if before:
            if before < N_DEMANDS:
                for tile in TILES_FITTING[before]:
                    fits[tile] -= 1
            elif before < 2 * N_DEMANDS:
                del self.tight[lozenge]
        if not spot:
            del self.spots[lozenge]
            return
        self.spots[lozenge] = spot
        if spot < N_DEMANDS:
            for tile in TILES_FITTING[spot]:
                fits[tile] += 1
        elif spot < 2 * N_DEMANDS:
            self.tight[lozenge] = spot - N_DEMANDS

    def _split(self, body: int, loose: list[int]) -> None:
        """Part a body of which a tile that had corners at the ``loose`` vertices has been taken away."""
        seen: set[int] = set()
        parts: list[list[int]] = []
        for start in loose:
            if start in seen or start not in self.types:
                continue
            part = [start]
            seen.add(start)
            for vertex in part:
                for near in self.neighbors(vertex):
                    if near not in seen:
                        seen.add(near)
                        part.append(near)
            parts.append(part)
        n_open = [sum(self.wedges[vertex] != CLOSED for vertex in part) for part in parts]
        self.islands.replace(body, parts, n_open)
