"""RULES 4: emigration and the voyage of a group, up to where it ends."""

from __future__ import annotations

import pytest

from engine.core import IllegalMoveError
from tests.engine.tongiaki.helpers import line, listed, parsed, played, position

# A voyage out of Tonga's northern beach.
NORTH = """
    tongiaki
    players 3
    decides 0 sail
    Tonga 0,0 0: 012 - - - - -
"""
CELLS = [(0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0)]


def test_the_active_player_picks_any_full_beach_of_any_island_and_one_of_its_piers() -> None:
    state = position(
        """
        tongiaki
        players 2
        decides 0 sail
        Tonga 0,0 0: 11 111 - - 000 -
        Samoa 1,-1 4: 011 - 1
        Nauru 0,-1 3: - - 0
        Tuamotu 1,0 5: 0111 1
        """
    )

    assert listed(state) == [
        *("sail Tonga 1", "sail Tonga 4", "sail Samoa 1", "sail Samoa 2", "sail Tuamotu 1"),
        *("sail Tuamotu 2", "sail Tuamotu 3"),
    ]


@pytest.mark.parametrize("move", ["sail Tonga 1", "sail Samoa 2", "sail Tubuai 0", "sail Tubuai 4"])
def test_a_beach_with_a_free_berth_a_side_without_a_pier_and_an_island_not_laid_are_not_sailed_from(move: str) -> None:
    state = position(NORTH + "Tubuai 1,-1 4: 001 11")
    with pytest.raises(IllegalMoveError):
        state.play(parsed(move))


def test_all_ships_of_the_beach_sail_as_one_group_and_no_other() -> None:
    state = played(position("tongiaki\nplayers 3\ndecides 0 sail\nTonga 0,0 0: 012 00 - - - -\nNauru 0,-1 3: - - -"), "sail Tonga 0")
    assert "decides 0 land Nauru 012" in state.text
    assert line(state, "Tonga") == "Tonga 0,0 0: - 00 - - - -"


# Into an empty cell


@pytest.mark.parametrize("side", range(6))
def test_a_tile_drawn_for_an_empty_cell_has_its_crest_towards_where_the_group_comes_from(side: int) -> None:
    ships = ["001" if beach == side else "-" for beach in range(6)]
    state = position(f"tongiaki\nplayers 2\ndecides 0 sail\nTonga 0,0 0: {' '.join(ships)}", deck="deck Nauru W01 Samoa W02")
    played(state, f"sail Tonga {side}")
    q, r = CELLS[side]
    assert state.events == ("draw Nauru",)
    assert line(state, "Nauru") == f"Nauru {q},{r} {(side + 3) % 6}: - - -"
    assert line(state, "deck") == "deck W01 Samoa W02"


@pytest.mark.parametrize(("turned", "direction"), [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)])
def test_the_pier_on_side_s_of_a_tile_turned_by_o_faces_direction_o_plus_s(turned: int, direction: int) -> None:
    state = position(f"tongiaki\nplayers 2\ndecides 0 sail\nMuroroa 0,0 {turned}: 01 - -", deck="deck Nauru W01 Samoa W02")
    played(state, "sail Muroroa 1")
    q, r = CELLS[direction]
    assert line(state, "Nauru") == f"Nauru {q},{r} {(direction + 3) % 6}: - - -"


def test_a_group_enters_a_drawn_water_by_side_0_and_leaves_by_the_other_side_of_its_route() -> None:
    state = position(NORTH, deck="deck W01 Nauru W02 Samoa")
    played(state, "sail Tonga 0")
    assert state.events == ("draw W01", "draw Nauru")
    assert line(state, "W01") == "W01 0,-1 3"  # its route 0-1 turns the group south-west
    assert line(state, "Nauru") == "Nauru -1,0 1: - - -"
    assert "decides 0 land Nauru 012" in state.text


def test_a_voyage_draws_tile_after_tile() -> None:
    state = position(NORTH, deck="deck W09 W10 W12 Nauru W02 Samoa")
    played(state, "sail Tonga 0")
    assert state.events == ("draw W09", "draw W10", "draw W12", "draw Nauru")
    assert [line(state, name) for name in ("W09", "W10", "W12")] == ["W09 0,-1 3", "W10 1,-2 4", "W12 2,-2 5"]
    assert line(state, "Nauru") == "Nauru 2,-1 0: - - -"


# Over waters


@pytest.mark.parametrize("group", ["00000", "00011", "00122", "01233", "01234"])
@pytest.mark.parametrize(("water", "asked"), [("W01", 1), ("W02", 2), ("W03", 3), ("W05", 4)])
def test_a_group_crosses_a_water_exactly_if_it_has_the_different_colours_the_route_asks(water: str, asked: int, group: str) -> None:
    state = position(f"tongiaki\nplayers 5\ndecides 0 sail\nFidschi 0,0 0: {group} 0 -", deck=f"deck {water} Nauru W16 Samoa")
    played(state, "sail Fidschi 1")
    crossed = len(set(group)) >= asked
    assert state.events == (f"draw {water}", "draw Nauru" if crossed else f"fails {water}")
    assert ("decides 0 land Nauru" in state.text) == crossed


def test_a_failed_voyage_returns_every_ship_to_its_owners_supply() -> None:
    state = position(NORTH, deck="deck W05 Nauru W02 Samoa")
    played(state, "sail Tonga 0")
    assert state.supply == [15, 15, 15]
    assert line(state, "Tonga") == "Tonga 0,0 0: - - - - - -"
    assert line(state, "W05") == "W05 0,-1 3"
    assert state.actor == 1


