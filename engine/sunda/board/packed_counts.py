"""Tallies: a number for each of the 136 tiles, all in one integer, so that two tallies are added in one operation.

A tally has fifteen bits for each tile, the lowest for tile 0. Whatever is counted in one, all of it together stays below ``FULL``: 136
tiles that hang together have at most 274 bare sides, each with two lozenges across that at most 32 patterns fit.
"""

from __future__ import annotations

from typing import Final

from engine.sunda.board.tiles import N_DEMANDS, N_PATTERNS, N_TILES, PATTERNS_FITTING, TILE_OF_PATTERN

BITS: Final = 15
FULL: Final = (1 << BITS) - 1

FIELD: Final[list[int]] = [FULL << BITS * tile for tile in range(N_TILES)]
"""For each tile its bits."""

ALL_FIELDS: Final[int] = sum(FIELD)

_HALVES: Final[list[int]] = [(1 << (BITS << power)) - 1 for power in range(8)]
"""The bits of the first 1, 2, 4, ... 128 tiles."""


def _fitting() -> list[int]:
    of_pattern = [1 << BITS * TILE_OF_PATTERN[pattern] for pattern in range(N_PATTERNS)]
    fitting = [0] * N_DEMANDS
    for demand in range(N_DEMANDS - 1, -1, -1):
        weight = 1
        while weight < N_DEMANDS and demand // weight % 3:
            weight *= 3
        if weight == N_DEMANDS:
            fitting[demand] = of_pattern[PATTERNS_FITTING[demand][0]]
        else:  # the first digit that demands nothing is either of the two
            fitting[demand] = fitting[demand + weight] + fitting[demand + 2 * weight]
    return fitting


COUNTS_FITTING: Final[list[int]] = _fitting()
"""For each demand of ``tiles`` how many half turns of each tile meet it."""


def total(tally: int) -> int:
    """The sum over all tiles."""
    return tally % FULL


def of_tile(tally: int, tile: int) -> int:
    """The number of one tile."""
    return tally >> BITS * tile & FULL


def by_tile(tally: int) -> list[int]:
    """The number of each tile."""
    return [of_tile(tally, tile) for tile in range(N_TILES)]


def tile_at(tally: int, number: int) -> tuple[int, int]:
    """The tile with this number, from 0, when each tile comes as often as is tallied; and the number less that of all tiles before it."""
    tile = 0
    for power in range(7, -1, -1):
        half = tally & _HALVES[power]
        here = half % FULL
        if number < here:
            tally = half
        else:
            number -= here
            tally >>= BITS << power
            tile += 1 << power
    return tile, number
