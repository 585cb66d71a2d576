"""The 136 tiles of Sunda to Sahul, generated from their definition (RULES 1), and lookup tables for which tiles fit where.

A *pattern* is what a tile shows on its lozenge: eight bits, highest first, for corners 0 to 3 and then sides 0 to 3. A set bit means water
at a corner and a blank at a side, so that patterns sort like ids in ASCII. Every pattern belongs to one tile, turned or not.
Lookup tables that are read at every move are lists, the fastest type in compiled code; they must not be changed.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i16, i32, i64

LAND: Final = 0
WATER: Final = 1
TYPE_NAMES: Final = ("land", "water")

N_TILES: Final = 136
N_PATTERNS: Final = 256


def _spelling(pattern: int) -> str:
    corners = "".join("LW"[pattern >> (7 - i) & 1] for i in range(4))
    sides = "".join("+-"[pattern >> (3 - i) & 1] for i in range(4))
    return corners + sides


def _half_turn(pattern: int) -> int:
    corners = pattern >> 4
    sides = pattern & 15
    return ((corners << 2 & 15) | corners >> 2) << 4 | (sides << 2 & 15) | sides >> 2


HALF_TURN: Final[list[int]] = [_half_turn(pattern) for pattern in range(N_PATTERNS)]
"""For each pattern, the pattern that its tile shows after a half turn."""

PATTERN_OF_TILE: Final[list[int]] = [pattern for pattern in range(N_PATTERNS) if pattern <= HALF_TURN[pattern]]
"""For each tile, the pattern that its id describes. Tiles are numbered 0 to 135 in the ASCII order of their ids."""

IDS: Final[tuple[str, ...]] = tuple(_spelling(pattern) for pattern in PATTERN_OF_TILE)
TILE_OF_ID: Final[dict[str, int]] = {name: tile for tile, name in enumerate(IDS)}
TILE_OF_PATTERN: Final[list[int]] = [PATTERN_OF_TILE.index(min(pattern, HALF_TURN[pattern])) for pattern in range(N_PATTERNS)]
SYMMETRIC: Final[list[bool]] = [HALF_TURN[pattern] == pattern for pattern in PATTERN_OF_TILE]
"""For each tile, whether it looks the same after a half turn."""

IS_TURNED: Final[list[bool]] = [HALF_TURN[pattern] < pattern for pattern in range(N_PATTERNS)]
"""For each pattern, whether it is a half turn away from the pattern that its tile's id describes."""

KIND_OF_CORNERS: Final[tuple[int, ...]] = tuple(min(corners, (corners << 2 & 15) | corners >> 2) for corners in range(16))
"""For each combination of four corner bits, its *kind*: the smaller of the combination and its half turn, which have the same kind."""

N_OF_KIND: Final[dict[int, int]] = {
    kind: sum(KIND_OF_CORNERS[pattern >> 4] == kind for pattern in PATTERN_OF_TILE) for kind in sorted(set(KIND_OF_CORNERS))
}
"""The number of tiles with each kind of corners: ten if the corners look the same after a half turn, otherwise sixteen."""

ALL_WATER: Final[tuple[int, ...]] = tuple(tile for tile in range(N_TILES) if IDS[tile].startswith("WWWW"))
"""The tiles whose four corners are water; the first tile of a game must be one of them (RULES 4)."""

TILE_MASK: Final[tuple[int, ...]] = tuple(1 << pattern | 1 << HALF_TURN[pattern] for pattern in PATTERN_OF_TILE)
"""For each tile, a 256-bit mask with a bit set for each of its patterns."""


def corner_type(pattern: int, corner: int) -> int:
    """Return the type at a corner of a pattern, LAND or WATER."""
    return pattern >> (7 - corner) & 1


def side_kind(pattern: int, side: int) -> int:
    """Return 0 if a pattern has a tab at this side, or 1 if it has a blank."""
    return pattern >> (3 - side) & 1


