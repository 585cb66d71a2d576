"""Tiles, set-up, views and the decisions of a turn."""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import IllegalMoveError, OptionsError
from engine.registry import find_game
from engine.tongiaki import TONGIAKI, TongiakiState
from engine.tongiaki.board.board import DELTA, ORIGIN, cell_of, coordinates
from engine.tongiaki.board.tiles import (
    ALL_PIERS,
    BEACH_OF_PIER,
    BERTHS,
    FIRST_BEACH,
    ISLAND_OF_BEACH,
    ISLANDS,
    N_BEACHES,
    N_ISLANDS,
    N_TILES,
    NAMES,
    PIERS,
    POINTS,
    ROUTE_COLORS,
    ROUTE_EXIT,
    TONGA,
    TOTAL_BERTHS,
    WATERS,
)
from engine.tongiaki.notation.moves import ENTER, EXPAND, LAY, SAIL, TAKE, TongiakiMove
from tests.engine.tongiaki.helpers import ROOT, line, listed, parsed, played, position, somewhere, view_of

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


@pytest.mark.parametrize("seed", [0, 1, 7, 2**31, 2**63 - 1, 10**30])
def test_the_deck_is_the_tiles_file_shuffled_by_the_seed_with_its_top_first(seed: int) -> None:
    tiles = json.loads((ROOT / "docs/rules/tongiaki-tiles.json").read_text(encoding="utf-8"))
    deck = [island["name"].replace(" ", "_") for island in tiles["islands"] if not island["start"]] + [w["id"] for w in tiles["waters"]]
    random.Random(seed).shuffle(deck)
    assert line(TONGIAKI.new(3, seed), "deck") == " ".join(["deck", *deck])


def test_the_first_tile_drawn_is_the_top_of_the_deck() -> None:
    state = TONGIAKI.new(2, 5)
    top = NAMES[state.deck[-1]]
    played(state, "place 0", "place 1", "place 2", "place 3", "recolonise")
    assert state.events == (f"draw {top}",)


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_every_seat_places_one_ship_in_seat_order_then_again_and_seat_0_starts(players: int) -> None:
    state = TONGIAKI.new(players, 0)
    order = []
    for _ in range(2 * players):
        assert listed(state, "place") == listed(state)
        order.append(state.actor)
        state.play(state.legal_moves[0])
    assert order == [*range(players), *range(players)]
    assert (state.actor, state.supply) == (0, [13] * players)
    assert "decides 0 turn" in state.text


def test_after_each_placement_every_beach_of_tonga_still_has_a_free_berth() -> None:
    state = played(TONGIAKI.new(6, 0), "place 2", "place 2")
    assert listed(state) == ["place 0", "place 1", "place 3", "place 4", "place 5"]
    with pytest.raises(IllegalMoveError):
        state.play(parsed("place 2"))


@pytest.mark.parametrize("players", [-1, 0, 1, 7])
def test_the_game_is_for_2_to_6_players(players: int) -> None:
    with pytest.raises(OptionsError, match=f"2 to 6 players, not {players}$"):
        TONGIAKI.new(players, 0)


def test_tongiaki_has_no_options_and_no_chance_events_but_the_deck() -> None:
    assert dict(TONGIAKI.options) == {}
    assert TONGIAKI.chance_events == frozenset()
    with pytest.raises(OptionsError, match="no option 'level'"):
        find_game("tongiaki", {"level": 2})


PRINTED = json.loads((ROOT / "docs/rules/tongiaki-tiles.json").read_text(encoding="utf-8"))


def test_islands_are_those_of_the_rules_in_their_order() -> None:
    said = [
        (island["name"].replace(" ", "_"), island["points"], [(beach["berths"], tuple(beach["piers"])) for beach in island["beaches"]])
        for island in PRINTED["islands"]
    ]
    assert [(island.name, island.points, [tuple(beach) for beach in island.beaches]) for island in ISLANDS] == said


def test_waters_are_those_of_the_rules_in_their_order() -> None:
    said = [(water["id"], [(tuple(route["sides"]), route["colors"]) for route in water["routes"]]) for water in PRINTED["waters"]]
    assert [(water.name, [(route.sides, route.colors) for route in water.routes]) for water in WATERS] == said


def test_totals_are_those_of_the_printed_game() -> None:
    assert (N_ISLANDS, N_TILES, len(WATERS)) == (16, 32, 16)
    assert Counter(POINTS) == {0: 1, 2: 3, 3: 4, 4: 5, 5: 3}
    assert sum(POINTS) == 53
    assert (len(BERTHS), sum(BERTHS)) == (47, 152)
    assert Counter(route.colors for water in WATERS for route in water.routes) == {1: 12, 2: 12, 3: 12, 4: 12}


