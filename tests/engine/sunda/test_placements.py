"""Legal moves found by their number, without being listed: the same as in the list."""

from __future__ import annotations

from random import Random

import pytest

from engine.sunda.position import STRIKE_BACK
from tests.engine.sunda.helpers import line_ups, random_game

LINE_UPS = list(line_ups())


@pytest.mark.sampled(8)
@pytest.mark.parametrize("number", range(len(LINE_UPS)))
def test_a_move_found_by_its_number_is_that_of_the_list(number: int) -> None:
    game, players = LINE_UPS[number]
    rng = Random(number)
    for state in random_game(game, players, seed=900 + number):
        if rng.random() < 0.8 and state.inside.phase != STRIKE_BACK:
            continue
        twin = state.copy()
        moves = state.list_moves()
        assert twin.count_moves() == len(moves)
        for index in {0, len(moves) - 1, *(rng.randrange(len(moves)) for _ in range(4))} if moves else ():
            assert twin.move_at(index) == moves[index]
        if moves:
            assert twin.move_at(-1) == moves[-1]
        for outside in (len(moves), -len(moves) - 1):
            with pytest.raises(IndexError):
                twin.move_at(outside)
