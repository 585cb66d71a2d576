"""The public API of the engine: its names, its examples, how light it is, and that what it prints can be pasted back."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from random import Random

import pytest

import engine
from engine import Game, State, find_game, playout
from tests.engine.test_both_forms import GAMES, along, each_game

PUBLIC = """
    FORM
    Game GamePlugin State View Move LegalMoves Outcome OptionValue ChanceOutcome World worlds_after
    find_game game_names playout perft shared_ranks
    EngineError IllegalMoveError InvalidMoveError OptionsError PositionError ReadOnlyError ReplayError DisagreementError
    Replay Decision Chance Forfeit Chronicle News Recorder read_replay write_replay verify_replay walk state_at
"""
SHOW = """
import json, sys
import engine
print(json.dumps(sorted(sys.modules)))
"""


def pasted(text: str) -> object:
    """What a text stands for, read with nothing but the public names."""
    return eval(text, {name: getattr(engine, name) for name in engine.__all__})  # noqa: S307  # our own text


def positions(game: Game) -> list[State]:
    """Positions along a game, the last one at its end."""
    end = along(game, 4, 0)
    playout(end, Random(4))
    return [*(along(game, 4, moves) for moves in (0, 1, 2, 9, 40, 70)), end]


def test_the_public_names_are_these() -> None:
    assert sorted(engine.__all__) == sorted(PUBLIC.split())
    assert set(engine.__all__) <= set(dir(engine))
    for name in engine.__all__:
        assert getattr(engine, name) is not None


def test_the_examples_of_the_package_work() -> None:
    ran = doctest.testmod(engine, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    assert ran.attempted > 10
    assert ran.failed == 0


def test_importing_the_engine_imports_neither_games_nor_replays_nor_drawing() -> None:
    done = subprocess.run([sys.executable, "-c", SHOW], capture_output=True, text=True, check=True)
    ours = {name for name in json.loads(done.stdout) if name.startswith("engine.") and not name.startswith("engine.core.")}
    assert ours == {"engine.build_info", "engine.core"}


@each_game
def test_games_print_as_what_makes_them(game: Game) -> None:
    assert pasted(repr(game)) == game


def test_a_game_without_options_prints_without_options() -> None:
    assert repr(find_game("tongiaki")) == "find_game('tongiaki')"


@each_game
def test_states_and_views_print_as_what_makes_them(game: Game) -> None:
    for state in positions(game):
        assert pasted(repr(state)) == state
        for seat in range(state.players):
            view = state.view(seat)
            assert pasted(repr(view)) == view
            assert pasted(repr(view.position)) == view.position


@each_game
def test_moves_print_as_what_makes_them(game: Game) -> None:
    moves = [move for state in positions(game) for move in state.legal_moves]
    assert len(moves) > 20
    for move in moves:
        assert pasted(repr(move)) == move


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_outcomes_print_as_what_makes_them(game: Game) -> None:
    outcome = playout(game.new(2, 3), Random(3))
    again = pasted(repr(outcome))
    assert again == outcome
    assert hash(again) == hash(outcome)
