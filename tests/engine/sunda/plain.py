"""Sections 2, 3 and 6 of RULES worked out slowly from nothing but the list of laid tiles: the check of the engine's incremental tables.

It shares no table and no integer coding with the engine; vertices are ``(x, y)``, placements ``(x, y, d)``, tiles their ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

Vertex = tuple[int, int]
Placement = tuple[int, int, int]
Triangle = frozenset[Vertex]

UNITS = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
TILES = sorted({min(s, s[2:4] + s[:2] + s[6:] + s[4:6]) for s in map("".join, product("LW", "LW", "LW", "LW", "+-", "+-", "+-", "+-"))})


def plus(v: Vertex, *directions: int) -> Vertex:
    for d in directions:
        v = (v[0] + UNITS[d % 6][0], v[1] + UNITS[d % 6][1])
    return v


def corners(place: Placement) -> list[Vertex]:
    x, y, d = place
    return [(x, y), plus((x, y), d), plus((x, y), d, d + 1), plus((x, y), d + 1)]


def triangles(place: Placement) -> list[Triangle]:
    c = corners(place)
    return [frozenset((c[0], c[1], c[3])), frozenset((c[1], c[2], c[3]))]


def is_symmetric(tile: str) -> bool:
    return tile[:2] == tile[2:4] and tile[4:6] == tile[6:]


class Table:
    """What lies on the table."""

    def __init__(self, laid: dict[str, Placement]) -> None:
        self.laid = laid
        self.covered: dict[Triangle, str] = {}
        self.types: dict[Vertex, str] = {}
        self.angles: dict[Vertex, int] = {}
        self.sides: dict[tuple[Vertex, Vertex], str] = {}
        for tile, place in laid.items():
            for triangle in triangles(place):
                assert triangle not in self.covered
                self.covered[triangle] = tile
            c = corners(place)
            for i in range(4):
                assert self.types.setdefault(c[i], tile[i]) == tile[i]
                self.angles[c[i]] = self.angles.get(c[i], 0) + (60, 120)[i % 2]
                side = (c[i], c[(i + 1) % 4])
                assert self.sides.get(side[::-1]) != tile[4 + i]
                self.sides[side] = tile[4 + i]
        assert all(angle <= 360 for angle in self.angles.values())

    def closed(self, v: Vertex) -> bool:
        return self.angles[v] == 360

    def bodies(self) -> set[frozenset[Vertex]]:
        """Islands and bodies of water, by flooding."""
        bodies: set[frozenset[Vertex]] = set()
        for start in self.types:
            body, edge = {start}, [start]
            while edge:
                v = edge.pop()
                for d in range(6):
                    w = plus(v, d)
                    touches = frozenset((v, w, plus(v, d + 1))) in self.covered or frozenset((v, w, plus(v, d - 1))) in self.covered
                    if touches and self.types[w] == self.types[v] and w not in body:
                        body.add(w)
                        edge.append(w)
            bodies.add(frozenset(body))
        return bodies

    def spaces(self) -> set[Triangle]:
        """The triangular spaces: uncovered triangles with three covered sides."""
        spaces = set()
        for v in self.types:
            for d in range(6):
                triangle = frozenset((v, plus(v, d), plus(v, d + 1)))
                if triangle not in self.covered and all(beside in self.covered for beside in neighbours(triangle)):
                    spaces.add(triangle)
        return spaces

    def candidates(self) -> list[Placement]:
        """The placements that cover nothing and share a side with the table."""
        near = {plus(v, a, b) for v in self.types for a in range(6) for b in range(6)} | set(self.types)
        places = [(x, y, d) for x, y in near for d in range(6)]
        return [place for place in places if not any(t in self.covered for t in triangles(place)) and any(self.beside(place))]

    def beside(self, place: Placement) -> list[str | None]:
        """What the neighbours show at the four sides of a placement."""
        c = corners(place)
        return [self.sides.get((c[(i + 1) % 4], c[i])) for i in range(4)]

    def fits(self, tile: str, place: Placement) -> bool:
        """Section 3 without the triangular spaces, for one of the candidates."""
        if is_symmetric(tile) and place[2] > 2:
            return False
        if any(self.types.get(v, tile[i]) != tile[i] for i, v in enumerate(corners(place))):
            return False
        return all(other != tile[4 + i] for i, other in enumerate(self.beside(place)))

    def shifts(self, newest: str, held: set[Vertex]) -> Iterator[tuple[Placement, Placement]]:
        """The shifts after the newest tile has made one triangular space."""
        (space,) = self.spaces()
        complete = {v for body in self.bodies() for v in body if self.types[v] == "L" and all(map(self.closed, body))}
        for tile in {self.covered[beside] for beside in neighbours(space)} - {newest}:
            if not set(corners(self.laid[tile])) & (held | complete):
                without = Table({other: place for other, place in self.laid.items() if other != tile})
                for place in without.candidates():
                    if place != self.laid[tile] and without.fits(tile, place) and not without.makes_spaces(place):
                        yield self.laid[tile], place

    def makes_spaces(self, place: Placement) -> bool:
        """Whether a tile on two free triangles would leave a triangular space beside it, whatever it shows."""
        covered = {*self.covered, *triangles(place)}
        beside = {t for triangle in triangles(place) for t in neighbours(triangle)} - covered
        return any(covered.issuperset(neighbours(triangle)) for triangle in beside)

    def may_place(self, tile: str, place: Placement, held: set[Vertex]) -> bool:
        """Section 3 with the triangular spaces."""
        if not self.fits(tile, place):
            return False
        after = Table({**self.laid, tile: place})
        spaces = after.spaces()
        return not spaces or (len(spaces) == 1 and any(after.shifts(tile, held)))


def neighbours(triangle: Triangle) -> list[Triangle]:
    """The three triangles that share a side with a triangle."""
    triangles_beside = []
    for apex in triangle:
        (a, b) = triangle - {apex}
        triangles_beside.append(frozenset((a, b, (a[0] + b[0] - apex[0], a[1] + b[1] - apex[1]))))
    return triangles_beside