def test_a_voyage_may_fail_on_any_water_on_its_way() -> None:
    state = played(position(NORTH, deck="deck W09 W05 Nauru W02"), "sail Tonga 0")
    assert state.events == ("draw W09", "draw W05", "fails W05")
    assert state.supply == [15, 15, 15]


@pytest.mark.parametrize(
    ("turned", "cell"),
    [
        (0, None),  # entered by side 3: the route 1-3 asks four colours
        (1, "0,-2 3"),  # side 2: 2-5 asks two, straight on
        (2, None),  # side 1: 1-3 again
        (3, "1,-2 4"),  # side 0: 0-4 leaves for the north-east
        (4, "0,-2 3"),  # side 5
        (5, "-1,-1 2"),  # side 4: 0-4 leaves for the north-west
    ],
)
def test_a_laid_water_is_crossed_by_the_route_of_the_side_entered(turned: int, cell: str | None) -> None:
    state = position(f"{NORTH}W09 0,-1 {turned}", deck="deck Nauru W01 Samoa W02")
    played(state, "sail Tonga 0")
    assert line(state, "Nauru") == (f"Nauru {cell}: - - -" if cell else None)
    assert state.events == (("draw Nauru",) if cell else ("fails W09",))


def test_a_group_comes_over_laid_waters_to_a_laid_island_without_a_draw() -> None:
    state = position(f"{NORTH}Nauru 1,-2 4: - - -\nW09 0,-1 3")
    played(state, "sail Tonga 0")
    assert state.events == ()
    assert "decides 0 land Nauru 012" in state.text


def test_ships_land_from_any_side_pier_or_not() -> None:
    for turned in range(6):  # Tubuai has piers on four sides only
        state = played(position(f"{NORTH}Tubuai 0,-1 {turned}: - -"), "sail Tonga 0")
        assert "decides 0 land Tubuai 012" in state.text


def test_a_way_may_lead_back_to_the_island_the_group_left() -> None:
    state = position(f"{NORTH}W13 0,-1 3\nW15 1,-1 5")
    played(state, "sail Tonga 0")
    assert "decides 0 land Tonga 012" in state.text
    assert line(state, "Tonga") == "Tonga 0,0 0: - - - - - -"
    assert "returned Tonga:1" in state.text


def test_a_way_back_may_be_drawn_and_is_no_returning_departure_as_it_was_judged_before_it_sailed() -> None:
    state = position(f"{NORTH}W15 1,-1 5", deck="deck W13 Nauru W01 Samoa")
    played(state, "sail Tonga 0")
    assert "decides 0 land Tonga 012" in state.text
    assert "turn departures 1, laid\n" in state.text


# Royal islands


def test_at_a_royal_island_the_group_turns_round_and_lands_on_the_island_it_left() -> None:
    state = position(f"{NORTH}Samoa 0,-1 3 royal 1")
    played(state, "sail Tonga 0")
    assert state.events == ("turns back Samoa",)
    assert "decides 0 land Tonga 012" in state.text
    assert line(state, "Samoa") == "Samoa 0,-1 3 royal 1"


def test_a_royal_island_turns_back_its_owners_ships_too() -> None:
    assert "decides 0 land Tonga 012" in played(position(f"{NORTH}Samoa 0,-1 3 royal 0"), "sail Tonga 0").text


def test_a_group_sails_back_over_the_waters_it_came() -> None:
    state = played(position(f"{NORTH}Samoa 1,-2 4 royal 1\nW09 0,-1 3"), "sail Tonga 0")
    assert state.events == ("turns back Samoa",)
    assert "decides 0 land Tonga 012" in state.text


def test_a_group_that_draws_its_way_to_a_royal_island_turns_back_but_its_departure_did_not_return() -> None:
    state = position(f"{NORTH}Samoa 1,-2 4 royal 1", deck="deck W09 Nauru W01 Muroroa")
    played(state, "sail Tonga 0")
    assert state.events == ("draw W09", "turns back Samoa")
    assert "decides 0 land Tonga 012" in state.text
    assert "turn departures 1, laid\n" in state.text


def test_a_group_that_has_turned_back_may_land_on_the_beach_it_left() -> None:
    state = position(f"{NORTH.replace('- - - - -', '00 00 11 11 -')}Samoa 0,-1 3 royal 1")
    played(state, "sail Tonga 0", "land 0:0 1:1 5:2")
    assert line(state, "Tonga") == "Tonga 0,0 0: 0 001 00 11 11 2"
    assert "decides 0 sail" in state.text


# The chain


def test_a_landing_may_fill_beaches_again_and_the_chain_goes_on() -> None:
    state = position(f"{NORTH}Nauru 0,-1 3: 1 00 -")
    played(state, "sail Tonga 0", "land 0:0 1:1 2:2")
    assert listed(state) == ["sail Nauru 1", "sail Nauru 2", "sail Nauru 3"]
    assert state.actor == 0


def test_the_turn_is_over_when_no_beach_is_full() -> None:
    state = position(f"{NORTH}Nauru 0,-1 3: - - -")
    played(state, "sail Tonga 0", "land 0:0 1:1 2:2")
    assert "decides 1 turn\nidle 1\n" in state.text


def test_the_player_picks_full_beaches_in_any_order() -> None:
    text = "tongiaki\nplayers 2\ndecides 0 sail\nTonga 0,0 0: 000 111 - - - -\nNauru 0,-1 3: - - -\nSamoa 1,-1 4: - - -"
    one = played(position(text), "sail Tonga 0", "land 0:0 1:0 2:0", "sail Tonga 1", "land 0:1 1:1 2:1")
    assert one == played(position(text), "sail Tonga 1", "land 0:1 1:1 2:1", "sail Tonga 0", "land 0:0 1:0 2:0")
