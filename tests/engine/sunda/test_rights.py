"""The decisions after a tile (RULES 5), in small positions and at the rare moments of recorded games."""

from __future__ import annotations

import pytest

from engine.sunda import SundaMove, SundaState, sunda
from engine.sunda.notation.moves import JOIN
from tests.engine.sunda.helpers import at, legal, play, random_game, words

# Three lozenges around 0,0: land in the middle, water outside. The third is still to come.
ISLET = """
tile WLWW+-++ -1,0,0
tile WLWW+-+- 1,-1,2
"""
CLOSE_ISLET = "place WLWW+--+ 0,1,4"

# The same the other way round: water in the middle, an island around it.
LAKE = """
tile LLLW+++- -1,0,5
tile LLLW+-+- 1,-1,1
"""
CLOSE_LAKE = "place LLLW-++- 0,1,3"


def position(level: int, text: str, players: int = 2) -> SundaState:
    return sunda({"level": level}).position(f"players {players}\n{text}")


def test_closing_a_land_node_gives_a_right_that_may_be_given_up() -> None:
    state = play(position(0, ISLET), CLOSE_ISLET)
    assert (state.actor, legal(state)) == (0, ["claim 0,0", "skip"])
    claimed, skipped = play(state.copy(), "claim 0,0"), play(state, "skip")
    assert claimed.tally() == {"points": (2, 0), "tokens": (23, 24), "complete islands": (1, 0)}
    assert skipped.tally() == {"points": (0, 0), "tokens": (24, 24), "complete islands": (0, 0)}
    assert claimed.actor == skipped.actor == 0


def test_a_step_that_closes_no_node_asks_nothing() -> None:
    state = play(position(5, ISLET), "place WWWW+++- 0,1,2")
    assert legal(state)[0].startswith("place")
    assert (state.inside.seat, state.inside.step) == (0, 1)


@pytest.mark.parametrize(("level", "expected"), [(0, None), (1, ["lake 0,0", "skip"]), (5, ["lake 0,0", "skip"])])
def test_closing_a_lake_gives_a_right_from_level_1_on(level: int, expected: list[str] | None) -> None:
    state = play(position(level, LAKE), CLOSE_LAKE)
    if expected is None:
        assert legal(state)[0].startswith("place")
    else:
        assert legal(state) == expected
        assert play(state, "lake 0,0").tally()["points"] == (5, 0)


def test_open_water_is_no_lake() -> None:
    state = play(position(1, LAKE), "place LWLW+++- 0,1,3")
    assert state.inside.board.is_closed(0)
    assert legal(state)[0].startswith("place")


def test_without_a_token_nothing_is_asked() -> None:
    state = position(0, ISLET)
    state.inside.claims.tokens[0] = 0
    play(state, CLOSE_ISLET)
    assert state.outcome is not None
    assert state.outcome.ending == "tokens"


def test_rights_are_two_though_a_step_closes_three_nodes() -> None:
    state = at("turns-L5-2p-22", 187)
    assert legal(state) == ["claim 5,-4", "claim 5,-3", "claim 7,-5", "join 3,-1", "join 6,-4", "join 9,-4", "skip"]
    play(state, "claim 7,-5")
    assert legal(state)[:2] == ["claim 5,-4", "claim 5,-3"]
    play(state, "claim 5,-3")
    assert not any(move.startswith(("claim", "join")) for move in legal(state))


def test_a_join_uses_the_smallest_new_node_of_its_island_up() -> None:
    state = at("turns-L4-3p-18", 98)
    assert legal(state) == ["claim -5,5", "claim -1,4", "claim -1,5", "join -4,2", "join -3,4", "join -1,2", "skip"]
    assert words(play(state.copy(), "join -1,2").inside.nodes) == ["-5,5", "-1,5"]


def test_new_nodes_on_two_islands_let_tribes_of_both_be_joined() -> None:
    state = at("turns-L2-4p-37", 138)
    assert legal(state) == ["claim -5,5", "claim 8,2", "join -5,6", "join 0,2", "join 4,5", "skip"]
    assert legal(play(state, "join 0,2")) == ["claim -5,5", "join -5,6", "skip"]


def test_at_level_2_only_a_tribe_wholly_the_players_own_can_be_joined() -> None:
    n_joins = 0
    for state in random_game(sunda({"level": 2}), 2, 8):
        tribes = state.inside.claims.tribes
        for move in state.legal_moves if state.inside.nodes else ():
            if isinstance(move, SundaMove) and move.kind == JOIN:
                n_joins += 1
                assert set(tribes[move.first]) == {state.actor}
                assert len(tribes[move.first]) < 5
    assert n_joins > 0


def test_a_refusal_keeps_right_and_node_and_that_tribe_cannot_be_asked_again() -> None:
    asked = at("turns-L3-2p-7", 90)
    assert (asked.actor, legal(asked)) == (0, ["accept", "refuse"])
    tokens = list(asked.inside.claims.tokens)
    refused = play(asked.copy(), "refuse")
    assert refused.actor == 1
    assert "claim -2,-3" in legal(refused)
    assert "join 1,-2" not in legal(refused)
    assert refused.inside.claims.tokens == tokens
    accepted = play(asked, "accept")
    assert accepted.inside.claims.tribes[asked.inside.focus] == (1, 0, 1)
    assert accepted.inside.claims.tokens == [tokens[0], tokens[1] - 1]


def test_own_tribes_are_joined_without_asking() -> None:
    state = at("turns-L3-2p-7", 62)
    assert legal(state) == ["claim -2,-2", "join 1,-3", "join 1,-2", "skip"]
    play(state, "join 1,-3")
    assert legal(state) == ["lake -1,-2", "skip"]


def test_a_resource_needs_two_tokens_for_each_marker() -> None:
    state = play(position(5, ISLET), CLOSE_ISLET, "claim 0,0")
    assert legal(state)[0].startswith("place")  # one token on the island: no marker may come


def test_a_resource_decision_offers_each_unused_value_once() -> None:
    state = sunda({"level": 5, "resources": (1, 1, 2, 2, 7, 7)}).position(
        ISLET + "tile WLWW+--+ 0,1,4\ntribe 0,0 0 0\nclaimed\ndecide resource 0,0\n"
    )
    assert legal(state) == ["resource 1 0,0", "resource 2 0,0", "resource 7 0,0", "skip"]
    play(state, "resource 7 0,0")
    assert state.inside.claims.supply == [1, 1, 2, 2, 7]
    assert state.tally()["points"] == (2 * 2 * 2 + 4 * 7, 0)


def test_a_challenge_is_offered_once_after_a_token_and_only_on_the_same_island() -> None:
    state = at("turns-L5-2p-22", 35)
    assert legal(state) == ["challenge 1,-2 1,-1", "challenge 2,-2 1,-1", "skip"]
    play(state, "challenge 1,-2 1,-1")
    assert legal(state)[0].startswith("place")
