"""The table: which tile lies where, what each free lozenge demands of a tile, and the bodies of land and water.

It owns sections 2 and 3 of RULES but for the shift (see ``shifts``); it knows neither players nor tokens. Everything is kept up to
date by ``lay`` and ``lift``; nothing is worked out from the whole table again.
"""

from __future__ import annotations

from typing import Final, final

from engine.sunda.islands import Islands
from engine.sunda.tiles import (
    CORNER_DIGIT,
    DEMAND_BITS,
    HALF_TURN,
    LAND,
    N_DEMANDS,
    N_TILES,
    PATTERN_BITS,
    PATTERN_OF_TILE,
    SIDE_DIGIT,
    SIDED,
    SYMMETRIC,
    TILES_FITTING,
)
from engine.sunda.trigrid import (
    ACROSS,
    BEYOND,
    CORNERS,
    INNER,
    OUTER,
    TOUCHING,
    UNITS,
    VERTEX_LOZENGES,
    WEDGE_TRIANGLES,
    WEDGES,
    corners_of,
    half_turned,
    lozenge_of,
    triangles_of,
)

CLOSED: Final = 6
"""Triangles around a closed vertex."""

GAP: Final = N_DEMANDS
"""Counts, above the demand of a lozenge, the triangular spaces that a tile there would make."""

BLOCK: Final = 1 << 16
"""Counts, above that, the triangles of a lozenge that are covered."""


