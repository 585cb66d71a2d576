"""The engine as a package: its public names, its two forms, and which of them is loaded."""

from __future__ import annotations

import doctest
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

import engine
from engine import FORM, playout
from engine.build_info import SETTING
from engine.core import Game, Move, State, below, shuffle
from engine.registry import find_game

GAMES = [find_game("tongiaki"), find_game("sunda"), find_game("sunda", {"level": 5, "mode": "simultaneous"})]

each_game = pytest.mark.parametrize("game", GAMES, ids=str)


def along(game: Game, seed: int, moves: int) -> State:
    state = game.new(2, seed)
    rng = Random(seed)
    for _ in range(moves):
        if state.actor is not None:
            state.play(state.random_move(rng))
    return state


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 31, 360, 2**40])
def test_below_draws_what_randrange_draws(count: int) -> None:
    one, other = Random(5), Random(5)
    assert [below(one, count) for _ in range(200)] == [other.randrange(count) for _ in range(200)]
    assert one.getstate() == other.getstate()


def test_shuffle_shuffles_as_python_does() -> None:
    for seed in range(50):
        one, other = Random(seed), Random(seed)
        ours, theirs = list(range(31)), list(range(31))
        shuffle(one, ours)
        other.shuffle(theirs)
        assert (ours, one.getstate()) == (theirs, other.getstate())


def test_a_random_move_of_tongiaki_is_the_one_that_the_generator_picks_of_the_list() -> None:
    state = GAMES[0].new(2, 4)
    one, other = Random(9), Random(9)
    for _ in range(400):
        if state.actor is None:
            break
        moves = list(state.copy().legal_moves)
        move = state.random_move(one)
        assert move == moves[other.randrange(len(moves))]
        state.play(move)


def test_a_game_of_ones_own_can_be_written_in_plain_python() -> None:
    class Nim(Move):
        def __str__(self) -> str:
            return "take"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Nim)

        def __hash__(self) -> int:
            return 1

    assert Nim() == Nim()
    assert repr(Nim()) == "<take>"
    assert not GAMES[0].new(2, 0).is_legal(Nim())


SHOW = """
import engine, engine.core.state, bots.reference.heuristics.tongiaki_evaluation as evaluation
print(engine.FORM.is_compiled, engine.FORM.reason)
print(engine.core.state.__file__.endswith(".py"), evaluation.__file__.endswith(".py"))
"""

COMPILED = pytest.mark.skipif(not FORM.is_compiled, reason="the engine is not compiled here")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the engine as it is installed here, with what was compiled."""
    folder = Path(engine.__file__).parent
    for package in ("engine", "bots"):
        shutil.copytree(folder.parent / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    for library in folder.parent.glob("engine__mypyc*"):
        shutil.copy(library, tmp_path)
    return tmp_path


def seen(package: Path, setting: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(package), SETTING: setting}
    return subprocess.run([sys.executable, "-c", SHOW], cwd=package, env=environment, capture_output=True, text=True, check=False)


def note(package: Path) -> Path:
    (path,) = package.glob("engine/compiled.*.json")
    return path


@COMPILED
def test_what_was_compiled_runs_compiled(package: Path) -> None:
    done = seen(package)
    assert done.stdout.startswith("True compiled by mypyc"), done.stderr
    assert done.stdout.endswith("\nFalse False\n")


@COMPILED
@pytest.mark.parametrize("module", ["engine/core/state", "bots/reference/heuristics/tongiaki_evaluation"])
def test_an_edited_source_runs_as_it_is_and_the_rest_with_it(package: Path, module: str) -> None:
    with (package / f"{module}.py").open("a") as source:
        source.write("\nEDITED = True\n")
    done = seen(package)
    assert f"False {module.replace('/', '.')} has been edited since" in done.stdout, done.stderr
    assert done.stdout.endswith("\nTrue True\n")


def test_plain_can_be_asked_for(package: Path) -> None:
    done = seen(package, "plain")
    assert "False ARENA_ENGINE=plain is set" in done.stdout
    assert done.stdout.endswith("\nTrue True\n")


PROGRAM = """
import sys
from dataclasses import make_dataclass
from threading import Barrier, Thread
from engine.records import convert, decode

sys.setswitchinterval(1e-6)
for number in range(80):
    inner = make_dataclass("Inner", [("a", int), ("b", tuple[str, ...])], frozen=True)
    outer = make_dataclass("Outer", [("x", inner), ("y", tuple[inner, ...])], frozen=True)
    barrier, made = Barrier(4), []

    def work(which):
        barrier.wait()
        data = {"x": {"a": 1, "b": ["q"]}, "y": []}
        made.append(convert(data, outer) if which % 2 else decode(b'{"x": {"a": 1, "b": ["q"]}, "y": []}', outer))

    threads = [Thread(target=work, args=[which]) for which in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert made == [outer(inner(1, ("q",)), ())] * 4
"""


def test_threads_that_meet_a_type_at_once_do_not_crash() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


PUBLIC = """
    FORM
    Game GamePlugin State View Move LegalMoves Outcome OptionValue ChanceOutcome World worlds_after
    find_game game_names playout perft shared_ranks
    EngineError IllegalMoveError InvalidMoveError OptionsError PositionError ReadOnlyError ReplayError DisagreementError
    Replay Decision Chance Forfeit Chronicle News Recorder read_replay write_replay verify_replay walk state_at
"""

SHOW_IMPORTS = """
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
    done = subprocess.run([sys.executable, "-c", SHOW_IMPORTS], capture_output=True, text=True, check=True)
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
