"""Simultaneous play (RULES 7)."""

from __future__ import annotations

import pytest

from engine.core import Move
from engine.sunda import SundaState, sunda
from engine.sunda.board.tiles import IDS
from engine.sunda.rules.challenges import roll_order
from engine.sunda.rules.pots import Dice
from tests.engine.sunda.helpers import at, legal, play


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
