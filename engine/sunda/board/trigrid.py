"""The triangular lattice as integers: vertices, triangles, placements and lozenges, and which of them touch (RULES 2).

- vertex ``(x, y)``: ``x * SPAN + y``
- triangle: ``2 * vertex`` (up, with corners ``(x,y) (x+1,y) (x,y+1)``) or ``2 * vertex + 1`` (down, ``(x+1,y) (x+1,y+1) (x,y+1)``)
- placement ``x,y,d``: ``6 * vertex + d``
- lozenge: the one of its two placements with ``d < 3``

Integers sort in the same order as coordinates. Lookup tables indexed by the direction of a lozenge (0 to 2) hold offsets, to be added to
the lozenge, its vertex or its triangle.
"""

from __future__ import annotations

from typing import Final

SPAN: Final = 1081
REACH: Final = 500
"""Coordinates lie between -REACH and REACH. 136 tiles, with a shift after each tile, stay within 272."""

WINDOWS: Final = ((4096, 48), (16384, 91), (65536, 180), (262144, 359), (1048576, 647), (4194304, 1081))
"""Pairs (N, W): if x and y each take at most W successive values, all vertices differ modulo N, all triangles modulo 2 N, and all
lozenges modulo 4 N. SPAN was chosen so that this is true."""

UNITS: Final[tuple[int, ...]] = (SPAN, 1, 1 - SPAN, -SPAN, -1, SPAN - 1)
"""The six unit vectors, counter-clockwise."""

WEDGES: Final[tuple[int, ...]] = (1, 2, 1, 2)
"""For each corner of a lozenge, c0 to c3: the lozenge covers this many of the six triangles around the corner."""

WEDGE_TRIANGLES: Final[tuple[int, ...]] = (0, 1 - 2 * SPAN, -2 * SPAN, -2 * SPAN - 1, -2, -1)
"""The six triangles around a vertex, as offsets from twice the vertex; triangle k is between the unit vectors k and k + 1."""

CORNERS: Final[tuple[tuple[int, int, int, int], ...]] = tuple((0, UNITS[d], UNITS[d] + UNITS[d + 1], UNITS[d + 1]) for d in range(3))
"""For each direction: the corners c0 to c3 of a lozenge, as offsets from its vertex, which is c0."""


def vertex_at(x: int, y: int) -> int:
    """Return the vertex with these coordinates, both within REACH."""
    return x * SPAN + y


