"""The heuristic of Tongiaki: figures for every position and move, in the order that a player would put them, and an expert that wins."""

from __future__ import annotations

import random
from math import isfinite
from typing import Any

import pytest

from bots.loader.loading import load, make_bot, resolve
from bots.protocol import Clock, MatchInfo
from bots.reference.heuristics.registry import heuristic_of
from bots.reference.heuristics.tongiaki import TongiakiHeuristic, winning
from bots.reference.heuristics.tongiaki_evaluation import finds, held, horizon, losses
from engine.tongiaki import TONGIAKI, TongiakiState
from engine.tongiaki.board.tiles import TILE_OF_NAME
from tests.engine.tongiaki.helpers import view_of
from tests.small_games import RACE, add

HEURISTIC = TongiakiHeuristic()
WATERS = [f"W{number:02}" for number in range(1, 17)]


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


class TestOutlook:
    def test_a_royal_island_is_sure_and_others_are_the_surer_the_more_berths_are_free(self) -> None:
        state = position(
            """
            decides 1 turn
            Tonga 0,0 0: 0 1 - - - -
            Samoa 0,-1 3 royal 0
            Tahiti 0,1 0: 0 - 1
            """
        )
        lost = losses(horizon(state.deck))
        assert held(state.board, TILE_OF_NAME["Samoa"], lost, 2) == [1, 0]
        first, last = held(state.board, TILE_OF_NAME["Tahiti"], lost, 2)
        assert 0 < first < last < 1

    def test_a_fleet_whose_every_pier_fails_has_less_to_hope_for_than_one_that_can_sail(self) -> None:
        locked = (
            "decides 0 turn\nTonga 0,0 0: 1 - - - - -\nMuroroa 0,-1 3: 0 0 0\n{} 0,-2 {}\n{} -1,-1 {}\n{} -1,0 {}\n{} 1,-2 {}\n{} 1,-1 {}"
        )
        waters = ("W07", 0, "W06", 0, "W11", 0, "W10", 0, "W12", 0)
        free = position("decides 0 turn\nTonga 0,0 0: 1 - - - - -\nMuroroa 0,-1 3: 0 0 0")
        shut = position(locked.format(*waters))
        assert HEURISTIC.evaluate(free)[0] > HEURISTIC.evaluate(shut)[0]

    def test_the_horizon_shrinks_to_nothing_as_islands_or_waters_run_out(self) -> None:
        tiles = list(range(1, 16))
        assert horizon(tiles + [TILE_OF_NAME[water] for water in WATERS]) > 0.9
        assert horizon([*tiles, TILE_OF_NAME["W01"]]) < horizon([*tiles, TILE_OF_NAME["W01"], TILE_OF_NAME["W02"]])
        assert horizon(tiles) == 0

    def test_more_colors_find_more_where_no_tile_lies(self) -> None:
        alone, two, three = finds([TILE_OF_NAME[name] for name in ("Samoa", "W01", "W02", "W03", "W07")], 3)[1:]
        assert 0 < alone < two < three


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
    with pytest.raises(LookupError, match="there is no expert of race"):
        heuristic_of(add(monkeypatch, "race", RACE))


def place(names: list[str], seed: int, seat: int) -> tuple[int, ...]:
    """The ranks of a match, the given seat's first."""
    bots: list[Any] = []
    for number, name in enumerate(names):
        bot = make_bot(resolve(name), load(resolve(name)))
        bot.start(MatchInfo(TONGIAKI, len(names), number, 100 * seed + number))  # type: ignore[attr-defined]  # start is optional for a bot
        bots.append(bot)
    state = TONGIAKI.new(len(names), seed)
    while (actor := state.actor) is not None:
        legal = state.list_moves()
        state.play(legal[0] if len(legal) == 1 else bots[actor].choose(state.view(actor), Clock()))
    assert state.outcome is not None
    ranks = state.outcome.ranks
    return (ranks[seat], *ranks[:seat], *ranks[seat + 1 :])


@pytest.mark.slow
def test_the_expert_beats_greedy_at_two_seats() -> None:
    won = 0.0
    for seed in range(10):
        for seat in (0, 1):
            names = ["greedy", "greedy"]
            names[seat] = "expert"
            mine, other = place(names, seed, seat)
            won += 1.0 if mine < other else 0.5 if mine == other else 0.0
    assert won >= 15  # of 20; greedy against itself reaches that in one try of fifty


@pytest.mark.slow
def test_the_expert_wins_twice_its_share_at_a_table_of_four() -> None:
    won = 0
    for seed in range(4):
        for seat in range(4):
            names = ["greedy", "spoiler", "random"]
            names.insert(seat, "expert")
            won += place(names, seed, seat)[0] == 1
    assert won >= 8  # of 16; four are its share
