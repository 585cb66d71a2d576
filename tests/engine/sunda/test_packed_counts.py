"""Tallies against the lists of numbers that they stand for."""

from __future__ import annotations

from random import Random

import pytest

from engine.sunda.board.packed_counts import ALL_FIELDS, BITS, FIELD, FULL, of_tile, tile_at, total
from engine.sunda.board.tiles import N_DEMANDS, N_PATTERNS, N_TILES, SIDED, WAYS_FITTING
from tests.engine.sunda.helpers import by_tile


def tally_of(numbers: list[int]) -> int:
    return sum(number << BITS * tile for tile, number in enumerate(numbers))


@pytest.mark.parametrize("most", [1, 9, 200])
def test_a_tally_gives_its_numbers_and_their_sum_back(most: int) -> None:
    numbers = [Random(most).randrange(most + 1) for _ in range(N_TILES)]
    tally = tally_of(numbers)
    assert by_tile(tally) == numbers
    assert total(tally) == sum(numbers)
    assert [of_tile(tally & FIELD[tile], tile) for tile in range(N_TILES)] == numbers
    assert tally & ALL_FIELDS == tally


def test_a_tile_is_found_by_its_number_as_in_a_list_of_them_all() -> None:
    rng = Random(3)
    numbers = [rng.choice((0, 0, 1, 4)) for _ in range(N_TILES)]
    every = [(tile, number) for tile in range(N_TILES) for number in range(numbers[tile])]
    assert [tile_at(tally_of(numbers), number) for number in range(len(every))] == every


def test_no_table_has_so_many_placements_that_a_tally_would_overflow() -> None:
    bare_sides = 4 * N_TILES - 2 * (N_TILES - 1)
    assert max(len(WAYS_FITTING[demand]) for demand in range(SIDED, N_DEMANDS)) == N_PATTERNS // 2  # a side alone, without its corners
    with_corners = N_PATTERNS // 8  # a spot has a tile at one side at least, and so two corners
    assert 2 * bare_sides * with_corners < FULL
