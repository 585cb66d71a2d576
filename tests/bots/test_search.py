"""What authors import: the public names, one-line search, values and evaluations."""

from __future__ import annotations

import doctest
import subprocess
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from random import Random

import pytest

import bots
from bots import BotError, Clock, MatchInfo, evaluate, load_bot
from bots import search as search_module
from bots.reference.search import deadline
from bots.search import Prior, SearchResult, Value, search
from bots.values import utilities
from engine import Game, Move, State
from engine.registry import find_game
from tests.small_games import SEALED, TRICKS, add, add_three_in_a_row

NO_LIMITS = Clock()

GAMES = [find_game("tongiaki"), find_game("sunda"), find_game("sunda", {"level": 2, "mode": "simultaneous"})]

each_game = pytest.mark.parametrize("game", GAMES, ids=str)


def along(game: Game, players: int, moves: int = 21) -> State:
    state = game.new(players, 3)
    rng = Random(players)
    for _ in range(moves):
        state.play(state.random_move(rng))
    while len(state.legal_moves) < 2:
        state.play(state.random_move(rng))
    return state


def searched(
    state: State, nodes: int | None = 30, clock: Clock = NO_LIMITS, value: Value | None = None, prior: Prior | None = None
) -> SearchResult:
    assert state.actor is not None
    return search(state.view(state.actor), clock, Random(1), value=value, prior=prior, nodes=nodes)


def test_the_examples_do_what_they_say() -> None:
    assert doctest.testmod(search_module).failed == 0
    assert doctest.testmod(search_module).attempted > 5


@each_game
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("value", [None, utilities, evaluate])
def test_any_number_of_seats_finds_the_same_legal_move_again_with_the_same_seed(game: Game, players: int, value: Value | None) -> None:
    state = along(game, players)

    result = searched(state, value=value)

    assert result.move in state.legal_moves
    assert result.nodes == 30
    assert result.candidates[0].move == result.move
    assert result == searched(state, value=value)


