"""Grids of machine integers that say what is on each triangle and vertex of the board, and which lozenges are spots.

This module also finds triangular spaces (RULES 3.4); ``placement_index`` explains spots. In compiled code, reading a ``vec`` is ten
times as fast as reading a list, and thirty times as fast as reading a dictionary.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i16, i64, u8

from engine.sunda.board.tiles import HALF_TURN, PATTERN_OF_TILE
from engine.sunda.board.trigrid import (
    BESIDE,
    BESIDE_STEP,
    CORNER_OFFSETS,
    SPAN,
    TRIANGLES,
    WINDOWS,
    corners_of,
    lozenge_of,
    triangles_of,
    x_of,
    y_of,
)

NOBODY: Final = -1
"""Used in place of a tile if there is none."""

NOWHERE: Final = -(1 << 40)
"""Used in place of a triangle if there is none."""

MARGIN: Final = 12
"""How many more vertices than the laid tiles a grid must span in each dimension (both sides together), to allow look-ups near the tiles."""

_SPAN: Final[i64] = SPAN


@final
class Blank:
    """The grids of an empty board, in one of the sizes of WINDOWS; they are copied to create new grids."""

    __slots__ = ("kinds", "slots", "tiles")

    def __init__(self, size: int) -> None:
        vertices = WINDOWS[size][0]
        self.slots: vec[i16] = vec[i16]([0] * (4 * vertices))
        self.tiles: vec[u8] = vec[u8]([0] * (2 * vertices))
        self.kinds: vec[u8] = vec[u8]([0] * vertices)


SMALL: Final = Blank(0)


class Grids:
    """Grids that tell what is at each place on the board.

    - ``slots``: for a lozenge, its index in ``lozenges``, or 0 if it is not a spot
    - ``tiles``: for a triangle, the tile on it + 1, or 0 if it is not covered
    - ``kinds``: for a vertex, its type + 1, or 0 if it has none
    - ``lies``: the board's own dictionary from tile to placement

    A grid is indexed by the lowest bits of the lozenge (as many as ``mask`` has), the triangle (one bit fewer) or the vertex (two fewer).
    Near the board, no two places share these bits (see WINDOWS); if a board outgrows its grids, they are replaced with larger ones.
    """

    def __init__(self, lies: dict[int, int], origin: Grids | None) -> None:
        """Create the grids of an empty board, or a copy of ``origin``."""
        self.lies: Final = lies
        if origin is None:
            self.size = 0  # an index of WINDOWS
            self.mask: i64 = 4 * WINDOWS[0][0] - 1
            self.slots: vec[i16] = SMALL.slots[:]
            self.tiles: vec[u8] = SMALL.tiles[:]
            self.kinds: vec[u8] = SMALL.kinds[:]
            self.west = self.east = self.south = self.north = 0
            self.lozenges: vec[i64] = vec[i64]([0])
        else:
            self.size = origin.size
            self.mask = origin.mask
            self.slots = origin.slots[:]
            self.tiles = origin.tiles[:]
            self.kinds = origin.kinds[:]
            self.west = origin.west
            self.east = origin.east
            self.south = origin.south
            self.north = origin.north
            self.lozenges = origin.lozenges[:]

    @property
    def cover(self) -> dict[int, int]:
        """A dictionary from each covered triangle to the tile on it."""
        return {triangle: tile for tile, placement in self.lies.items() for triangle in triangles_of(lozenge_of(placement))}

    def tile_on(self, triangle: i64) -> int:
        """Return the tile on a triangle near the board, or NOBODY."""
        tile: int = self.tiles[triangle & self.mask >> 1]  # a plain int: an unsigned machine integer would wrap around below 0
        return tile - 1

    def spaces_at(self, lozenge: int) -> list[int]:
        """Return the triangular spaces that a tile on a lozenge would create or has created."""
        base: i64 = lozenge // 6 * 2
        mask = self.mask >> 1
        tiles = self.tiles
        spaces: list[int] = []
        beside = BESIDE[lozenge % 6]
        for at in range(0, 4 * BESIDE_STEP, BESIDE_STEP):
            if not tiles[base + beside[at] & mask] and tiles[base + beside[at + 1] & mask] and tiles[base + beside[at + 2] & mask]:
                spaces.append(base + beside[at])
        return spaces

    def space_at(self, lozenge: int) -> int:
        """Return the first of ``spaces_at``, or NOWHERE if there are none."""
        base: i64 = lozenge // 6 * 2
        mask = self.mask >> 1
        tiles = self.tiles
        beside = BESIDE[lozenge % 6]
        for at in range(0, 4 * BESIDE_STEP, BESIDE_STEP):
            if not tiles[base + beside[at] & mask] and tiles[base + beside[at + 1] & mask] and tiles[base + beside[at + 2] & mask]:
                return base + beside[at]
        return NOWHERE

    def covered_around(self, vertex: i64) -> i64:
        """Return how many triangles around a vertex near the board are covered."""
        tiles = self.tiles
        mask = self.mask >> 1
        up = 2 * vertex
        one = i64(tiles[up & mask] != 0) + i64(tiles[up + 1 - 2 * _SPAN & mask] != 0) + i64(tiles[up - 2 * _SPAN & mask] != 0)
        other = i64(tiles[up - 2 * _SPAN - 1 & mask] != 0) + i64(tiles[up - 2 & mask] != 0) + i64(tiles[up - 1 & mask] != 0)
        return one + other

    def closing(self, lozenge: int) -> i64:
        """Return the corners of a tile on this lozenge at which it would close the vertex, as four bits, the highest for c0."""
        offsets = CORNER_OFFSETS[lozenge % 6]
        vertex: i64 = lozenge // 6
        kinds = self.kinds
        mask = self.mask >> 2
        corners: i64 = 0
        for corner in range(4):
            here = vertex + offsets[corner]
            corners *= 2
            if kinds[here & mask] and self.covered_around(here) == 5 - (corner & 1):
                corners += 1
        return corners

    def make_room(self, lozenge: int) -> None:
        """Enlarge the grids if they are too small for a tile on this lozenge."""
        vertex = lozenge // 6
        x = x_of(vertex)
        y = y_of(vertex)
        if not self.lies:
            self.west = self.east = x
            self.south = self.north = y
        elif self.west <= x <= self.east and self.south <= y <= self.north:
            return
        self.west = min(self.west, x)
        self.east = max(self.east, x)
        self.south = min(self.south, y)
        self.north = max(self.north, y)
        breadth = max(self.east - self.west, self.north - self.south) + MARGIN
        if breadth > WINDOWS[self.size][1]:
            self._enlarge(breadth)

    def _enlarge(self, breadth: int) -> None:
        while breadth > WINDOWS[self.size][1]:
            self.size += 1
        self.mask = 4 * WINDOWS[self.size][0] - 1
        blank = Blank(self.size)
        self.slots = blank.slots
        self.tiles = blank.tiles
        self.kinds = blank.kinds
        for slot in range(1, len(self.lozenges)):
            self.slots[self.lozenges[slot] & self.mask] = i16(slot)
        for tile, placement in self.lies.items():
            where = lozenge_of(placement)
            self.show(where, tile, PATTERN_OF_TILE[tile] if where == placement else HALF_TURN[PATTERN_OF_TILE[tile]])

    def show(self, lozenge: int, tile: int, pattern: int) -> None:
        """Enter a tile in the grids, given its lozenge and the pattern that it shows there."""
        first, second = TRIANGLES[lozenge % 6]
        base = lozenge // 6 * 2
        mask = self.mask >> 1
        self.tiles[base + first & mask] = tile + 1
        self.tiles[base + second & mask] = tile + 1
        kinds = self.kinds
        mask >>= 1
        c0, c1, c2, c3 = corners_of(lozenge)
        kinds[c0 & mask] = (pattern >> 7) + 1
        kinds[c1 & mask] = (pattern >> 6 & 1) + 1
        kinds[c2 & mask] = (pattern >> 5 & 1) + 1
        kinds[c3 & mask] = (pattern >> 4 & 1) + 1
