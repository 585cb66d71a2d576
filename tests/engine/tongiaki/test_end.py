"""RULES 6: what triggers the end, how the last turn is played out, and who has won."""

from __future__ import annotations

import pytest

from engine.core import IllegalMoveError, Outcome
from engine.tongiaki import Ending
from tests.engine.tongiaki.helpers import fifteen_each, line, listed, parsed, played, position

LAST_ISLAND = "deck Nauru W02 W04"
LAST_WATER = "deck {} Nauru Samoa"
SAIL = """
    tongiaki
    players 2
    decides 0 sail
    Tonga 0,0 0: {}
"""
# The end is triggered; a water north of Tonga, nothing beyond it.
ENDED = """
    tongiaki
    players 2
    decides 0 sail
    end islands
    Tonga 0,0 0: {}
    W09 0,-1 3
"""


def over(ending: Ending, *lines: str, players: int = 2) -> Outcome:
    """The outcome of a game that ended with those tiles on the table."""
    deck = {"islands": "deck W15", "waters": "deck Oahu", "idle": "deck W15 Oahu"}[ending.value]
    state = position("\n".join(["tongiaki", f"players {players}", "decides 0 over", f"end {ending.value}", *lines, deck]))
    assert state.outcome is not None
    return state.outcome


def is_over(text: str, ending: str) -> bool:
    return "over\n" in text and f"end {ending}\n" in text


# The trigger


def test_a_group_that_lays_the_last_island_lands_on_it_and_the_turn_is_played_out() -> None:
    state = played(position(SAIL.format("011 - - - - -"), LAST_ISLAND), "sail Tonga 0")
    assert "decides 0 land Nauru 011" in state.text
    assert "end islands" in state.text
    played(state, "land 0:0 1:1 2:1")
    assert is_over(state.text, "islands")
    assert line(state, "Nauru") == "Nauru 0,-1 3: 0 1 1"
    assert state.actor is None
    assert listed(state) == []


def test_a_group_that_lays_the_last_water_fails_on_it() -> None:
    state = played(position(SAIL.format("011 - - - - -"), LAST_WATER.format("W05")), "sail Tonga 0")
    assert state.events == ("draw W05", "fails W05")
    assert is_over(state.text, "waters")
    assert state.supply == [15, 15]


def test_a_group_that_lays_the_last_water_and_passes_stays_on_it_for_good() -> None:
    state = played(position(SAIL.format("011 - - - - -"), LAST_WATER.format("W09")), "sail Tonga 0")
    assert state.events == ("draw W09", "stays W09")
    assert is_over(state.text, "waters")
    assert line(state, "W09") == "W09 0,-1 3 stays 011"
    assert state.supply == [14, 13]
    assert fifteen_each(state)


# The turn is played out


def test_no_more_tiles_are_drawn_and_a_departure_into_an_empty_cell_is_illegal() -> None:
    state = position(ENDED.format("000 111 - - - -"), "deck W15 W14")
    assert listed(state) == ["sail Tonga 0"]
    with pytest.raises(IllegalMoveError):
        state.play(parsed("sail Tonga 1"))


def test_a_side_that_leads_to_tonga_is_open_after_others_that_lead_into_the_open() -> None:
    text = "tongiaki\nplayers 2\ndecides 0 sail\nend islands\nTonga 0,0 0: - - - - - -\nSamoa 1,0 0: 000 1 00000"
    assert listed(position(text, "deck W15")) == ["sail Samoa 5"]


def test_a_group_that_would_sail_from_a_water_into_an_empty_cell_stays_on_that_water() -> None:
    state = played(position(ENDED.format("001 - - - - -"), "deck W15 W14"), "sail Tonga 0")
    assert state.events == ("stays W09",)
    assert line(state, "W09") == "W09 0,-1 3 stays 001"
    assert line(state, "deck") == "deck W15 W14"
    assert is_over(state.text, "islands")


def test_a_group_stays_on_the_last_laid_water_of_its_way() -> None:
    state = played(position(ENDED.format("001 - - - - -") + "W10 1,-2 4", "deck W15"), "sail Tonga 0")
    assert (line(state, "W09"), line(state, "W10")) == ("W09 0,-1 3", "W10 1,-2 4 stays 001")


