"""The list of placements that follows a game: the same as one made afresh, whichever way a position was come to."""

from __future__ import annotations

from random import Random

import pytest

from engine.sunda import SundaState, sunda
from engine.sunda.position import CHOOSE, LAY
from tests.engine.sunda.helpers import eager_move, legal, line_ups, random_game

LINE_UPS = list(line_ups())


def afresh(state: SundaState) -> list[str]:
    """The legal moves of the position as read from its text, which remembers nothing of the game."""
    position = state.game.position(state.text)
    assert isinstance(position, SundaState)
    return legal(position)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("number", range(0, len(LINE_UPS), 2))
def test_moves_listed_all_along_a_game_are_those_listed_afresh(number: int) -> None:
    game, players = LINE_UPS[number]
    for index, state in enumerate(random_game(game, players, seed=300 + number)):
        listed = legal(state)
        if index % 7 == number % 7 or state.inside.phase not in {LAY, CHOOSE}:
            assert listed == afresh(state)


def test_moves_listed_now_and_then_are_those_listed_afresh() -> None:
    rng = Random(4)
    for number in (0, 7, 14, 20):
        game, players = LINE_UPS[number]
        for state in random_game(game, players, seed=number):
            if rng.random() < 0.05:
                assert legal(state) == afresh(state)


def test_a_copy_that_goes_its_own_way_leaves_the_list_of_the_other_as_it_was() -> None:
    state = sunda({"level": 5}).new(3, 8)
    rng = Random(8)
    while state.actor is not None:
        if rng.random() < 0.6:
            state.play(eager_move(state, rng))
            continue
        before = legal(state)
        twin = state.copy()
        for _ in range(4):
            if twin.actor is not None:
                twin.play(eager_move(twin, rng))
                legal(twin)
        assert twin.actor is None or legal(twin) == afresh(twin)
        assert legal(state) == before
        state.play(eager_move(state, rng))


def test_the_list_follows_a_choice_that_is_hidden() -> None:
    state = sunda({"mode": "simultaneous"}).new(2, 1)
    state.play(state.list_moves()[0])
    first = legal(state)
    state.hide_choice()
    assert state.actor == 1
    assert set(legal(state)).isdisjoint(move for move in first if move.startswith("place"))
