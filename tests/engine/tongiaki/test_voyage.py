"""RULES 4: emigration and the voyage of a group, up to where it ends."""

from __future__ import annotations

import pytest

from tests.engine.tongiaki.helpers import line, listed, played, position

# A voyage out of Tonga's northern beach.
NORTH = """
    tongiaki
    players 3
    decides 0 sail
    Tonga 0,0 0: 012 - - - - -
"""


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


# Into an empty cell


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


def test_a_group_that_draws_its_way_to_a_royal_island_turns_back_but_its_departure_did_not_return() -> None:
    state = position(f"{NORTH}Samoa 1,-2 4 royal 1", deck="deck W09 Nauru W01 Muroroa")
    played(state, "sail Tonga 0")
    assert state.events == ("draw W09", "turns back Samoa")
    assert "decides 0 land Tonga 012" in state.text
    assert "turn departures 1, laid\n" in state.text


# The chain