def test_ships_stay_on_a_water_where_others_stay_already() -> None:
    state = position(ENDED.format("001 - - - - -") + "Nauru 1,-1 2: - 011 -", "deck W15")
    played(state, "sail Tonga 0", "sail Nauru 3")
    assert line(state, "W09") == "W09 0,-1 3 stays 000111"
    assert is_over(state.text, "islands")


def test_other_full_beaches_must_still_sail_over_laid_tiles() -> None:
    state = played(position(ENDED.format("000 111 - - - -") + "Nauru 1,-1 4: - - -", "deck W15"), "sail Tonga 0")
    assert listed(state) == ["sail Tonga 1"]
    played(state, "sail Tonga 1", "land 0:1 1:1 2:1")
    assert is_over(state.text, "islands")


def test_a_full_beach_with_no_legal_departure_just_stays_full() -> None:
    state = played(position(ENDED.format("000 111 - - - -"), "deck W15"), "sail Tonga 0")
    assert is_over(state.text, "islands")
    assert line(state, "Tonga") == "Tonga 0,0 0: - 111 - - - -"


def test_a_departure_to_stay_on_a_water_makes_returning_ones_illegal_after_the_trigger() -> None:
    text = ENDED.replace("W09 0,-1 3", "Samoa 0,-1 3 royal 1\nW09 1,-1 4")
    assert listed(position(text.format("000 111 - - - -"), "deck W15")) == ["sail Tonga 1"]


def test_no_island_collapses_after_the_trigger() -> None:
    trap = """
        tongiaki
        players 3
        decides 0 land Tubuai 01
        turn departures 30, returned Tubuai:25
        end islands
        Tubuai 0,0 0: 00 11
        Samoa 1,-1 4 royal 1
        Nauru 1,0 5 royal 1
        Oahu -1,1 1 royal 2
        Hawaii -1,0 2 royal 2
    """

    state = played(position(trap, "deck W15"), "land 0:0 1:1")

    assert line(state, "Tubuai") == "Tubuai 0,0 0: 000 111"
    assert listed(state) == ["sail Tubuai 1", "sail Tubuai 2", "sail Tubuai 4", "sail Tubuai 5"]


def test_the_guard_of_200_ends_the_turn_after_the_trigger() -> None:
    text = ENDED.replace("W09 0,-1 3", "Samoa 0,-1 3 royal 1").replace("end islands", "turn departures {}\n    end islands")
    landing = ("sail Tonga 0", "land 1:1 2:0 3:0")
    ships = "001 11 - - - -"
    at_200 = played(position(text.format(199, ships) + "Nauru 1,-1 4: - - -", "deck W15"), *landing)
    at_199 = played(position(text.format(198, ships) + "Nauru 1,-1 4: - - -", "deck W15"), *landing)
    assert is_over(at_200.text, "islands")
    assert line(at_200, "Tonga") == "Tonga 0,0 0: - 111 0 0 - -"
    assert listed(at_199) == ["sail Tonga 1"]


# Colonising anew and collapses at the end


def test_colonising_anew_goes_on_to_its_island_after_the_last_water() -> None:
    text = "tongiaki\nplayers 2\ndecides 0 turn\nTonga 0,0 0: 0 1 - - - -"
    state = played(position(text, "deck W05 Nauru Samoa"), "recolonise", "lay 0,-1 3")
    assert "decides 0 lay Nauru recolonise\nturn laid\nend waters\n" in state.text
    played(state, "lay 1,-1 4", "settle 2")
    assert is_over(state.text, "waters")
    assert line(state, "Nauru") == "Nauru 1,-1 4: - - 0"


def test_colonising_anew_on_the_last_island_settles_it_and_ends_the_game() -> None:
    text = "tongiaki\nplayers 2\ndecides 0 turn\nTonga 0,0 0: 0 1 - - - -"
    state = played(position(text, "deck W02 Nauru W05"), "recolonise", "lay 0,-1 3", "lay 1,-1 4")
    assert "decides 0 settle Nauru" in state.text
    assert is_over(played(state, "settle 0").text, "islands")


