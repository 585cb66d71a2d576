"""Packed counts: a number for each of the 136 tiles, all in one integer, so that a single addition adds all of them.

Each tile has fifteen bits, with tile 0 lowest. The sum of all counts stays below ``FULL``: 136 connected tiles have at most 274 bare sides,
each side has two lozenges across it, and at most 32 patterns fit a lozenge.
"""

from __future__ import annotations

from typing import Final

from engine.sunda.board.tiles import N_DEMANDS, N_PATTERNS, N_TILES, PATTERNS_FITTING, TILE_OF_PATTERN

BITS: Final = 15
FULL: Final = (1 << BITS) - 1

FIELD: Final[list[int]] = [FULL << BITS * tile for tile in range(N_TILES)]
"""For each tile, the mask of its bits in packed counts."""

ALL_FIELDS: Final[int] = sum(FIELD)

_HALVES: Final[list[int]] = [(1 << (BITS << power)) - 1 for power in range(8)]
"""Masks for the counts of the first 1, 2, 4, ... 128 tiles."""


def _fitting() -> list[int]:
    of_pattern = [1 << BITS * TILE_OF_PATTERN[pattern] for pattern in range(N_PATTERNS)]
    fitting = [0] * N_DEMANDS
    for demand in range(N_DEMANDS - 1, -1, -1):
        weight = 1
        while weight < N_DEMANDS and demand // weight % 3:
            weight *= 3
        if weight == N_DEMANDS:
            fitting[demand] = of_pattern[PATTERNS_FITTING[demand][0]]
        else:  # replace the first digit 0 by either demand
            fitting[demand] = fitting[demand + weight] + fitting[demand + 2 * weight]
    return fitting


COUNTS_FITTING: Final[list[int]] = _fitting()
"""For each demand (see ``tiles``), packed counts: the number of patterns of each tile (0 to 2) that meet the demand."""


def total(counts: int) -> int:
    """Return the sum of the counts of all tiles."""
    return counts % FULL


def of_tile(counts: int, tile: int) -> int:
    """Return the count of one tile."""
    return counts >> BITS * tile & FULL


def tile_at(counts: int, number: int) -> tuple[int, int]:
    """Return the tile at index ``number`` of a list that repeats each tile as often as its count, and which repetition (from 0) it is."""
    tile = 0
    for power in range(7, -1, -1):
        half = counts & _HALVES[power]
        here = half % FULL
        if number < here:
            counts = half
        else:
            number -= here
            counts >>= BITS << power
            tile += 1 << power
    return tile, number
