"""RULES 5: returning departures, islands that collapse, and what follows."""

from __future__ import annotations

import pytest

from engine.core import IllegalMoveError
from tests.engine.tongiaki.helpers import line, listed, parsed, played, position

# Tubuai (piers on sides 1, 2, 4 and 5) with a royal island before each pier; seat 0 has no royal island.
TRAP = """
    tongiaki
    players 3
    decides 0 turn
    Tubuai 0,0 0: {ships}
    Samoa 1,-1 4 royal 1
    Nauru 1,0 5 royal 1
    Oahu -1,1 1 royal 2
    Hawaii -1,0 2 royal 2
"""
# Tonga with a royal island before the pier of its first beach, and nothing round about.
DEAD_END = """
    tongiaki
    players 4
    decides 0 {what}
    turn {turn}
    Tonga 0,0 0: {ships}
    Samoa 0,-1 3 royal 1
"""


def trap(ships: str) -> str:
    return TRAP.format(ships=ships)


def dead_end(ships: str, turn: str, what: str = "sail") -> str:
    return DEAD_END.format(ships=ships, turn=turn, what=what)


# Departures that return


def test_a_returning_departure_is_illegal_while_the_island_has_another() -> None:
    state = position(dead_end("000 - 111 - - -", "departures 1"))
    assert listed(state) == ["sail Tonga 2"]
    with pytest.raises(IllegalMoveError):
        state.play(parsed("sail Tonga 0"))


def test_of_one_beach_with_two_piers_only_the_one_that_does_not_return_is_open() -> None:
    assert listed(position("tongiaki\nplayers 2\ndecides 0 sail\nTubuai 0,0 0: 001 -\nSamoa 1,-1 4 royal 1")) == ["sail Tubuai 2"]


def test_a_returning_departure_is_legal_when_the_island_has_no_other_whatever_other_islands_have() -> None:
    assert listed(position(dead_end("000 - - - - -", "departures 1") + "Nauru 1,-1 4: - 222 -")) == ["sail Tonga 0", "sail Nauru 3"]


def test_a_crossing_that_fails_does_not_return() -> None:
    # Beyond both waters lies a royal island; W09 asks the group from the north for one colour, W05 the other one for four.
    state = position("tongiaki\nplayers 2\ndecides 0 sail\nTonga 0,0 0: 001 - 011 - - -\nW09 0,-1 3\nSamoa 1,-2 4 royal 1\nW05 1,0 5")
    assert listed(state) == ["sail Tonga 2"]


def test_whether_a_departure_returns_depends_on_the_colours_of_its_group() -> None:
    text = "tongiaki\nplayers 3\ndecides 0 sail\nTonga 0,0 0: {} - 111 - - -\nW06 0,-1 3\nSamoa 0,-2 4 royal 1"
    assert listed(position(text.format("012"))) == ["sail Tonga 2"]  # three colours cross W06 and come back
    assert listed(position(text.format("011"))) == ["sail Tonga 0", "sail Tonga 2"]  # two fail


def test_a_loop_of_waters_to_the_island_left_returns() -> None:
    state = position("tongiaki\nplayers 2\ndecides 0 sail\nTonga 0,0 0: 001 - 111 - - -\nW13 0,-1 3\nW15 1,-1 5")
    assert listed(state) == ["sail Tonga 2"]


def test_a_landing_on_another_island_does_not_return() -> None:
    assert listed(position(dead_end("000 111 - - - -", "departures 1") + "Nauru 1,-1 4: - - -")) == ["sail Tonga 1"]


# Collapse of a trap


def test_an_island_whose_every_pier_leads_back_collapses_when_some_beach_will_always_be_full() -> None:
    state = played(position(trap("00 1")), "expand Tubuai 0,1")
    assert state.events[0] == "collapses Tubuai"
    assert line(state, "Tubuai") is None


def test_a_collapse_returns_all_ships_to_their_owners_and_empties_the_cell() -> None:
    state = played(position(trap("00 11") + "Tuvalu 0,1 0: 0 - -"), "expand Tubuai 0,1")
    assert state.supply == [14, 13, 13]
    assert line(state, "Tubuai") is None
    assert "Tubuai" not in state.text
    assert "decides 1 turn" in state.text


