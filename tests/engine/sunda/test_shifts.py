"""Triangular spaces and shifts (RULES 3.4)."""

from __future__ import annotations

from random import Random

import pytest

from engine.core import IllegalMoveError
from engine.sunda import SundaState, sunda
from engine.sunda.board.shifts import ALWAYS, NEVER, has_known_shift, has_shift, placements_on, shift_prospect
from engine.sunda.board.tiles import TILE_MASK, TILE_OF_ID
from engine.sunda.board.trigrid import vertex_at
from engine.sunda.position import LAY
from tests.engine.sunda.helpers import eager_move, legal, line_ups, play, random_game

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
