"""Tiles on the table: which there are, where they may lie, and that quick ways to find this agree with a fresh look."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from engine.core import IllegalMoveError
from engine.sunda import SundaState, sunda
from engine.sunda.board import trigrid
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.packed_counts import BITS, tile_at
from engine.sunda.board.placement_index import GAP
from engine.sunda.board.shifts import ALWAYS, NEVER, has_known_shift, has_shift, placements_on, shift_prospect
from engine.sunda.board.tiles import (
    ALL_WATER,
    HALF_TURN,
    IDS,
    IS_TURNED,
    MASK_FITTING,
    N_DEMANDS,
    N_TILES,
    PATTERN_OF_TILE,
    PATTERNS_FITTING,
    SYMMETRIC,
    TILE_MASK,
    TILE_OF_ID,
    TILE_OF_PATTERN,
    WAYS_FITTING,
)
from engine.sunda.board.trigrid import vertex_at
from engine.sunda.position import CHOOSE, LAY, STRIKE_BACK
from tests.engine.sunda.helpers import as_pair, as_triple, by_tile, eager_move, legal, line_ups, play, random_game
from tests.engine.sunda.plain import TILES, Vertex, corners, is_symmetric, triangles

LINE_UPS = list(line_ups())


@pytest.mark.sampled(8)
@pytest.mark.parametrize("number", range(len(LINE_UPS)))
def test_a_move_found_by_its_number_is_that_of_the_list(number: int) -> None:
    game, players = LINE_UPS[number]
    rng = Random(number)
    for state in random_game(game, players, seed=900 + number):
        if rng.random() < 0.8 and state.inside.phase != STRIKE_BACK:
            continue
        twin = state.copy()
        moves = state.list_moves()
        assert twin.count_moves() == len(moves)
        for index in {0, len(moves) - 1, *(rng.randrange(len(moves)) for _ in range(4))} if moves else ():
            assert twin.move_at(index) == moves[index]
        if moves:
            assert twin.move_at(-1) == moves[-1]
        for outside in (len(moves), -len(moves) - 1):
            with pytest.raises(IndexError):
                twin.move_at(outside)


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


def tally_of(numbers: list[int]) -> int:
    return sum(number << BITS * tile for tile, number in enumerate(numbers))


def test_a_tile_is_found_by_its_number_as_in_a_list_of_them_all() -> None:
    rng = Random(3)
    numbers = [rng.choice((0, 0, 1, 4)) for _ in range(N_TILES)]
    every = [(tile, number) for tile in range(N_TILES) for number in range(numbers[tile])]
    assert [tile_at(tally_of(numbers), number) for number in range(len(every))] == every


def afresh(state: SundaState) -> list[str]:
    """The legal moves of the position as read from its text, which remembers nothing of the game."""
    position = state.game.position(state.text)
    assert isinstance(position, SundaState)
    return legal(position)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("number", range(0, len(LINE_UPS), 2))
def test_moves_listed_all_along_a_game_are_those_listed_afresh(number: int) -> None:
    game, players = LINE_UPS[number]
    for index, state in enumerate(random_game(game, players, seed=300 + number)):
        listed = legal(state)
        if index % 7 == number % 7 or state.inside.phase not in {LAY, CHOOSE}:
            assert listed == afresh(state)


def test_a_copy_that_goes_its_own_way_leaves_the_list_of_the_other_as_it_was() -> None:
    state = sunda({"level": 5}).new(3, 8)
    rng = Random(8)
    while state.actor is not None:
        if rng.random() < 0.6:
            state.play(eager_move(state, rng))
            continue
        before = legal(state)
        twin = state.copy()
        for _ in range(4):
            if twin.actor is not None:
                twin.play(eager_move(twin, rng))
                legal(twin)
        assert twin.actor is None or legal(twin) == afresh(twin)
        assert legal(state) == before
        state.play(eager_move(state, rng))


def test_the_list_follows_a_choice_that_is_hidden() -> None:
    state = sunda({"mode": "simultaneous"}).new(2, 1)
    state.play(state.list_moves()[0])
    first = legal(state)
    state.hide_choice()
    assert state.actor == 1
    assert set(legal(state)).isdisjoint(move for move in first if move.startswith("place"))


ALL_PATTERNS = sum(TILE_MASK)

# A tile at 1,-1,0 leaves a triangular space between itself, WWWW+--- and LWWL-+++.
NOOK = """
tile LLWW++-+ 0,-1,0
tile LWWL-+++ 1,2,4
tile LWWW+-++ 1,2,3
tile WWWW+--- 0,0,0
"""

INTO_NOOK = "place LLWW+++- 1,-1,0"


def nook() -> SundaState:
    return sunda({}).position(NOOK)


def hold(state: SundaState, *tiles: str) -> SundaState:
    """The state, as if there were tokens at all corners of these tiles."""
    for name in tiles:
        state.inside.claims.held.update(state.inside.board.corners(TILE_OF_ID[name]))
    return state


def test_the_player_who_makes_a_triangular_space_must_shift_another_tile_at_it() -> None:
    state = play(nook(), INTO_NOOK)
    assert state.actor == 0
    assert {move.split()[1] for move in legal(state)} == {"0,0,0", "1,2,4"}
    play(state, legal(state)[0])
    assert len(state.inside.board.lies) == 5
    assert (state.inside.seat, state.inside.step) == (0, 1)  # the shift is not one of the turn's two tiles


def test_a_tile_with_a_token_or_marker_at_a_corner_is_not_shifted() -> None:
    only_node = nook()
    vertex = vertex_at(0, 1)  # a corner of WWWW+--- alone
    only_node.inside.claims.held.add(vertex)
    play(only_node, INTO_NOOK)
    assert {move.split()[1] for move in legal(only_node)} == {"1,2,4"}


def test_without_a_shift_a_placement_that_makes_a_space_is_illegal() -> None:
    state = hold(nook(), "WWWW+---", "LWWL-+++")
    assert not any(move.endswith(" 1,-1,0") for move in legal(state))
    assert len(state.legal_moves) == len(legal(state)) < len(legal(nook()))
    with pytest.raises(IllegalMoveError):
        play(state, INTO_NOOK)
    rng = Random(0)
    assert not any(str(state.random_move(rng)).endswith(" 1,-1,0") for _ in range(400))


def test_a_tile_of_a_complete_island_is_not_shifted() -> None:
    islet = "tile WLWW+-++ -1,0,0\ntile WLWW+-+- 1,-1,2\n"
    beside = "tile WLWW+++- -1,1,3\ntile WWWW+--+ -2,-1,0\ntile WWWW-+-+ -2,-2,0\n"
    moves = {}
    for last in ("tile WLWW+--+ 0,1,4\n", ""):  # with the last tile of the islet at 0,0, and without
        state = play(sunda({}).position(islet + last + beside), "place WLWW++-- -1,-2,0")
        moves[last] = {move.split()[1] for move in legal(state)}
    assert list(moves.values()) == [{"-2,-1,0"}, {"-2,-1,0", "1,-1,2"}]


@pytest.mark.parametrize("number", range(0, 27, 2))
def test_the_quick_look_for_a_shift_agrees_with_the_thorough_one(number: int) -> None:
    game, players = list(line_ups())[number]
    rng = Random(number)
    n_quick = 0
    for state in random_game(game, players, seed=700 + number):
        p = state.inside
        if p.phase != LAY or rng.random() < 0.8:
            continue
        for lozenge, demand in p.board.spots.tight.items():
            prospect = p.prospect(lozenge)
            assert prospect == shift_prospect(p.board, p.claims.held, lozenge) or has_known_shift(p.board, p.claims.held, lozenge)
            if prospect in {ALWAYS, NEVER}:
                n_quick += 1
                for tile, place in placements_on(lozenge, demand, ALL_PATTERNS)[:4]:
                    if tile not in p.board.lies:
                        assert has_shift(p.board, p.claims.held, tile, place) == (prospect == ALWAYS)
    assert n_quick > 0 or p.ticks


def test_a_vertex_that_was_closed_before_the_step_gives_no_right_though_the_shift_opened_it() -> None:
    for number, (game, players) in enumerate(line_ups()):
        before: set[int] = set()
        for state in random_game(game, players, seed=800 + number):
            p = state.inside
            if p.phase == LAY:
                before = {v for v, wedges in p.board.wedges.items() if wedges == 6}
            assert not before.intersection(p.nodes) or p.ticks


def test_a_random_game_is_played_the_same_by_both_ways_to_a_shift() -> None:
    state = sunda({"level": 1}).new(2, 1)
    rng = Random(1)
    shifts = 0
    while state.actor is not None:
        move = eager_move(state, rng)
        twin = state.copy()
        play(twin, str(move))
        state.play(move)
        shifts += str(move).startswith("shift")
        assert twin == state
    assert shifts > 0


PLACES = list(product((-3, 0, 2), (-1, 0, 5), range(6)))


def placement(x: int, y: int, d: int) -> int:
    return 6 * trigrid.vertex_at(x, y) + d


def triangle_pairs(triangle: int) -> frozenset[Vertex]:
    return frozenset(map(as_pair, trigrid.corners_of_triangle(triangle)))


@pytest.mark.parametrize("place", PLACES)
def test_a_lozenge_has_the_corners_and_triangles_of_its_placement(place: tuple[int, int, int]) -> None:
    code = placement(*place)
    assert as_triple(code) == place
    lozenge = trigrid.lozenge_of(code)
    vertices = [as_pair(v) for v in trigrid.corners_of(lozenge)]
    assert vertices in (corners(place), corners(place)[2:] + corners(place)[:2])
    assert {triangle_pairs(t) for t in trigrid.triangles_of(lozenge)} == set(triangles(place))
    assert as_pair(trigrid.half_turned(lozenge) // 6) == vertices[2]
    assert trigrid.lozenge_of(trigrid.half_turned(lozenge)) == lozenge
    assert code in {lozenge, trigrid.half_turned(lozenge)}


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
