"""A turn and a tick: tiles, rights, agreement to the end, choices in secret, and playing alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest

from engine.core import Move
from engine.sunda import SundaMove, SundaState, sunda
from engine.sunda.board.claims import nodes_score
from engine.sunda.board.tiles import IDS
from engine.sunda.notation.moves import JOIN
from engine.sunda.rules.challenges import roll_order
from engine.sunda.rules.pots import Dice, deal
from tests.engine.sunda.helpers import at, legal, play, random_game, vector, words


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


def begin(players: int = 3, seed: int = 5, level: int = 0) -> SundaState:
    return play(sunda({"mode": "simultaneous", "level": level}).new(players, seed), "start WWWW++++")


def first(state: SundaState, word: str) -> Move:
    return next(move for move in state.legal_moves if str(move).startswith(word))


def test_every_seat_chooses_in_seat_order_and_nothing_is_laid_before_all_have() -> None:
    state = begin()
    for seat in range(3):
        assert state.actor == seat
        assert len(state.inside.board.lies) == 1
        state.play(first(state, "place"))
    assert len(state.inside.board.lies) > 1
    assert state.events[0].startswith("order ")


@pytest.mark.parametrize("level", range(6))
def test_the_game_ends_when_all_wait_at_every_level(level: int) -> None:
    state = play(begin(level=level), "wait", "wait", "wait")
    assert state.outcome is not None
    assert state.outcome.ending == "agreed"
    assert state.events == ()


def test_a_single_choice_needs_no_roll() -> None:
    state = play(begin(), "wait", "wait")
    state.play(first(state, "place"))
    assert state.events == ()
    assert (state.actor, len(state.inside.board.lies)) == (0, 2)


def test_seats_that_are_level_roll_again_until_all_differ() -> None:
    p = begin(4).inside
    p.dice = Dice.from_rolls(0, [4, 2, 4, 2, 5, 1, 5, 3, 6, 2])
    assert roll_order(p, [0, 1, 2, 3]) == {0: [4, 5, 6], 1: [2, 1], 2: [4, 5, 2], 3: [2, 3]}
    assert p.rolled == 10


def test_the_victim_of_a_raid_takes_two_tiles_but_not_the_stolen_one() -> None:
    state = begin(2)
    play(state, "wait")
    raid = str(first(state, "raid 0"))
    stolen = raid.split()[2]
    play(state, raid)
    assert state.actor == 0
    others = state.inside.pots.sizes[1] - 1
    assert len(legal(state)) == len(state.legal_moves) == others * (others - 1) // 2
    assert not any(stolen in move for move in legal(state))
    one, other = legal(state)[7].split()[1:]
    play(state, legal(state)[7])
    assert [IDS.index(name) in state.inside.pots.tiles(0) for name in (one, other, stolen)] == [True, True, False]
    assert state.tally()["raids"] == (0, 1)


def test_the_only_other_tile_is_seized_alone() -> None:
    state = at("simultaneous-L2-3p-35", 232)
    assert (state.actor, legal(state)) == (1, ["seize LLLL-+-+"])


def test_ten_raids_are_the_most() -> None:
    text = begin(2).text
    for raids, allowed in ((9, True), (10, False)):
        state = sunda({"mode": "simultaneous"}).position(text.replace("turn 0 1", f"turn 0 1\nraids {raids} 0"))
        assert any(move.startswith("raid") for move in legal(state)) == allowed
        assert len(legal(state)) == len(state.legal_moves)


def test_a_choice_that_has_become_impossible_does_nothing() -> None:
    assert "void 1" in at("simultaneous-L0-2p-24", 28).events
    voided = at("simultaneous-L2-3p-35", 220)
    assert any(event.startswith("void") for event in voided.events)


def test_a_raid_that_does_nothing_does_not_count() -> None:
    state = begin(3)
    stolen = str(first(state, "raid 1")).split()[2]
    play(state, f"raid 1 {stolen}", "wait", f"raid 1 {stolen}")
    play(state, legal(state)[0])
    assert sum(state.tally()["raids"]) == 1
    assert any(event.startswith("void") for event in state.events)


def test_a_player_who_cannot_lay_may_still_wait_or_raid() -> None:
    state = begin(2)
    assert legal(state)[-1] == "wait"
    assert {move.split()[0] for move in legal(state)} == {"place", "raid", "wait"}
    assert not any(move.startswith("raid 0") for move in legal(state))


NODES = 68  # of a table with all tiles, see test_tiles


@cache
def best(nodes: int, level: int) -> int:
    """The most that so many land nodes can score, however they are shared out among complete islands."""
    return max((nodes_score(n, complete=True, level=level) + best(nodes - n, level) for n in range(1, nodes + 1)), default=0)


def test_136_is_the_most_that_simple_scoring_gives() -> None:
    assert best(NODES, 0) == best(NODES, 1) == 136


def test_668_is_the_most_that_scoring_as_tribes_gives() -> None:
    assert best(NODES, 2) == best(NODES, 5) == nodes_score(NODES, complete=True, level=2) == 668


def test_an_island_scores_half_while_it_is_not_complete() -> None:
    assert [nodes_score(7, complete=complete, level=level) for level in (0, 2) for complete in (False, True)] == [7, 14, 29, 58]


def test_alone_there_are_no_tokens_no_rights_and_stop_ends_the_game() -> None:
    for name in ("solo-L0-1p-31", "solo-L2-1p-29"):
        assert {text.split()[0] for _, text, _ in vector(name)["decisions"]} <= {"start", "place", "shift", "stop"}
    state = play(sunda({"level": 4}).new(1, 5), "start WWWW++++")
    assert legal(state)[-1] == "stop"
    assert "agree" not in legal(state)
    assert state.tally() == {"points": (0,), "complete islands": (0,)}
    play(state, "stop")
    assert state.outcome is not None
    assert (state.outcome.ending, state.outcome.scores, state.outcome.ranks) == ("agreed", (0,), (1,))


def nearly_blocked() -> SundaState:
    text = (Path(__file__).parent / "positions" / "nearly_blocked.txt").read_text()
    return sunda({}).position(text)


def test_a_game_without_a_legal_placement_is_blocked() -> None:
    state = play(nearly_blocked(), "place LWLW+-+- -19,6,0")
    assert state.outcome is not None
    assert state.outcome.ending == "blocked"
    assert sum(state.inside.pots.sizes) == 10
