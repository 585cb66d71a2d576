"""Spots as a game keeps them up to date, tile by tile and shift by shift, against those found when the same tiles are laid afresh."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.sunda import SundaMove, SundaState, sunda
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.placement_index import GAP
from engine.sunda.board.tiles import N_DEMANDS, N_TILES, PATTERNS_FITTING, TILE_OF_PATTERN
from engine.sunda.board.trigrid import x_of, y_of
from tests.engine.sunda.helpers import by_tile, line_ups, random_game

LINE_UPS = list(line_ups())


@pytest.mark.parametrize("number", range(1, len(LINE_UPS), 2))
def test_spots_do_not_depend_on_the_way_the_tiles_came_to_lie(number: int) -> None:
    game, players = LINE_UPS[number]
    for index, state in enumerate(random_game(game, players, seed=400 + number)):
        if index % 9 == number % 9:
            board = state.inside.board
            again = SundaBoard()
            for tile, placement in board.lies.items():
                again.lay(tile, placement)
            assert board.spots.free == again.spots.free
            assert board.spots.tight == again.spots.tight
            assert (board.spots.easy, board.spots.squeezed) == (again.spots.easy, again.spots.squeezed)
            assert board.spots.cover == again.spots.cover


@pytest.mark.parametrize("number", [0, 9, 17, 23])
def test_a_fresh_look_at_a_spot_says_what_is_remembered_of_it(number: int) -> None:
    game, players = LINE_UPS[number]
    for index, state in enumerate(random_game(game, players, seed=500 + number)):
        if index % 9 == number % 9:
            spots = state.inside.board.spots
            assert all(spots.look(lozenge) == spot for lozenge, spot in spots.free.items())
            assert spots.tight == {lozenge: spot - GAP for lozenge, spot in spots.free.items() if spot // N_DEMANDS == 1}
            easy = [spot for spot in spots.free.values() if spot < N_DEMANDS]
            for counts, demands in ((spots.easy, easy), (spots.squeezed, spots.tight.values())):
                fresh = [0] * N_TILES
                for demand in demands:
                    for pattern in PATTERNS_FITTING[demand]:
                        fresh[TILE_OF_PATTERN[pattern]] += 1
                assert by_tile(counts) == fresh


@pytest.mark.parametrize("axis", [x_of, y_of, lambda vertex: -x_of(vertex) - y_of(vertex)])
def test_spots_of_a_table_that_outgrows_its_grids_are_those_of_its_tiles(axis: Callable[[int], int]) -> None:
    state = sunda({"level": 0}).new(2, 3)
    sizes = set()
    while state.actor is not None:
        moves = [move for move in state.list_moves() if isinstance(move, SundaMove)]
        state.play(max(moves, key=lambda move: axis(move.second // 6)))
        spots = state.inside.board.spots
        if spots.size not in sizes:
            sizes.add(spots.size)
            afresh = state.game.position(state.text)
            assert isinstance(afresh, SundaState)
            twin = state.copy().inside.board.spots
            assert spots.free == twin.free == afresh.inside.board.spots.free
            assert all(twin.look(lozenge) == twin.entry(lozenge) == spot for lozenge, spot in spots.free.items())
    assert len(sizes) > 1
    assert [str(move) for move in state.list_moves()] == []
