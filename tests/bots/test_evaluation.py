"""The experts' evaluation of positions: points by seat, from nothing that is hidden, for states and views alike."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bots import evaluate
from engine import Game, find_game, playout
from tests.bots.playing import along

GAMES = [find_game("tongiaki"), find_game("sunda"), find_game("sunda", {"level": 5, "mode": "simultaneous"})]
each_game = pytest.mark.parametrize("game", GAMES, ids=str)


@each_game
@pytest.mark.parametrize("players", [2, 4])
def test_a_position_has_one_number_for_each_seat_whoever_looks_at_it(game: Game, players: int) -> None:
    for moves in (0, 1, 2, 30, 61):
        state = along(game, players, moves)

        values = evaluate(state)

        assert len(values) == players
        for seat in range(players):
            view = state.view(seat)
            assert evaluate(view) == values
            assert evaluate(view.sample(Random(moves))) == values


@each_game
def test_the_values_are_the_scores_once_the_game_is_over(game: Game) -> None:
    state = game.new(3, 5)
    outcome = playout(state, Random(5))

    assert evaluate(state) == outcome.scores


def test_a_game_without_an_expert_is_refused() -> None:
    unknown = cast(Any, SimpleNamespace(game=SimpleNamespace(name="go")))

    with pytest.raises(LookupError, match="there is no game 'go'"):
        evaluate(unknown)