# A *demand* encodes which patterns fit on a free lozenge. It has eight digits in base 3: the lowest for corner 0, then the other corners
# and the sides. A digit is 0 if anything fits there, otherwise 1 + the bit that the pattern must have.
N_DEMANDS: Final = 3**8
CORNER_DIGIT: Final[list[int]] = [1, 3, 9, 27]
SIDE_DIGIT: Final[list[int]] = [81, 243, 729, 2187]
SIDED: Final = 81
"""A lozenge's demand is at least this number if a tile has been laid at one of its sides, and less if not."""


def _fitting_patterns() -> list[list[int]]:
    fitting: list[list[int]] = [[]] * N_DEMANDS
    for demand in range(N_DEMANDS - 1, -1, -1):
        pattern = 0
        weight = 1
        while weight < N_DEMANDS and demand // weight % 3:
            pattern = pattern << 1 | (demand // weight % 3 - 1)
            weight *= 3
        if weight == N_DEMANDS:
            fitting[demand] = [pattern]
        else:  # replace the first digit 0 by either demand
            fitting[demand] = sorted(fitting[demand + weight] + fitting[demand + 2 * weight])
    return fitting


PATTERNS_FITTING: Final[list[list[int]]] = _fitting_patterns()
"""For each demand, the patterns that meet it, ascending."""

WAY_OF_PATTERN: Final[list[int]] = [2 * TILE_OF_PATTERN[pattern] + int(IS_TURNED[pattern]) for pattern in range(N_PATTERNS)]
"""For each pattern, its *way*: twice its tile, plus one if the tile is turned."""

WAYS_FITTING: Final[list[list[int]]] = [[WAY_OF_PATTERN[p] for p in patterns] for patterns in PATTERNS_FITTING]
"""For each demand, the ways (``WAY_OF_PATTERN``) of the patterns that meet it, in the order of ``PATTERNS_FITTING``."""


def _masks() -> list[int]:
    masks: list[int] = []
    for patterns in PATTERNS_FITTING:
        mask = 0
        for pattern in patterns:
            mask |= 1 << pattern
        masks.append(mask)
    return masks


MASK_FITTING: Final[list[int]] = _masks()
"""For each demand, the patterns that meet it, as a 256-bit mask."""

PATTERN_BITS: Final[list[int]] = [1 << 16 + (pattern >> 4) | 1 << (pattern & 15) for pattern in range(N_PATTERNS)]
"""For each pattern, a mask with two bits set: one (of 16) stands for its four corners, the other (of 16) for its four sides."""


def _demand_bits() -> list[int]:
    bits: list[int] = []
    for patterns in PATTERNS_FITTING:
        seen = 0
        for pattern in patterns:
            seen |= PATTERN_BITS[pattern]
        bits.append(seen)
    return bits


DEMAND_BITS: Final[list[int]] = _demand_bits()
"""For each demand, a mask with the PATTERN_BITS of all patterns that meet it. A pattern meets it if both its PATTERN_BITS are in the mask.

MASK_FITTING tests the same, but its integers don't fit into a machine word.
"""


@final
class Ways:
    """DEMAND_BITS and WAYS_FITTING as flat arrays. The ways that meet demand ``d`` are ``ways[starts[d]:starts[d + 1]]``."""

    __slots__ = ("bits", "starts", "ways", "zeros")

    def __init__(self) -> None:
        ways: list[int] = []
        starts = [0]
        for fitting in WAYS_FITTING:
            ways += fitting
            starts.append(len(ways))
        self.ways: vec[i16] = vec[i16](ways)
        self.starts: vec[i32] = vec[i32](starts)
        self.bits: vec[i64] = vec[i64](DEMAND_BITS)
        self.zeros: vec[i64] = vec[i64]([0] * 4096)


WAYS: Final = Ways()


def zeros(number: i64) -> vec[i64]:
    """Return an array of ``number`` zeros."""
    known = WAYS.zeros
    return known[:number] if number <= len(known) else vec[i64]([0] * number)