@pytest.mark.parametrize(("wanted", "place"), [("a1", 0), ("b2", 4), ("c1", 2)])
def test_the_best_value_wins_on_any_scale(wanted: str, place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    state = add_three_in_a_row(monkeypatch).new(2, 1)

    def value(leaf: State) -> list[float]:
        has_it = leaf.text.partition('"cells":"')[2][place] == "x"
        return [1000.0, -1000.0] if has_it else [0.0, 0.0]

    result = searched(state, 200, value=value)

    assert str(result.move) == wanted
    assert result.candidates[0].value > 900


def test_the_prior_says_what_is_tried_first() -> None:
    state = along(GAMES[0], 3)
    wanted = list(state.legal_moves)[-1]

    def prior(_: State, moves: Sequence[Move]) -> list[float]:
        return [50.0 if move == wanted else 0.0 for move in moves]

    assert searched(state, value=lambda _: [0.0] * 3, prior=prior).move == wanted


def test_a_forced_move_takes_no_nodes() -> None:
    state = along(GAMES[0], 2, 0)
    while len(state.legal_moves) > 1:
        state.play(state.random_move(Random(1)))

    assert searched(state) == SearchResult(state.legal_moves[0], 0, ())


def test_a_game_without_experts_needs_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    state = add_three_in_a_row(monkeypatch).new(2, 1)
    for move in ("a1", "b1", "a2", "b2"):  # the first seat completes a column with a3
        state.play(state.game.parse(move))

    def value(leaf: State) -> Sequence[float]:
        return (0.5, 0.5) if leaf.outcome is None else leaf.outcome.scores

    assert str(searched(state, 200, value=value).move) == "a3"
    with pytest.raises(LookupError, match="three-in-a-row has no expert to evaluate its positions; pass a 'value'"):
        searched(state)


def test_a_game_whose_moves_are_hidden_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for plugin, sentence in ((TRICKS, "tricks hides seats' legal moves.*the bot 'mcts' can"), (SEALED, "sealed can't sample")):
        state = add(monkeypatch, plugin.title.lower().split()[0], plugin).new(3, 1)
        with pytest.raises(ValueError, match=sentence):
            searched(state, 200, value=lambda _: [0.0] * 3)


def test_wrong_settings_and_numbers_are_refused() -> None:
    state = along(GAMES[0], 2)
    view = state.view(state.actor or 0)

    with pytest.raises(ValueError, match="seat 1 has nothing to decide" if view.seat == 0 else "it isn't seat 0's turn"):
        search(state.view(1 - view.seat), Clock(), Random(1))
    for name, given, sentence in (
        ("nodes", 0, "nodes must be at least 1, not 0"),
        ("width", 0, "width must be at least 1"),
        ("exploration", -1.0, "exploration must be at least 0"),
        ("exploration", float("nan"), "exploration must be at least 0, not nan"),
        ("rollout", -1, "rollout must be at least 0"),
        ("temperature", 0.0, "temperature must be above 0, not 0"),
    ):
        with pytest.raises(ValueError, match=sentence):
            search(view, Clock(), Random(1), **{name: given})  # type: ignore[arg-type]  # that is the test
    with pytest.raises(ValueError, match="value returned a sequence of length 1 instead of 2, the number of seats"):
        searched(state, value=lambda _: [0.0])
    with pytest.raises(ValueError, match="value returned a number that is not finite"):
        searched(state, value=lambda _: [0.0, float("nan")])
    with pytest.raises(ValueError, match="prior returned a sequence of length 0 instead of"):
        searched(state, prior=lambda *_: [])


PUBLIC = {
    "REFERENCE_BOTS",
    "Bot",
    "BotError",
    "Clock",
    "ClockMode",
    "ClockSpec",
    "Game",
    "MatchEnd",
    "MatchInfo",
    "Move",
    "News",
    "State",
    "View",
    "evaluate",
    "load_bot",
}

TYPED = """
import random

from bots import Bot, Clock, MatchEnd, MatchInfo, Move, View, load_bot
from engine.tongiaki import TongiakiState


class AnyMove:
    def start(self, info: MatchInfo) -> None:
        self.rng = random.Random(info.seed)

    def choose(self, view: View[TongiakiState], clock: Clock) -> Move:
        return view.legal_moves.random(self.rng)

    def finish(self, end: MatchEnd) -> None:
        print(end.ranks)


class NoBot:
    def choose(self, view: View[TongiakiState]) -> Move:
        return view.legal_moves[0]


mine: Bot = AnyMove()
theirs: Bot = load_bot("greedy")
wrong: Bot = NoBot()
"""


def test_the_public_names_are_these() -> None:
    assert set(bots.__all__) == PUBLIC
    assert set(dir(bots)) >= PUBLIC


def test_the_examples_of_the_api_do_what_they_say() -> None:
    failed, tried = doctest.testmod(bots)

    assert tried > 5
    assert failed == 0


def test_importing_the_api_loads_neither_the_engine_nor_the_loader() -> None:
    code = "import sys, bots; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not {"engine", "bots.loader", "bots.protocol", "msgspec"} & set(done.stdout.split())


@pytest.mark.slow  # a type checker reads the packages
def test_a_bot_typed_by_the_api_passes_mypy_and_one_without_its_method_does_not(tmp_path: Path) -> None:
    file = tmp_path / "typed.py"
    file.write_text(TYPED, encoding="utf-8")
    root = Path(bots.__file__).parents[1]

    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", str(root / "pyproject.toml"), str(file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
    )

    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1, done.stdout
    assert 'variable has type "Bot"' in errors[0]


def test_a_bot_is_loaded_by_name_or_from_a_file_and_started_when_told_the_match(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("class First:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n", encoding="utf-8")
    state = find_game("tongiaki").new(2, 7)
    info = MatchInfo(state.game, 2, 0, 5)

    chosen = [load_bot(each, info, base=tmp_path).choose(state.view(0), Clock()) for each in ("random", "mine.py", "mine.py:First")]

    assert all(move in state.legal_moves for move in chosen)
    assert not hasattr(load_bot("random"), "rng")


def test_a_bot_that_cannot_be_had_is_told_of_in_one_sentence() -> None:
    with pytest.raises(BotError, match="there is no bot 'gredy'; did you mean 'greedy'"):
        load_bot("gredy")


def test_the_clock_s_nodes_and_time_limit_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    state = along(GAMES[0], 2)
    seconds = count()
    monkeypatch.setattr(deadline, "thread_time", lambda: float(next(seconds)))  # a second a node

    assert searched(state, nodes=30, clock=Clock(nodes=12)).nodes == 12
    assert searched(state, nodes=12, clock=Clock(nodes=30)).nodes == 12
    assert searched(state, nodes=None, clock=Clock(seconds=100.0)).nodes == 61
    assert searched(state, nodes=None, clock=Clock(seconds=100.0, bank=300.0)).nodes == 11
    assert searched(state, nodes=None, clock=Clock(nodes=30, seconds=100.0)).nodes == 30
    assert searched(state, nodes=40, clock=Clock(seconds=0.0)).nodes == 1