def test_drawing_after_a_collapse_goes_on_to_its_island_and_the_chain_by_the_rules_of_the_end() -> None:
    text = """
        tongiaki
        players 3
        decides 0 land Tonga 022
        turn departures 30, returned Tonga:20
        Tonga 0,0 0: 11 - - - - -
        Samoa 0,-1 3 royal 1
        Muroroa 3,-3 0: 22 11 -
    """
    state = played(position(text, "deck W05 Nauru Oahu"), "land 0:0 1:2 2:2")

    assert "decides 0 lay W05 collapse" in state.text

    played(state, "lay 0,0 0")
    assert "decides 0 lay Nauru collapse" in state.text
    assert "end waters" in state.text

    played(state, "lay 1,-1 5")
    assert is_over(state.text, "waters")
    assert line(state, "Muroroa") == "Muroroa 3,-3 0: 22 11 -"  # both beaches full, both piers into the open


# The idle guard


IDLE = "tongiaki\nplayers {}\ndecides 0 turn\nidle {}\nTonga 0,0 0: 0 1 - - - -\nSamoa 1,-1 4: 0 - -"


@pytest.mark.parametrize("players", [2, 3, 6])
def test_the_game_ends_after_a_turn_when_no_tile_was_laid_in_the_last_ten_turns_of_each_player(players: int) -> None:
    last = played(position(IDLE.format(players, 10 * players - 1)), "crown Samoa")
    last_but_one = played(position(IDLE.format(players, 10 * players - 2)), "crown Samoa")
    assert is_over(last.text, "idle")
    assert last_but_one.actor == 1
    assert f"idle {10 * players - 1}\n" in last_but_one.text


def test_a_turn_that_lays_a_tile_begins_the_count_anew() -> None:
    state = played(position(IDLE.format(2, 19), "deck Nauru W02 Hawaii"), "recolonise", "lay 0,-1 3", "settle 0")
    assert "idle" not in state.text
    assert state.actor == 1


def test_a_turn_without_a_tile_counts_even_if_ships_sailed() -> None:
    state = position("tongiaki\nplayers 2\ndecides 0 sail\nidle 4\nTonga 0,0 0: 000 - - - - -\nSamoa 0,-1 4: - - -")
    assert "idle 5\n" in played(state, "sail Tonga 0", "land 0:0 1:0 2:0").text


# Score and ranks


@pytest.mark.parametrize(
    ("lines", "scores", "ranks"),
    [
        # every island on which one has a ship counts, royal ones too; Tonga and ships on a water score nothing
        (["Tonga 0,0 0: 0 - - - - -", "Samoa 1,-1 4: 000 1 -", "Nauru 0,-1 3: - 1 -", "Tahiti 1,0 5 royal 0"], (5 + 4, 5 + 2), (1, 2)),
        (["Tonga 0,0 0: 0 1 - - - -", "W01 0,-1 3 stays 001"], (0, 0), (2, 1)),
        # of equal scores more islands held rank better, Tonga among them
        (["Samoa 0,0 0: 0 - -", "Nauru 0,-1 3: 1 - -", "Rarotonga 1,-1 4: 11 111"], (5, 5), (2, 1)),
        (["Tonga 0,0 0: 1 - - - - -", "Samoa 0,-1 3: 0 1 -"], (5, 5), (2, 1)),
        # then fewer ships on the board, where a royal or a stranded ship counts as one
        (["Samoa 0,-1 3: 00 1 -"], (5, 5), (2, 1)),
        (["Samoa 0,-1 3 royal 0", "Hawaii 1,-1 4: 1 - -"], (5, 5), (1, 1)),
        (["Samoa 0,-1 3 royal 0", "Hawaii 1,-1 4: 1 1 -"], (5, 5), (1, 2)),
        (["Samoa 0,-1 3: 0 1 -", "W01 1,-1 4 stays 0"], (5, 5), (2, 1)),
        (["Samoa 0,-1 3: 0 11 -", "W01 1,-1 4 stays 0"], (5, 5), (1, 1)),
        # points go before islands, and islands before ships
        (["Samoa 0,0 0: 0 00 -", "Nauru 0,-1 3: 1 - -", "Tubuai 1,-1 4: 1 -"], (5, 4), (1, 2)),
        (["Hiva_Oa 0,0 0: 0 - -", "Nauru 0,-1 3: 1 1 1", "Tubuai 1,-1 4: 11 -"], (4, 4), (2, 1)),
    ],
)
def test_points_rank_first_then_islands_held_then_fewer_ships(lines: list[str], scores: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    outcome = over(Ending.WATERS if "stays" in lines[-1] else Ending.IDLE, *lines)
    assert (outcome.scores, outcome.ranks) == (scores, ranks)
