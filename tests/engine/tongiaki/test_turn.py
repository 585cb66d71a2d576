"""RULES 3: what a seat may do with its turn."""

from __future__ import annotations

import pytest

from engine.core import IllegalMoveError
from engine.tongiaki.board.tiles import NAMES, TONGA
from engine.tongiaki.notation.moves import ENTER, EXPAND, LAY, SAIL, TAKE, TongiakiMove
from tests.engine.tongiaki.helpers import line, listed, parsed, played, position

TWO_EACH = """
    tongiaki
    players 2
    decides 0 turn
    Tonga 0,0 0: 0 1 0 1 - -
"""
# Seat 0 has all its ships on beaches: ten on Fidschi, four on Tonga, one on Samoa.
EMPTY_SUPPLY = """
    tongiaki
    players 2
    decides 0 turn
    Tonga 0,0 0: 00 0 0 1 - -
    Fidschi 1,-1 4: 0000 000 000
    Samoa 0,-1 3: 0 - -
"""
# Seat 0 may crown Samoa alone: Tonga is Tonga, Nauru is shared, Tubuai is royal, Oahu is another's, Hawaii is deserted.
CROWNS = """
    tongiaki
    players 2
    decides 0 turn
    Tonga 0,0 0: 0 - - - - -
    Samoa 1,-1 4: 0 - 00
    Nauru 0,-1 3: 0 1 -
    Tubuai -1,0 2 royal 1
    Oahu 1,0 5: 1 - -
    Hawaii 0,1 0: - - -
"""
NO_SHIP_ASHORE = """
    tongiaki
    players 2
    decides 0 turn
    Tonga 0,0 0: 11 1 - - - -
    Samoa 1,-1 4: 1 - 1111
    Nauru 0,-1 3 royal 0
    Tubuai -1,0 2 royal 1
"""


# 3a, expand


def test_expand_puts_at_most_one_ship_on_each_beach() -> None:
    state = position("tongiaki\nplayers 2\ndecides 0 turn\nTubuai 0,0 0: 00 01")
    assert listed(state, "expand") == ["expand Tubuai 0,1"]
    with pytest.raises(IllegalMoveError):
        state.play(parsed("expand Tubuai 0"))


def test_expand_puts_no_more_ships_than_are_in_supply() -> None:
    state = position("tongiaki\nplayers 2\ndecides 0 turn\nTonga 0,0 0: 00 00 1 - - -\nFidschi 1,-1 4: 0000 000 000")
    assert state.supply == [1, 14]
    assert listed(state, "expand") == [*(f"expand Tonga {beach}" for beach in range(6)), *(f"expand Fidschi {beach}" for beach in range(3))]


# 3a, supply empty


def test_with_an_empty_supply_there_is_no_expansion_but_take_and_pass() -> None:
    state = position(EMPTY_SUPPLY)
    assert listed(state) == [
        *("take Tonga:0", "take Tonga:1", "take Tonga:2"),
        *("take Fidschi:0", "take Fidschi:1", "take Fidschi:2", "take Samoa:0"),
        *("pass", "crown Fidschi", "crown Samoa", "recolonise"),
    ]


def test_what_was_taken_must_expand_with_just_that_ship_but_not_onto_the_very_beach_it_came_from() -> None:
    state = played(position(EMPTY_SUPPLY), "take Tonga:0")
    assert listed(state) == [
        *(f"expand Tonga {beach}" for beach in (1, 2, 3, 4, 5)),
        *(f"expand Fidschi {beach}" for beach in (0, 1, 2)),
        *(f"expand Samoa {beach}" for beach in (0, 1, 2)),
    ]
    with pytest.raises(IllegalMoveError):
        state.play(parsed("expand Tonga 0"))


def test_the_expansion_after_a_take_may_fill_a_beach_and_ends_the_turn_otherwise() -> None:
    filled = played(position(EMPTY_SUPPLY), "take Tonga:1", "expand Fidschi 0")
    calm = played(position(EMPTY_SUPPLY), "take Tonga:1", "expand Tonga 5")
    assert "decides 0 sail" in filled.text
    assert "decides 1 turn" in calm.text


def test_a_take_after_which_no_expansion_exists_is_illegal() -> None:
    state = position("tongiaki\nplayers 2\ndecides 0 turn\nTonga 0,0 0: 0 1 - - - -\nW01 0,-1 3 stays 00000000000000")
    assert state.supply[0] == 0
    assert listed(state) == ["pass", "recolonise"]
    assert parsed("take Tonga:0") not in state.legal_moves


def test_of_two_ships_ashore_one_may_be_taken() -> None:
    state = position("tongiaki\nplayers 2\ndecides 0 turn\nTonga 0,0 0: 0 0 1 - - -\nW01 0,-1 3 stays 0000000000000")
    assert listed(state) == ["take Tonga:0", "take Tonga:1", "pass", "recolonise"]
    assert parsed("take Tonga:1") in state.legal_moves


# 3b, found a royal island


