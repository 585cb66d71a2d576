"""The experts' evaluation of positions: points by seat, from nothing that is hidden, for states and views alike."""

from __future__ import annotations

from itertools import count
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bots import Clock, MatchInfo, evaluate, load_bot
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


@pytest.mark.parametrize("game", GAMES[:2], ids=str)
def test_who_is_expected_to_have_more_points_mostly_wins(game: Game) -> None:
    right = 0
    for seed in range(8):
        state = game.new(2, seed)
        players = [load_bot(name, MatchInfo(game, players=2, seat=seat, seed=seed)) for seat, name in enumerate(("greedy", "random"))]
        expected: tuple[float, ...] = ()
        for decision in count():
            if (seat := state.actor) is None:
                break
            if decision == 60:
                expected = evaluate(state)
            state.play(players[seat].choose(state.view(seat), Clock()) if len(state.legal_moves) > 1 else state.legal_moves[0])
        assert state.outcome is not None
        right += (expected[0] > expected[1]) == (state.outcome.scores[0] > state.outcome.scores[1])

    assert right >= 6


def test_a_game_without_an_expert_is_refused() -> None:
    unknown = cast(Any, SimpleNamespace(game=SimpleNamespace(name="go")))

    with pytest.raises(LookupError, match="there is no game 'go'"):
        evaluate(unknown)