def test_no_collapse_while_the_ships_could_lie_so_that_no_beach_is_full() -> None:
    state = played(position(trap("00 -")), "expand Tubuai 0,1")  # 000 and 0: four ships, six berths, two beaches
    assert listed(state) == ["sail Tubuai 1", "sail Tubuai 2"]


def test_no_collapse_without_a_full_beach() -> None:
    state = position("tongiaki\nplayers 2\ndecides 0 turn\nTubuai 0,0 0: 0 11\nSamoa 1,-1 4 royal 1\nNauru 1,0 5 royal 1")
    played(state, "expand Tubuai 0")
    assert line(state, "Tubuai") == "Tubuai 0,0 0: 00 11"


@pytest.mark.parametrize("open_pier", ["Samoa 1,-1 4 royal 1", "Nauru 1,0 5 royal 1", "Oahu -1,1 1 royal 2", "Hawaii -1,0 2 royal 2"])
def test_the_piers_of_every_beach_count_full_or_not(open_pier: str) -> None:
    state = position(trap("00 11").replace(open_pier, ""))
    played(state, "expand Tubuai 0,1")
    assert line(state, "Tubuai") == "Tubuai 0,0 0: 000 011"


def test_a_beach_that_is_not_full_may_hold_the_way_out() -> None:
    state = position(trap("00 1").replace("Oahu -1,1 1 royal 2", "").replace("turn", "land Tubuai 01"))
    played(state, "land 0:0 1:1")  # five ships, but the second beach has a pier into the open
    assert line(state, "Tubuai") == "Tubuai 0,0 0: 000 11"
    assert listed(state) == ["sail Tubuai 1", "sail Tubuai 2"]


def test_collapses_are_checked_after_an_entry_too() -> None:
    assert played(position(trap("11 22")), "enter Tubuai 0").events[0] == "collapses Tubuai"


def test_collapses_are_checked_after_a_landing() -> None:
    assert played(position(trap("11 22").replace("turn", "land Tubuai 00")), "land 0:0 1:0").events[0] == "collapses Tubuai"


def test_ships_may_still_lie_on_other_full_beaches_after_a_collapse_and_the_chain_goes_on() -> None:
    state = position(trap("00 11").replace("turn", "land Tubuai 02") + "Muroroa 0,1 0: 00 - -")
    played(state, "land 0:0 1:2")
    assert state.events == ("collapses Tubuai",)
    assert listed(state) == ["sail Muroroa 1"]


# The guard of 20


def test_an_island_with_a_full_beach_again_after_20_returning_departures_collapses_whatever_other_departures_it_has() -> None:
    state = position(dead_end("001 11 - - - -", "departures 19, returned Tonga:19"))
    played(state, "sail Tonga 0", "land 1:1 2:0 3:0")  # 111 might sail into the open
    assert state.events[0] == "collapses Tonga"
    assert line(state, "Tonga") is None
    assert state.supply == [15, 14, 15, 15]


def test_the_guard_of_20_asks_for_a_full_beach() -> None:
    state = position(dead_end("001 11 - - - -", "departures 19, returned Tonga:19"))
    played(state, "sail Tonga 0", "land 0:1 2:0 3:0")
    assert "decides 1 turn" in state.text
    assert line(state, "Tonga") == "Tonga 0,0 0: 1 11 0 0 - -"


def test_returning_departures_of_another_island_do_not_count() -> None:
    state = position(dead_end("001 11 - - - -", "departures 60, returned Nauru:40") + "Nauru 1,0 5: - - -")
    played(state, "sail Tonga 0", "land 1:1 2:0 3:0")
    assert line(state, "Tonga") == "Tonga 0,0 0: - 111 0 0 - -"
    assert "returned Tonga:1, returned Nauru:40" in state.text


# The guard of 200


