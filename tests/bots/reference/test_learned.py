"""``learned``: to the end of its turn by the learned chances, the expert where there are none."""

from __future__ import annotations

import random

import pytest

from bots import Clock, MatchInfo, load_bot
from bots.reference.heuristics.registry import heuristic_of
from bots.reference.search.by_value import best_by_value
from bots.reference.valuation.base import RankChances, ValueFunction
from bots.reference.valuation.tongiaki import VALUE
from engine import State, find_game

TONGIAKI = find_game("tongiaki")


class ByPoints(ValueFunction):
    """A value function that counts the points of seat 0 on the table, without a quick way to a move."""

    version = "points"

    def rank_chances(self, state: State) -> RankChances:
        share = min(1.0, state.tally()["points"][0] / 100)
        return [[share, 1 - share], [1 - share, share]]


def late(players: int, seed: int) -> State:
    state = TONGIAKI.new(players, seed)
    rng = random.Random(seed)
    while state.actor is not None and (len(state.legal_moves) < 8 or VALUE.sight.rows(state)[0][0] > 0.5):
        state.play(state.random_move(rng))
    assert state.actor is not None
    return state


@pytest.mark.parametrize("players", [2, 4])
def test_it_plays_the_move_that_its_value_function_finds(players: int) -> None:
    state = late(players, 4)
    assert state.actor is not None
    view = state.view(state.actor)
    bot = load_bot("learned", MatchInfo(TONGIAKI, players, state.actor, 9))

    assert bot.choose(view, Clock()) == VALUE.quick_move(view, random.Random(9))


def test_a_position_stays_as_it_is_while_moves_are_tried() -> None:
    state = late(3, 2)
    assert state.actor is not None
    view = state.view(state.actor)
    before = view.position.text

    assert VALUE.quick_move(view, random.Random(1)) in state.legal_moves
    assert view.position.text == before


def test_without_a_quick_way_turns_are_played_out_and_compared() -> None:
    state = late(2, 7)
    while state.actor != 0:
        state.play(state.random_move(random.Random(3)))
    view = state.view(0)

    move = best_by_value(view, heuristic_of(TONGIAKI), ByPoints(), random.Random(2))

    assert move in state.legal_moves