def test_crown_needs_own_ships_and_nobody_elses_on_an_island_neither_tonga_nor_royal() -> None:
    assert listed(position(CROWNS), "crown") == ["crown Samoa"]


def test_nobody_founds_a_third_royal_island() -> None:
    third = position(CROWNS + "Muroroa 2,-1 0 royal 0\nTahiti 2,0 0 royal 0")
    second = position(CROWNS + "Muroroa 2,-1 0 royal 0\nTahiti 2,0 0 royal 1")
    assert listed(third, "crown") == []
    assert parsed("crown Samoa") not in third.legal_moves
    assert listed(second, "crown") == ["crown Samoa"]


# 3c, colonise anew


def test_a_drawn_tile_goes_to_any_empty_cell_that_touches_a_laid_tile_its_crest_facing_one() -> None:
    state = played(position(TWO_EACH + "W09 1,0 0"), "recolonise")
    assert listed(state) == [
        *("lay -1,0 2", "lay -1,1 1", "lay 0,-1 3"),
        *("lay 0,1 0", "lay 0,1 1"),
        *("lay 1,-1 3", "lay 1,-1 4", "lay 1,1 0"),
        *("lay 2,-1 4", "lay 2,0 5"),
    ]


def test_recolonise_repeats_until_the_tile_is_an_island_then_one_ship_settles_and_the_turn_ends() -> None:
    state = played(position(TWO_EACH), "recolonise", "lay 0,-1 3")
    assert "decides 0 lay Mangareva recolonise" in state.text
    assert line(state, "W02") == "W02 0,-1 3"
    played(state, "lay 0,-2 3")
    assert "decides 0 settle Mangareva" in state.text
    assert listed(state) == ["settle 0", "settle 1", "settle 2"]
    played(state, "settle 2")
    assert line(state, "Mangareva") == "Mangareva 0,-2 3: - - 0"
    assert state.supply[0] == 14
    assert "decides 1 turn" in state.text


# 3d, enter


def test_two_ships_enter_tonga_on_any_free_berths_the_same_beach_allowed() -> None:
    state = position(NO_SHIP_ASHORE)
    pairs = [f"enter Tonga {a},{b}" for a in range(6) for b in range(a, 6) if (a, b) != (0, 0)]  # beach 0 has one berth left
    assert listed(state)[:20] == pairs


def test_a_seat_that_has_nowhere_to_enter_must_colonise_anew() -> None:
    state = position("tongiaki\nplayers 2\ndecides 0 turn\nNauru 0,-1 3 royal 0\nTubuai -1,0 2 royal 1\nW09 0,0 0")
    assert listed(state) == ["recolonise"]
    assert "decides 0 lay W02 recolonise" in played(state, "recolonise").text


# Moves that a bot can make by hand, and that no text is parsed to

WATER = NAMES.index("W01")


@pytest.mark.parametrize(
    ("text", "before", "code", "wrong"),
    [
        (TWO_EACH, (), EXPAND, [(TONGA, (1, 1)), (TONGA, (-1, 0)), (TONGA, (0, 6)), (WATER, (0, 1)), (-1, (0, 1))]),
        (CROWNS, (), EXPAND, [(NAMES.index("Oahu"), ()), (NAMES.index("Rapa_Nui"), ())]),
        (EMPTY_SUPPLY, (), EXPAND, [(TONGA, ()), (TONGA, (1,))]),
        (EMPTY_SUPPLY, (), TAKE, [(TONGA, ()), (TONGA, (0, 1)), (TONGA, (-1,)), (NAMES.index("Samoa"), (3,)), (WATER, (0,))]),
        (EMPTY_SUPPLY, ("take Tonga:0",), EXPAND, [(TONGA, ()), (TONGA, (1, 2)), (TONGA, (-1,)), (TONGA, (6,)), (WATER, (0,))]),
        (
            TWO_EACH,
            ("recolonise",),
            LAY,
            [(-1, cell) for cell in ((0, 0, 0), (0, 1, 6), (0, 1, -1), (50, 50, 0), (-64, 0, 0), (99, -99, 5))],
        ),
        (NO_SHIP_ASHORE, (), ENTER, [(TONGA, (3,)), (TONGA, (4, 3)), (TONGA, (5, 6)), (WATER, (0,)), (-1, (0,))]),
        (NO_SHIP_ASHORE, ("enter Tonga 0,3",), SAIL, [(TONGA, ()), (TONGA, (0, 0)), (TONGA, (6,)), (WATER, (0,)), (-1, (0,))]),
    ],
    ids=["expand", "expand no own ship", "expand without supply", "take", "expand what was taken", "lay", "enter", "sail"],
)
def test_a_move_of_beaches_sides_or_islands_that_are_not_there_is_illegal(
    text: str, before: tuple[str, ...], code: int, wrong: list[tuple[int, tuple[int, ...]]]
) -> None:
    state = played(position(f"{text}W01 -1,1 1"), *before)
    assert [move for move in wrong if TongiakiMove(code, *move) in state.legal_moves] == []