def test_the_flat_tables_say_what_the_tiles_say() -> None:
    for number, island in enumerate(ISLANDS):
        beaches = range(FIRST_BEACH[number], FIRST_BEACH[number] + N_BEACHES[number])
        assert [(BERTHS[beach], PIERS[beach]) for beach in beaches] == list(island.beaches)
        assert {ISLAND_OF_BEACH[beach] for beach in beaches} == {number}
        assert TOTAL_BERTHS[number] == sum(beach.berths for beach in island.beaches)
        piers = {side: FIRST_BEACH[number] + beach for beach, (_, sides) in enumerate(island.beaches) for side in sides}
        assert [BEACH_OF_PIER[6 * number + side] for side in range(6)] == [piers.get(side, -1) for side in range(6)]
        assert ALL_PIERS[number] == tuple(sorted(piers))
    for number, water in enumerate(WATERS, start=N_ISLANDS):
        for (one, other), colors in water.routes:
            assert (ROUTE_EXIT[6 * number + one], ROUTE_EXIT[6 * number + other]) == (other, one)
            assert ROUTE_COLORS[6 * number + one] == ROUTE_COLORS[6 * number + other] == colors


@pytest.mark.parametrize(("direction", "neighbour"), list(enumerate([(0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0)])))
def test_directions_run_clockwise_from_north(direction: int, neighbour: tuple[int, int]) -> None:
    assert coordinates(ORIGIN + DELTA[direction]) == neighbour
    assert DELTA[(direction + 3) % 6] == -DELTA[direction]


def test_cells_sort_as_their_coordinates_do() -> None:
    everywhere = [(q, r) for q in range(-31, 32) for r in range(-31, 32)]
    assert sorted(everywhere, key=lambda cell: cell_of(*cell)) == sorted(everywhere)
    assert [coordinates(cell_of(*cell)) for cell in everywhere] == everywhere


SOMEWHERE = st.builds(somewhere, players=st.integers(2, 6), seed=st.integers(0, 2**40), moves=st.integers(0, 300))


def reshuffled(state: TongiakiState) -> TongiakiState:
    """The same position with another order of the deck."""
    other = state.copy()
    Random(99).shuffle(other.deck)
    return other


def public(state: TongiakiState) -> dict[str, object]:
    """Every attribute of a state that is no method and no name with an underscore, as text."""
    return {name: repr(getattr(state, name)) for name in dir(state) if not name.startswith("_") and not callable(getattr(state, name))}


@given(state=SOMEWHERE, seat=st.integers(0, 1))
def test_states_that_differ_only_in_the_order_of_the_deck_give_equal_views(state: TongiakiState, seat: int) -> None:
    one, other = view_of(state, seat), view_of(reshuffled(state), seat)
    assert one == other
    assert hash(one) == hash(other)
    assert repr(one) == repr(other)
    assert one.position.text == other.position.text
    hidden = {"board", "game", "legal_moves"}  # these print as an address, or are compared here by what they say
    assert {k: v for k, v in public(one.position).items() if k not in hidden} == {
        k: v for k, v in public(other.position).items() if k not in hidden
    }
    assert [str(move) for move in one.legal_moves] == [str(move) for move in other.legal_moves]
    assert pickle.dumps(one.position.deck) == pickle.dumps(other.position.deck)


def test_a_view_has_neither_seed_nor_generator_nor_order_of_the_deck_in_any_slot() -> None:
    state = TONGIAKI.new(3, 987654321)
    known = view_of(state, 0).position
    slots = {name: getattr(known, name) for kind in type(known).__mro__ for name in getattr(kind, "__slots__", ())}
    assert known.deck == sorted(state.deck, reverse=True) != state.deck
    assert not any(isinstance(value, Random) for value in slots.values())
    assert "987654321" not in repr(slots)
    assert "987654321" not in repr(state.view(0)) + known.text


def test_a_views_text_tells_the_unseen_tiles_in_the_order_of_the_rules() -> None:
    state = TONGIAKI.new(2, 3)
    unseen = line(view_of(state, 0).position, "unseen")
    assert unseen is not None
    assert unseen.split(" ")[1:4] == ["Muroroa", "Nauru", "Tubuai"]
    assert sorted(unseen.split(" ")[1:]) == sorted((line(state, "deck") or "").split(" ")[1:])
    assert line(view_of(state, 0).position, "deck") is None


def test_what_is_done_to_a_views_position_does_not_reach_the_game() -> None:
    state = somewhere(4, 2, 40)
    before, moves = state.text, listed(state)
    known = view_of(state, 0).position
    known.supply[0] = 99
    known.deck.clear()
    known.board.cells.clear()
    known.board.packed[0] = 7
    known.board.islands.clear()
    known.returned[0] = 20
    assert (state.text, listed(state)) == (before, moves)
