from __future__ import annotations

from engine.sunda.board.tiles import (
    ALL_WATER,
    HALF_TURN,
    IDS,
    IS_TURNED,
    MASK_FITTING,
    N_DEMANDS,
    PATTERN_OF_TILE,
    PATTERNS_FITTING,
    SYMMETRIC,
    TILE_MASK,
    TILE_OF_PATTERN,
    WAYS_FITTING,
)
from tests.engine.sunda.plain import TILES, is_symmetric


def test_there_are_136_different_tiles_of_which_16_are_symmetric() -> None:
    assert len(set(IDS)) == len(IDS) == (2**8 + 2**4) // 2 == 136
    assert sum(SYMMETRIC) == 16
    assert list(IDS) == TILES == sorted(TILES)
    assert [is_symmetric(tile) for tile in IDS] == list(SYMMETRIC)


def test_the_land_of_all_tiles_makes_68_nodes() -> None:
    assert sum((60, 120)[i % 2] for tile in IDS for i in range(4) if tile[i] == "L") == 68 * 360


def test_ten_tiles_have_four_water_corners() -> None:
    assert [IDS[tile] for tile in ALL_WATER] == [tile for tile in TILES if tile.startswith("WWWW")]
    assert len(ALL_WATER) == 10


def test_every_pattern_is_one_tile_in_one_half_turn() -> None:
    for pattern in range(256):
        tile = TILE_OF_PATTERN[pattern]
        assert HALF_TURN[HALF_TURN[pattern]] == pattern
        assert pattern == (HALF_TURN[PATTERN_OF_TILE[tile]] if IS_TURNED[pattern] else PATTERN_OF_TILE[tile])
        assert TILE_MASK[tile] >> pattern & 1
    assert sum(TILE_MASK) == 2**256 - 1


def test_a_demand_is_met_by_the_patterns_that_agree_with_each_of_its_digits() -> None:
    for demand in range(0, N_DEMANDS, 7):
        digits = [demand // 3**i % 3 for i in range(8)]
        met = [p for p in range(256) if all(digit in {0, (p >> (7 - i) & 1) + 1} for i, digit in enumerate(digits))]
        assert list(PATTERNS_FITTING[demand]) == met
        assert WAYS_FITTING[demand] == [2 * TILE_OF_PATTERN[p] + IS_TURNED[p] for p in met]
        assert MASK_FITTING[demand] == sum(1 << p for p in met)
