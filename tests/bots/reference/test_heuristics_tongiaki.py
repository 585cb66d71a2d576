"""The heuristic of Tongiaki: figures for every position and move, in the order that a player would put them, and an expert that wins."""

from __future__ import annotations

import random
from math import isfinite

import pytest

from bots.reference.heuristics.registry import heuristic_of
from bots.reference.heuristics.tongiaki import TongiakiHeuristic, winning
from engine.tongiaki import TONGIAKI, TongiakiState
from tests.engine.tongiaki.helpers import view_of
from tests.small_games import RACE, add

HEURISTIC = TongiakiHeuristic()


def position(text: str, *, left: str = "Nauru Oahu Hawaii W01 W13 W15 W16") -> TongiakiState:
    """The position for two that the lines describe, with those tiles left in the deck."""
    lines = [line.strip() for line in text.strip().splitlines()]
    return TONGIAKI.position("\n".join(["tongiaki", "players 2", *lines, f"deck {left}"]) + "\n")


def score(state: TongiakiState, move: str) -> float:
    return HEURISTIC.scores(state, [TONGIAKI.parse(move)])[0]


def chosen(state: TongiakiState, seed: int) -> str:
    assert state.actor is not None
    return str(HEURISTIC.choose(view_of(state, state.actor), random.Random(seed)))


@pytest.mark.parametrize("players", range(2, 7))
def test_every_legal_move_and_every_seat_has_a_finite_figure_in_any_position(players: int) -> None:
    rng = random.Random(players)
    for seed in range(6):
        state = TONGIAKI.new(players, seed)
        while state.actor is not None:
            moves = state.list_moves()
            before = state.text
            scores, points = HEURISTIC.scores(state, moves), HEURISTIC.evaluate(state)
            assert len(scores) == len(moves)
            assert len(points) == players
            assert all(map(isfinite, [*scores, *points]))
            assert 0 <= winning(state, state.actor) <= 1
            assert state.text == before
            state.play(state.random_move(rng))
        assert state.outcome is not None
        assert HEURISTIC.evaluate(state) == list(state.outcome.scores)


def test_chances_to_win_add_up_to_one_for_two() -> None:
    state = TONGIAKI.new(2, 3)
    rng = random.Random(3)
    while state.actor is not None:
        assert winning(state, 0) + winning(state, 1) == pytest.approx(1)
        state.play(state.random_move(rng))
    assert winning(state, 0) + winning(state, 1) == 1


BETTER_THAN = {
    "a departure that lands on a new island than one that fails": (
        "decides 0 sail\nTonga 0,0 0: 000 0 1 000 - -\nSamoa 0,-1 3: - 1 -\nW07 0,1 0",
        ("sail Tonga 0", "sail Tonga 3"),
    ),
    "two colors that pass where one color fails": (
        "decides 0 sail\nTonga 0,0 0: 001 0 1 000 - -\nW14 0,-1 3\nSamoa 1,-1 4: 1 - -\nW02 0,1 0",
        ("sail Tonga 0", "sail Tonga 3"),
    ),
    "filling a beach that sails to an island than one that fails": (
        "decides 0 turn\nTonga 0,0 0: 01 - 1 11 - -\nSamoa 0,-1 3: - 1 -\nW07 0,1 0",
        ("expand Tonga 0", "expand Tonga 3"),
    ),
    "the own one of two ships for one berth": (
        "decides 0 land Nauru 01\nturn departures 1\nTonga 0,0 0: 0 1 - - - -\nNauru 0,-1 3: 11 11 1",
        ("land 2:0", "land 2:1"),
    ),
    "crowning the one of two islands in danger that has more points": (
        "decides 0 turn\nTonga 0,0 0: 0 1 - - - -\nSamoa 0,-1 3: 00 - -\nMuroroa 0,1 0: 0 - -",
        ("crown Samoa", "crown Muroroa"),
    ),
}


class TestScores:
    @pytest.mark.parametrize("what", BETTER_THAN)
    def test_this_is_better(self, what: str) -> None:
        text, (better, worse) = BETTER_THAN[what]
        state = position(text, left="Oahu Hawaii W01 W13 W15 W16") if "land" in better else position(text)
        assert score(state, better) > score(state, worse)
        if better.startswith("crown"):
            assert score(state, worse) > 0

    def test_leaving_everything_is_bad_for_who_has_points_and_good_for_who_has_none(self) -> None:
        rich = position("decides 0 turn\nTonga 0,0 0: 0 1 - - - -\nSamoa 0,-1 3: 0 - -\nTahiti 0,1 0: 0 - -")
        poor = position("decides 0 turn\nTonga 0,0 0: 0 1 - - - -\nSamoa 0,-1 3: 1 - -\nTahiti 0,1 0: 1 - -")
        assert score(rich, "recolonise") < 0 < score(poor, "recolonise")


class TestChoice:
    ENDED = """
        decides 0 sail
        turn departures 1
        end islands
        Tonga 0,0 0: 000 0 1 000 - -
        Samoa 0,-1 3: - 1 -
        Tahiti 1,0 0: 0 - -
        W07 0,1 0
        """

    @pytest.mark.parametrize("seed", range(3))
    def test_it_takes_the_win_when_the_game_ends_with_this_turn(self, seed: int) -> None:
        assert chosen(position(self.ENDED, left="W01 W13"), seed) == "sail Tonga 0"


def test_there_is_no_expert_of_a_game_without_a_heuristic(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LookupError, match="there is no expert for race"):
        heuristic_of(add(monkeypatch, "race", RACE))
