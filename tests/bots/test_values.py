"""Values of positions and moves for contestants: the promised names and signatures, what the numbers mean, and what is refused."""

from __future__ import annotations

import doctest
import inspect
from random import Random

import pytest

from bots import values
from bots.values import rank_chances, rank_moves, score_moves, utilities, win_chances
from engine import Game, find_game
from tests.bots.playing import along
from tests.small_games import add_three_in_a_row

GAMES = [find_game("tongiaki"), find_game("sunda"), find_game("sunda", {"level": 5, "mode": "simultaneous"})]
each_game = pytest.mark.parametrize("game", GAMES, ids=str)

SIGNATURES = {
    "rank_chances": "(position: 'View[State] | State') -> 'list[list[float]]'",
    "rank_moves": "(position: 'View[State] | State', rng: 'Random | None' = None) -> 'list[tuple[float, Move]]'",
    "score_moves": "(position: 'View[State] | State', moves: 'Sequence[Move] | None' = None) -> 'list[float]'",
    "utilities": "(position: 'View[State] | State') -> 'list[float]'",
    "win_chances": "(position: 'View[State] | State') -> 'list[float]'",
}


def test_names_and_signatures_are_a_promise() -> None:
    assert {name: str(inspect.signature(getattr(values, name))) for name in values.__all__} == SIGNATURES


def test_the_examples_do_what_they_say() -> None:
    assert doctest.testmod(values).failed == 0
    assert doctest.testmod(values).attempted > 5


@each_game
@pytest.mark.parametrize("players", [2, 4])
def test_chances_are_those_of_the_view_and_of_its_samples_and_add_up(game: Game, players: int) -> None:
    state = along(game, players, 41)
    view = state.view(0)

    for each in (rank_chances, win_chances, utilities):
        assert each(view) == each(state) == each(view.sample(Random(1)))
    chances = rank_chances(state)
    for row in (*chances, *zip(*chances, strict=True)):
        assert sum(row) == pytest.approx(1)
    assert win_chances(state) == pytest.approx([row[0] for row in chances])
    beaten = [sum((players - 1 - place) * chance for place, chance in enumerate(row)) / (players - 1) for row in chances]
    firsts = win_chances(state)
    assert utilities(state) == pytest.approx([0.7 * one + 0.3 * two for one, two in zip(firsts, beaten, strict=True)], abs=0.02)


@each_game
def test_moves_are_ranked_by_their_scores(game: Game) -> None:
    state = along(game, 2, 41)
    legal = list(state.legal_moves)
    scores = dict(zip(legal, score_moves(state), strict=True))

    ranking = rank_moves(state.view(state.actor or 0))

    assert [score for score, _ in ranking] == sorted((score for score, _ in ranking), reverse=True)
    assert all(scores[move] == score for score, move in ranking)
    assert ranking[0][0] == max(scores.values())
    assert score_moves(state, legal[:2]) == [scores[move] for move in legal[:2]]


def test_a_game_without_values_and_a_seat_alone_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    state = add_three_in_a_row(monkeypatch).new(2, 1)

    with pytest.raises(LookupError, match="three-in-a-row has no value function"):
        win_chances(state)
    with pytest.raises(LookupError, match="there is no expert for three-in-a-row"):
        rank_moves(state)
    with pytest.raises(ValueError, match="there are no ranks in solo play"):
        utilities(find_game("sunda").new(1, 1))