def x_of(vertex: int) -> int:
    """Return the first coordinate of a vertex."""
    return (vertex + SPAN // 2) // SPAN


def y_of(vertex: int) -> int:
    """Return the second coordinate of a vertex."""
    return vertex - (vertex + SPAN // 2) // SPAN * SPAN


def triangle_of(a: int, b: int, c: int) -> int:
    """Return the triangle with these three vertices, which must be one unit apart."""
    low, middle, _ = sorted((a, b, c))
    return 2 * low if middle - low == 1 else 2 * (low - 1) + 1


def corners_of_triangle(triangle: int) -> tuple[int, int, int]:
    """Return the three vertices of a triangle."""
    vertex = triangle // 2
    if triangle % 2 == 0:
        return vertex, vertex + SPAN, vertex + 1
    return vertex + SPAN, vertex + SPAN + 1, vertex + 1


def triangles_beside(triangle: int) -> tuple[int, int, int]:
    """Return the three triangles that share a side with a triangle."""
    if triangle % 2 == 0:
        return triangle + 1, triangle - 1, triangle + 1 - 2 * SPAN
    return triangle - 1, triangle + 1, triangle - 1 + 2 * SPAN


TRIANGLES: Final[tuple[tuple[int, int], ...]] = tuple((triangle_of(c[0], c[1], c[3]), triangle_of(c[1], c[2], c[3])) for c in CORNERS)
"""For each direction of a lozenge, offsets from ``2 * vertex`` to its two triangles: the one at corner c0, and the one at c2."""


def lozenge_of(placement: int) -> int:
    """Return the lozenge that a placement covers."""
    d = placement % 6
    if d < 3:
        return placement
    return placement - 3 + 6 * (UNITS[d] + UNITS[(d + 1) % 6])


_TO_OTHER: Final[list[int]] = [3 + 6 * (UNITS[d] + UNITS[d + 1]) for d in range(3)]


def half_turned(lozenge: int) -> int:
    """Return the placement with ``d >= 3`` that covers a lozenge; the one with ``d < 3`` is the lozenge itself."""
    return lozenge + _TO_OTHER[lozenge % 6]


def corners_of(lozenge: int) -> tuple[int, int, int, int]:
    """Return the vertices at a lozenge's corners, in the order c0 to c3 of a tile laid there with ``d < 3``."""
    corners = CORNERS[lozenge % 6]
    vertex = lozenge // 6
    return vertex, vertex + corners[1], vertex + corners[2], vertex + corners[3]


def triangles_of(lozenge: int) -> tuple[int, int]:
    """Return the two triangles that a lozenge covers."""
    first, second = TRIANGLES[lozenge % 6]
    base = lozenge // 6 * 2
    return base + first, base + second


VERTEX_LOZENGES: Final[tuple[tuple[int, int], ...]] = tuple((d - 6 * CORNERS[d][corner], corner) for d in range(3) for corner in range(4))
"""The twelve lozenges that have a vertex as a corner, as pairs: the lozenge minus ``6 * vertex``, and the number of that corner."""

TOUCHING: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(sorted({6 * corner + lozenge - d for corner in CORNERS[d] for lozenge, _ in VERTEX_LOZENGES})) for d in range(3)
)
"""For each direction: the offsets from a lozenge to all lozenges that share at least a corner with it, including 0 for itself."""

TOUCHING_SET: Final[tuple[frozenset[int], ...]] = tuple(frozenset(touching) for touching in TOUCHING)


def _outer(d: int) -> tuple[tuple[int, int, int], ...]:
    sides: list[tuple[int, int, int]] = []
    for side in range(4):
        inner = TRIANGLES[d][0 if side in {0, 3} else 1]
        ends = {CORNERS[d][side], CORNERS[d][(side + 1) % 4]}
        across = next(t for t in triangles_beside(inner) if ends <= set(corners_of_triangle(t)))
        others = [t for t in triangles_beside(across) if t != inner]
        sides.append((across, others[0], others[1]))
    return tuple(sides)


OUTER: Final[tuple[tuple[tuple[int, int, int], ...], ...]] = tuple(_outer(d) for d in range(3))
"""For each side of a lozenge: the triangle across it and that triangle's two other neighbours, as offsets from ``2 * vertex``."""


def _across(d: int) -> tuple[tuple[int, int, int, int], ...]:
    sides: list[tuple[int, int, int, int]] = []
    for side in range(4):
        ends = (CORNERS[d][(side + 1) % 4], CORNERS[d][side])
        pairs: list[int] = []
        for offset in TOUCHING[d]:
            corners = corners_of(d + offset)
            for other in range(4):
                if (corners[other], corners[(other + 1) % 4]) == ends:
                    pairs += [offset, other]
        sides.append((pairs[0], pairs[1], pairs[2], pairs[3]))
    return tuple(sides)


ACROSS: Final[tuple[tuple[tuple[int, int, int, int], ...], ...]] = tuple(_across(d) for d in range(3))
"""For each side of a lozenge: the offset to each of the two lozenges across it, followed by the shared side's number in that lozenge."""


def _lozenges_with(triangle: int, without: int) -> tuple[int, int]:
    near = {6 * corner + lozenge for corner in corners_of_triangle(triangle) for lozenge, _ in VERTEX_LOZENGES}
    one, other = sorted(lozenge for lozenge in near if triangle in triangles_of(lozenge) and without not in triangles_of(lozenge))
    return one, other


def _beyond(d: int) -> tuple[tuple[int, int, int, int], ...]:
    sides: list[tuple[int, int, int, int]] = []
    for across, one, other in OUTER[d]:
        (a, b), (e, f) = _lozenges_with(one, across), _lozenges_with(other, across)
        sides.append((a - d, b - d, e - d, f - d))
    return tuple(sides)


BEYOND: Final[tuple[tuple[tuple[int, int, int, int], ...], ...]] = tuple(_beyond(d) for d in range(3))
"""For each side of a lozenge: the offsets to the two lozenges that cover the second triangle in OUTER, then to the two that cover the
third. None of them covers the first triangle, the one across the side."""


def _inner(d: int) -> tuple[int, int, int, int]:
    first, second = TRIANGLES[d]
    (a, b), (e, f) = _lozenges_with(second, first), _lozenges_with(first, second)
    return a - d, b - d, e - d, f - d


INNER: Final[tuple[tuple[int, int, int, int], ...]] = tuple(_inner(d) for d in range(3))
"""The offsets from a lozenge to the two others that cover its second triangle, then to the two others that cover its first."""

# The same as flat lists for the innermost loops, which are faster than tuples of tuples, especially in compiled code.

CORNER_OFFSETS: Final[list[list[int]]] = [list(corners) for corners in CORNERS]
"""``CORNERS`` as lists: for each direction, the offsets of a lozenge's corners c0 to c3 from its vertex."""

OVERLAPPING: Final[list[list[int]]] = [[0, *inner] for inner in INNER]
"""The offsets from a lozenge to itself (0) and to the four other lozenges that share a triangle with it."""

CORNER_LOZENGES: Final[list[int]] = [lozenge for lozenge, _ in VERTEX_LOZENGES]
"""The first numbers of the pairs in ``VERTEX_LOZENGES``; the second number of pair n is ``n % 4``."""

BESIDE_STEP: Final = 11
"""How many numbers BESIDE contains for each side."""


def _beside(d: int) -> list[int]:
    numbers: list[int] = []
    for side in range(4):
        across, one, other = OUTER[d][side]
        pairs = ACROSS[d][side]
        number = {pairs[0]: pairs[1], pairs[2]: pairs[3]}
        with_one, with_other = (
            next(offset for offset in number if set(triangles_of(d + offset)) == {across, triangle}) for triangle in (one, other)
        )
        numbers += [across, one, other, with_one, number[with_one], with_other, number[with_other], *BEYOND[d][side]]
    return numbers


BESIDE: Final[list[list[int]]] = [_beside(d) for d in range(3)]
"""Eleven numbers for each side of a lozenge: the triangle across the side and that triangle's two other neighbours, ``one`` and ``other``
(offsets from twice the lozenge's vertex); the lozenge that covers the triangle across and ``one``, and the number that the side has there;
the same two for ``other``; and the four lozenges of BEYOND. Lozenges are offsets from the lozenge itself."""