def test_after_200_departures_every_island_with_a_full_beach_collapses_at_once_in_the_order_they_were_laid() -> None:
    state = position(
        dead_end("- 001 011 - - -", "departures 199") + "Muroroa 1,0 5: 0 22 -\nNauru 2,0 5: 0 - -\nTahiti 3,0 5: 11 - -",
        deck="deck W05 Mangareva W04 Rarotonga",
    )
    played(state, "sail Tonga 1")
    assert state.events == ("draw W05", "fails W05", "collapses Tonga", "collapses Muroroa", "collapses Tahiti")
    assert [line(state, name) for name in ("Tonga", "Muroroa", "Tahiti")] == [None, None, None]
    assert line(state, "Nauru") == "Nauru 2,0 5: 0 - -"
    assert state.supply == [14, 14, 15, 15]
    assert "decides 1 turn" in state.text


def test_after_200_departures_an_island_without_a_full_beach_stays() -> None:
    state = position(dead_end("00 001 - - - -", "departures 199"), deck="deck W05 Mangareva W04 Rarotonga")
    played(state, "sail Tonga 1")
    assert line(state, "Tonga") == "Tonga 0,0 0: 00 - - - - -"


# After a collapse


def test_a_player_without_a_ship_on_the_board_draws_after_a_collapse_until_an_island_and_nobody_lands_there() -> None:
    state = played(position(trap("00 11") + "Tuvalu 0,1 0: 1 - -"), "expand Tubuai 0,1")
    assert state.events == ("collapses Tubuai", "draw W02")
    assert "decides 0 lay W02 collapse" in state.text
    assert "lay 0,0 4" in listed(state)  # the cell of the island is empty again
    played(state, "lay 0,0 4")
    assert "decides 0 lay Mangareva collapse" in state.text
    played(state, "lay 0,-1 3")
    assert line(state, "Mangareva") == "Mangareva 0,-1 3: - - -"
    assert "decides 1 turn" in state.text
    assert "idle" not in state.text


def test_a_royal_ship_counts_as_a_ship_on_the_board_after_a_collapse() -> None:
    state = played(position(trap("00 11").replace("royal 2", "royal 0")), "expand Tubuai 0,1")
    assert state.events == ("collapses Tubuai",)
    assert "decides 1 turn" in state.text


def test_a_collapse_that_leaves_others_without_a_ship_makes_nobody_draw() -> None:
    state = played(position(trap("00 11").replace("royal 1", "royal 0")), "expand Tubuai 0,1")
    assert state.supply == [13, 15, 13]
    assert "decides 1 turn" in state.text


def test_the_chain_goes_on_after_the_drawing() -> None:
    state = position(trap("00 11").replace("turn", "land Tubuai 01") + "Muroroa 0,1 0: 22 - -", deck="deck Mangareva W02 W04 Rarotonga")
    played(state, "land 0:0 1:1", "lay 0,0 4")
    assert listed(state) == ["sail Muroroa 1"]
    assert state.actor == 0


def test_when_no_island_is_left_tiles_are_laid_next_to_the_waters() -> None:
    state = position(
        "tongiaki\nplayers 2\ndecides 0 land Tubuai 001\nturn departures 20, returned Tubuai:20\nTubuai 0,0 0: - 1\nW01 1,-1 4"
    )
    played(state, "land 0:0 1:01")
    assert state.events == ("collapses Tubuai", "draw W02")
    assert listed(state) == ["lay 0,-1 2", "lay 0,0 1", "lay 1,-2 3", "lay 1,0 0", "lay 2,-2 4", "lay 2,-1 5"]


def test_when_no_tile_is_left_the_first_is_laid_on_0_0_with_orientation_0() -> None:
    state = position("tongiaki\nplayers 2\ndecides 0 land Tubuai 00\nturn departures 20, returned Tubuai:20\nTubuai 5,-3 2: 01 1")
    played(state, "land 0:0 1:0")
    assert listed(state) == ["lay 0,0 0"]
    with pytest.raises(IllegalMoveError):
        state.play(parsed("lay 0,0 1"))
    with pytest.raises(IllegalMoveError):
        state.play(parsed("lay 5,-3 0"))
    played(state, "lay 0,0 0")
    assert listed(state) == ["lay -1,0 2", "lay -1,1 1", "lay 0,-1 3", "lay 0,1 0", "lay 1,-1 4", "lay 1,0 5"]
