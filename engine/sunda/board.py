"""The table: which tile lies where, and the bodies of land and water (RULES 2).

It knows neither players nor tokens; where tiles fit is in ``spots``, triangular spaces in ``shifts``. Everything is kept up to date by
``lay`` and ``lift``; nothing is worked out from the whole table again.
"""

from __future__ import annotations

from typing import Final, final

from engine.sunda.islands import Islands
from engine.sunda.spots import Spots
from engine.sunda.tiles import HALF_TURN, PATTERN_OF_TILE
from engine.sunda.trigrid import CORNERS, UNITS, WEDGE_TRIANGLES, WEDGES, corners_of, lozenge_of, triangles_of

CLOSED: Final = 6
"""Triangles around a closed vertex."""


@final
class Board:
    """The tiles on the table, their vertices, the bodies these belong to, and the spots where more tiles can lie."""

    def __init__(self) -> None:
        self.lies: dict[int, int] = {}  # tile: placement
        self.wedges: dict[int, int] = {}  # vertex: covered triangles around it, 1 to 6
        self.types: dict[int, int] = {}  # vertex: LAND or WATER
        self.spots = Spots()
        self.islands = Islands()

    def copy(self) -> Board:
        """An independent copy."""
        other = Board()
        other.lies = self.lies.copy()
        other.wedges = self.wedges.copy()
        other.types = self.types.copy()
        other.spots = self.spots.copy()
        other.islands = self.islands.copy()
        return other

    # Questions

    def is_closed(self, vertex: int) -> bool:
        """Whether the tiles around a vertex leave no gap."""
        return self.wedges.get(vertex, 0) == CLOSED

    def is_complete(self, vertex: int) -> bool:
        """Whether all vertices of the body that a vertex belongs to are closed: a complete island, or a lake."""
        return self.islands.open[self.islands.name[vertex]] == 0

    def neighbors(self, vertex: int) -> list[int]:
        """The neighbours of a vertex that have the same type, and so belong to the same body."""
        kind = self.types[vertex]
        found: list[int] = []
        cover = self.spots.cover
        before = 2 * vertex + WEDGE_TRIANGLES[5] in cover
        for k in range(6):
            covered = 2 * vertex + WEDGE_TRIANGLES[k] in cover
            if (covered or before) and self.types[vertex + UNITS[k]] == kind:
                found.append(vertex + UNITS[k])
            before = covered
        return found

    def tile_on(self, lozenge: int) -> int:
        """The tile that covers the first triangle of a lozenge, or -1."""
        return self.spots.cover.get(triangles_of(lozenge)[0], -1)

    def corners(self, tile: int) -> tuple[int, int, int, int]:
        """The vertices of the lozenge a laid tile lies on."""
        return corners_of(lozenge_of(self.lies[tile]))

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
        self.spots.put(lozenge, tile, pattern)
        self.spots.refresh(lozenge)
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
        pattern = PATTERN_OF_TILE[tile]
        if placement != lozenge:
            pattern = HALF_TURN[pattern]
        self.spots.clear(lozenge, pattern)
        for corner, vertex in enumerate(corners_of(lozenge)):
            self._take_wedges(vertex, corner)
        self.spots.refresh(lozenge)

    def _add_wedges(self, vertex: int, corner: int, kind: int) -> None:
        wedges = self.wedges.get(vertex, 0)
        if wedges == 0:
            self.types[vertex] = kind
            self.islands.add(vertex)
            self.spots.demand_corner(vertex, kind, 1)
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
        self.spots.demand_corner(vertex, self.types.pop(vertex), -1)

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
