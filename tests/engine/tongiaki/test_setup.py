"""RULES 2: the deck and the set-up."""

from __future__ import annotations

import json
import random

import pytest

from engine.core import IllegalMoveError, OptionsError
from engine.registry import find_game
from engine.tongiaki import TONGIAKI
from engine.tongiaki.board.tiles import NAMES
from tests.engine.tongiaki.helpers import ROOT, line, listed, parsed, played


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
