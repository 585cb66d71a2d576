"""Turns, their skips and the ends of a game (RULES 4)."""

from __future__ import annotations

from random import Random

import pytest

from engine.sunda import sunda
from engine.sunda.board.tiles import IDS
from engine.sunda.rules.pots import deal
from tests.engine.sunda.helpers import at, legal, play


@pytest.mark.parametrize(("players", "tokens"), [(2, 24), (3, 16), (4, 12)])
def test_players_have_24_16_or_12_tokens(players: int, tokens: int) -> None:
    assert sunda({}).new(players, 0).tally()["tokens"] == (tokens,) * players


def test_private_pots_are_the_shuffled_ids_dealt_one_by_one() -> None:
    ids = list(IDS)
    Random(9).shuffle(ids)
    pots = deal(9, 3)
    for seat in range(3):
        assert [IDS[tile] for tile in pots.tiles(seat)] == sorted(ids[seat::3])
    assert pots.sizes == [46, 45, 45]


def test_seat_0_begins_with_a_water_tile_and_then_has_the_first_turn() -> None:
    state = sunda({"pots": "private"}).new(2, 4)
    assert state.actor == 0
    assert legal(state) == ["start " + name for name in IDS if name.startswith("WWWW")]
    play(state, "start WWWW-+-+")
    assert state.actor == 0
    assert state.inside.step == 0
    assert sum(state.inside.pots.sizes) == 135


def test_a_turn_is_two_tiles() -> None:
    state = play(sunda({}).new(3, 0), "start WWWW++++")
    seats = []
    for _ in range(7):
        assert state.actor is not None
        seats.append(state.actor)
        state.play(next(iter(state.legal_moves)))
    assert seats == [0, 0, 1, 1, 2, 2, 0]


def test_at_level_0_nobody_can_agree() -> None:
    assert "agree" not in legal(play(sunda({}).new(2, 0), "start WWWW++++"))


def test_the_game_ends_when_all_agree_one_after_the_other() -> None:
    state = play(sunda({"level": 1}).new(3, 0), "start WWWW++++", "agree", "agree")
    assert state.actor == 2
    ended = play(state.copy(), "agree")
    assert ended.outcome is not None
    assert (ended.outcome.ending, ended.outcome.ranks) == ("agreed", (1, 1, 1))
    play(state, legal(state)[0])
    assert (state.actor, state.inside.agreed) == (2, 0)
    play(state, "agree")  # instead of the second tile
    assert (state.actor, state.inside.agreed) == (0, 1)
    play(state, "agree", "agree")
    assert state.outcome is not None


def test_a_turn_without_a_legal_placement_counts_as_agreed_from_level_1_on() -> None:
    state = at("private-L2-2p-117", 190)
    assert (state.actor, state.inside.agreed) == (1, 1)
    assert state.events == ("unable 0",)
    play(state, "agree")
    assert state.outcome is not None
    assert state.outcome.ending == "agreed"


def test_turns_without_a_legal_placement_are_skipped() -> None:
    state = at("private-L5-4p-3", 257)
    assert state.events == ("unable 0",)
    assert state.actor == 1


def test_the_game_ends_after_the_step_in_which_a_player_lays_his_last_token() -> None:
    islet = "tile WLWW+-++ -1,0,0\ntile WLWW+-+- 1,-1,2\n"
    state = sunda({}).position(islet)
    state.inside.claims.tokens[0] = 1
    play(state, "place WLWW+--+ 0,1,4", "claim 0,0")
    assert state.outcome is not None
    assert (state.outcome.ending, state.outcome.scores, state.outcome.ranks) == ("tokens", (2, 0), (1, 2))