@final
class Board:
    """The tiles on the table.

    ``spots`` are the free lozenges with a laid tile at one of their sides: the value is what the spot demands of a tile plus
    ``GAP`` for each triangular space that a tile there would make (RULES 3). ``tight`` repeats those that make exactly one, and
    ``fits`` counts for each of the 136 tiles the placements at spots that make none.
    """

    def __init__(self) -> None:
        self.lies: dict[int, int] = {}  # tile: placement
        self.cover: dict[int, int] = {}  # triangle: tile
        self.wedges: dict[int, int] = {}  # vertex: covered triangles around it, 1 to 6
        self.types: dict[int, int] = {}  # vertex: LAND or WATER
        self.demands: dict[int, int] = {}  # lozenge, covered or not: demand of its surroundings, GAPs and BLOCKs
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
        allowed = DEMAND_BITS[demand]
        pattern = PATTERN_OF_TILE[tile]
        found: list[int] = []
        if allowed & PATTERN_BITS[pattern] == PATTERN_BITS[pattern]:
            found.append(lozenge)
        turned = PATTERN_BITS[HALF_TURN[pattern]]
        if not SYMMETRIC[tile] and allowed & turned == turned:
            found.append(half_turned(lozenge))
        return found

    def places(self, tile: int) -> list[int]:
        """All placements of a tile that fit and make no triangular space, ascending."""
        found: list[int] = []
        left = self.fits[tile]
        pattern = PATTERN_OF_TILE[tile]
        straight = PATTERN_BITS[pattern]
        turned = PATTERN_BITS[HALF_TURN[pattern]]
        for lozenge, spot in self.spots.items():
            if left == 0:
                break
            if spot < N_DEMANDS:
                allowed = DEMAND_BITS[spot]
                if allowed & straight == straight:
                    found.append(lozenge)
                    left -= 1
                if turned != straight and allowed & turned == turned:
                    found.append(half_turned(lozenge))
                    left -= 1
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
        self._cover(lozenge, tile)
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
        bodies = [self.islands.name[vertex] for vertex in corners]
        closed = [body for vertex, body in zip(corners, bodies, strict=True) if self.wedges[vertex] == CLOSED]
        self.uncover(tile)
        for body in dict.fromkeys(bodies):
            loose = [vertex for vertex, name in zip(corners, bodies, strict=True) if name == body]
            self._loosen(body, loose, closed.count(body))

    def uncover(self, tile: int) -> None:
        """Take a tile off the table, but leave ``islands`` as it was: only for a copy on which one looks for places."""
        placement = self.lies.pop(tile)
        lozenge = lozenge_of(placement)
        d = lozenge % 6
        pattern = PATTERN_OF_TILE[tile]
        if placement != lozenge:
            pattern = HALF_TURN[pattern]
        self._bare(lozenge)
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

    def _cover(self, lozenge: int, tile: int) -> None:
        """Cover a lozenge's triangles with a tile."""
        self._mark_inside(lozenge, -GAP)
        first, second = triangles_of(lozenge)
        self.cover[first] = tile
        self.cover[second] = tile
        self._block(lozenge, BLOCK)
        self._mark_beside(lozenge, GAP)

    def _bare(self, lozenge: int) -> None:
        """Uncover a lozenge's triangles: ``_cover`` backwards."""
        self._mark_beside(lozenge, -GAP)
        first, second = triangles_of(lozenge)
        del self.cover[first]
        del self.cover[second]
        self._block(lozenge, -BLOCK)
        self._mark_inside(lozenge, GAP)

    def _block(self, lozenge: int, amount: int) -> None:
        """Note that the triangles of a lozenge are covered, for all lozenges with one of them."""
        demands = self.demands
        demands[lozenge] = demands.get(lozenge, 0) + 2 * amount
        for offset in INNER[lozenge % 6]:
            demands[lozenge + offset] = demands.get(lozenge + offset, 0) + amount

    # A lozenge gets one GAP for each uncovered triangle across its sides whose two other neighbours are covered: a tile there would
    # make it a triangular space. These two keep that right for the triangles of the lozenge that a tile covers, and for those beside it.

    def _mark_inside(self, lozenge: int, amount: int) -> None:
        d = lozenge % 6
        base = lozenge // 6 * 2
        cover = self.cover
        demands = self.demands
        outer = OUTER[d]
        one, other, third, fourth = INNER[d]
        if base + outer[0][0] in cover and base + outer[3][0] in cover:
            demands[lozenge + one] = demands.get(lozenge + one, 0) + amount
            demands[lozenge + other] = demands.get(lozenge + other, 0) + amount
        if base + outer[1][0] in cover and base + outer[2][0] in cover:
            demands[lozenge + third] = demands.get(lozenge + third, 0) + amount
            demands[lozenge + fourth] = demands.get(lozenge + fourth, 0) + amount

    def _mark_beside(self, lozenge: int, amount: int) -> None:
        d = lozenge % 6
        base = lozenge // 6 * 2
        cover = self.cover
        demands = self.demands
        outer = OUTER[d]
        beyond = BEYOND[d]
        for side in range(4):
            across, one, other = outer[side]
            if base + across in cover:
                continue
            first, second, third, fourth = beyond[side]
            if base + other in cover:
                demands[lozenge + first] = demands.get(lozenge + first, 0) + amount
                demands[lozenge + second] = demands.get(lozenge + second, 0) + amount
            if base + one in cover:
                demands[lozenge + third] = demands.get(lozenge + third, 0) + amount
                demands[lozenge + fourth] = demands.get(lozenge + fourth, 0) + amount

    def _refresh(self, lozenge: int) -> None:
        """Bring ``spots``, ``tight`` and ``fits`` up to date for one lozenge."""
        spot = self.demands.get(lozenge, 0)
        if spot >= BLOCK or spot % N_DEMANDS < SIDED:
            spot = 0
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

    def _loosen(self, body: int, loose: list[int], reopened: int) -> None:
        """Set a body right from which a tile with corners at the ``loose`` vertices was taken, opening so many that were closed."""
        left = [vertex for vertex in loose if vertex in self.types]
        if body in self.types and left and self._are_joined(left):
            self.islands.open[body] += reopened
            for vertex in loose:
                if vertex not in self.types:
                    self.islands.remove(vertex)
            return
        parts: list[list[int]] = []
        seen: set[int] = set()
        for start in left:
            if start not in seen:
                part = self._flood(start, set())
                seen.update(part)
                parts.append(part)
        self.islands.replace(body, parts, [sum(self.wedges[vertex] != CLOSED for vertex in part) for part in parts])

    def _are_joined(self, vertices: list[int]) -> bool:
        """Whether vertices are of one body; mostly it shows within a few steps."""
        wanted = set(vertices)
        self._flood(vertices[0], wanted)
        return not wanted

    def _flood(self, start: int, wanted: set[int]) -> list[int]:
        """The body around a vertex, or as much of it as it takes to find all wanted vertices; those found are struck off."""
        part = [start]
        seen = {start}
        ends_early = bool(wanted)
        wanted.discard(start)
        for vertex in part:
            if ends_early and not wanted:
                break
            for near in self.neighbors(vertex):
                if near not in seen:
                    seen.add(near)
                    part.append(near)
                    wanted.discard(near)
        return part
