"""The board: which tile lies where, and the connected regions of land and water, which are updated as tiles come and go (RULES 2).

Each region is identified by one of its vertices, its *representative*. The vertices of a region are linked in a ring, so that two regions
are merged by giving the smaller one the representative of the larger one and swapping two links.

``lay`` and ``lift`` update everything incrementally. See ``placement_index`` for where tiles fit, ``shifts`` for the legal shifts, and
``claims`` for tokens and markers.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from engine.core.rng import KEY_MASK, random_factors
from engine.sunda.board.placement_index import PlacementIndex
from engine.sunda.board.tiles import HALF_TURN, N_TILES, PATTERN_OF_TILE
from engine.sunda.board.trigrid import UNITS, WEDGE_TRIANGLES, WEDGES, corners_of, lozenge_of, triangles_of


@final
class Islands:
    """The connected regions of land and water on the board, each identified by one of its vertices, its representative.

    ``name`` maps a vertex to the representative of its region, and ``ring`` to the next vertex of its region. ``size`` and ``open``
    map a representative to the region's number of vertices and its number of open vertices, that is, vertices that are not closed.
    """

    def __init__(self, origin: Islands | None = None) -> None:
        if origin is None:
            self.name: dict[int, int] = {}
            self.ring: dict[int, int] = {}
            self.size: dict[int, int] = {}
            self.open: dict[int, int] = {}
        else:
            self.name = origin.name.copy()
            self.ring = origin.ring.copy()
            self.size = origin.size.copy()
            self.open = origin.open.copy()

    def add(self, vertex: int) -> None:
        """Add a new open vertex as a separate region."""
        self.name[vertex] = vertex
        self.ring[vertex] = vertex
        self.size[vertex] = 1
        self.open[vertex] = 1

    def close(self, vertex: int) -> None:
        """Record that an open vertex has been closed."""
        self.open[self.name[vertex]] -= 1

    def join(self, a: int, b: int) -> None:
        """Merge the regions of two vertices."""
        name = self.name
        one = name[a]
        other = name[b]
        if one == other:
            return
        size = self.size
        if size[one] < size[other]:
            one, other = other, one
        ring = self.ring
        vertex = other
        while True:
            name[vertex] = one
            vertex = ring[vertex]
            if vertex == other:
                break
        ring[one], ring[other] = ring[other], ring[one]
        size[one] += size.pop(other)
        self.open[one] += self.open.pop(other)

    def remove(self, vertex: int) -> None:
        """Remove an open vertex, which must not be the representative of its region."""
        body = self.name.pop(vertex)
        before = body
        while self.ring[before] != vertex:
            before = self.ring[before]
        self.ring[before] = self.ring.pop(vertex)
        self.size[body] -= 1
        self.open[body] -= 1

    def members(self, body: int) -> list[int]:
        """Return the vertices of the region with this representative, in no particular order."""
        vertices = [body]
        vertex = self.ring[body]
        while vertex != body:
            vertices.append(vertex)
            vertex = self.ring[vertex]
        return vertices

    def smallest(self, body: int) -> int:
        """Return the smallest vertex of the region with this representative; the notation uses it to name a lake."""
        least = body
        vertex = self.ring[body]
        while vertex != body:
            least = min(least, vertex)
            vertex = self.ring[vertex]
        return least

    def replace(self, body: int, parts: list[list[int]], n_open: list[int]) -> None:
        """Replace a region with its parts, each with its number of open vertices; vertices in none of the parts are removed."""
        for vertex in self.members(body):
            del self.name[vertex]
            del self.ring[vertex]
        del self.size[body]
        del self.open[body]
        for part, still_open in zip(parts, n_open, strict=True):
            head = part[0]
            before = part[-1]
            for vertex in part:
                self.name[vertex] = head
                self.ring[before] = vertex
                before = vertex
            self.size[head] = len(part)
            self.open[head] = still_open


_FACTORS: Final = random_factors(N_TILES, 36, 11)
_SHIFT: Final[i64] = 1 << 23
"""An offset that keeps placements positive in the key, so that no tile contributes 0."""
_MASK: Final[i64] = KEY_MASK

CLOSED: Final = 6
"""The number of covered triangles around a closed vertex."""


def _part(tile: int, placement: i64) -> i64:
    factor: i64 = _FACTORS[tile]
    return (placement + _SHIFT) * factor


@final
class SundaBoard:
    """The tiles on the board, their vertices and regions, and the spots where more tiles can be laid.

    ``key`` is the part of a position's hash key that depends on which tile lies where.
    """

    def __init__(self, origin: SundaBoard | None = None) -> None:
        if origin is None:
            self.lies: dict[int, int] = {}  # tile: placement
            self.wedges: dict[int, int] = {}  # vertex: covered triangles around it, 1 to 6
            self.types: dict[int, int] = {}  # vertex: LAND or WATER
            self.key: i64 = 0
            self.spots = PlacementIndex(self.lies)
            self.islands = Islands()
        else:
            self.lies = origin.lies.copy()
            self.wedges = origin.wedges.copy()
            self.types = origin.types.copy()
            self.key = origin.key
            self.spots = PlacementIndex(self.lies, origin.spots)
            self.islands = Islands(origin.islands)

    def copy(self) -> SundaBoard:
        """Return an independent copy."""
        return SundaBoard(self)

    # Questions

    def is_closed(self, vertex: int) -> bool:
        """Return whether the tiles around a vertex leave no gap."""
        return self.wedges.get(vertex, 0) == CLOSED

    def is_complete(self, vertex: int) -> bool:
        """Return whether all vertices in the region of a vertex are closed: then the region is a complete island or a lake."""
        return self.islands.open[self.islands.name[vertex]] == 0

    def neighbors(self, vertex: int) -> list[int]:
        """Return the neighbours of a vertex in its own region: those that a tile joins to it and that have the same type."""
        kind = self.types[vertex]
        same: list[int] = []
        spots = self.spots
        before = spots.tile_on(2 * vertex + WEDGE_TRIANGLES[5]) >= 0
        for k in range(6):
            covered = spots.tile_on(2 * vertex + WEDGE_TRIANGLES[k]) >= 0
            if (covered or before) and self.types[vertex + UNITS[k]] == kind:
                same.append(vertex + UNITS[k])
            before = covered
        return same

    def tile_on(self, lozenge: int) -> int:
        """Return the tile that covers the first triangle of a lozenge, or -1."""
        triangle = triangles_of(lozenge)[0]
        tile = self.spots.tile_on(triangle)
        return tile if tile >= 0 and triangle in triangles_of(lozenge_of(self.lies[tile])) else -1

    def corners(self, tile: int) -> tuple[int, int, int, int]:
        """Return the vertices of the lozenge on which a laid tile lies."""
        return corners_of(lozenge_of(self.lies[tile]))

    # Changes

    def lay(self, tile: int, placement: int) -> None:
        """Lay a tile that is not yet on the board. It must fit with this placement."""
        lozenge = lozenge_of(placement)
        self.spots.make_room(lozenge)
        pattern = PATTERN_OF_TILE[tile]
        if placement != lozenge:
            pattern = HALF_TURN[pattern]
        self.lies[tile] = placement
        self.key = (self.key + _part(tile, placement)) & _MASK
        c0, c1, c2, c3 = corners_of(lozenge)
        t0, t1, t2, t3 = pattern >> 7, pattern >> 6 & 1, pattern >> 5 & 1, pattern >> 4 & 1
        fresh: list[int] = []
        self._add_wedges(c0, 1, t0, fresh)
        self._add_wedges(c1, 2, t1, fresh)
        self._add_wedges(c2, 1, t2, fresh)
        self._add_wedges(c3, 2, t3, fresh)
        self.spots.put(lozenge, tile, pattern, fresh)
        islands = self.islands
        if t0 == t1:
            islands.join(c0, c1)
        if t1 == t2:
            islands.join(c1, c2)
        if t2 == t3:
            islands.join(c2, c3)
        if t3 == t0:
            islands.join(c3, c0)
        if t1 == t3:
            islands.join(c1, c3)

    def lift(self, tile: int) -> None:
        """Take a tile off the board, and split the regions that it joined."""
        placement = self.lies.pop(tile)
        self.key = (self.key - _part(tile, placement)) & _MASK
        lozenge = lozenge_of(placement)
        corners = corners_of(lozenge)
        bodies = [self.islands.name[vertex] for vertex in corners]
        closed = [body for vertex, body in zip(corners, bodies, strict=True) if self.wedges[vertex] == CLOSED]
        bare: list[int] = []
        for vertex, wedges in zip(corners, WEDGES, strict=True):
            self.wedges[vertex] -= wedges
            if self.wedges[vertex] == 0:
                del self.wedges[vertex]
                del self.types[vertex]
                bare.append(vertex)
        self.spots.clear(lozenge, bare)
        for body in dict.fromkeys(bodies):
            loose = [vertex for vertex, name in zip(corners, bodies, strict=True) if name == body]
            self._loosen(body, loose, closed.count(body))

    def _add_wedges(self, vertex: int, added: int, kind: int, fresh: list[int]) -> None:
        wedges = self.wedges.get(vertex, 0)
        if wedges == 0:
            self.types[vertex] = kind
            self.islands.add(vertex)
            fresh.append(vertex)
        wedges += added
        self.wedges[vertex] = wedges
        if wedges == CLOSED:
            self.islands.close(vertex)

    def _loosen(self, body: int, loose: list[int], reopened: int) -> None:
        """Update a region after a tile was lifted. Its corners were at the ``loose`` vertices, and ``reopened`` of these are open again."""
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
        wanted = set(vertices)
        self._flood(vertices[0], wanted)
        return not wanted

    def _flood(self, start: int, wanted: set[int]) -> list[int]:
        """Return the region of a vertex, or enough of it to reach all ``wanted`` vertices; the ones reached are removed from ``wanted``."""
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
