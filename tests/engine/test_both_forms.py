"""The engine as a package: its public names, its two forms, and which of them is loaded."""

from __future__ import annotations

import doctest
import gc
import json
import os
import shutil
import subprocess
import sys
import weakref
from pathlib import Path
from random import Random

import pytest

import engine
from engine import FORM, playout
from engine.build_info import SETTING
from engine.core import Game, IllegalMoveError, Move, State, below, shuffle
from engine.registry import find_game

GAMES = [find_game("tongiaki"), find_game("sunda"), find_game("sunda", {"level": 5, "mode": "simultaneous"})]

SURFACE = """
import random
from random import Random
import numpy as np
from engine import Chronicle, find_game
from engine.core.observer import Observer

def tried(make):
    try:
        found = make()
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    print([str(each) for each in found] if isinstance(found, (list, tuple, np.ndarray)) else found)

for name in "tongiaki", "sunda":
    game = find_game(name)
    state = game.new(np.int64(2), np.uint32(7))
    for _ in range(9):
        state.play(state.random_move(Random(1)))
    view = state.view(np.int8(state.actor))
    moves, last = view.legal_moves, len(view.legal_moves) - 1
    for index in np.int8(1), np.argmax(np.arange(last + 1)), np.int64(-1), True, -1, last + 1, np.int64(last + 1), 1.0, "a", None:
        tried(lambda: (moves[index], type(moves[index]) is type(moves[0])))
        tried(lambda: state.move_at(index))
    for index in np.s_[:2], np.s_[::-5], slice(np.int64(1), np.int64(3)):
        tried(lambda: moves[index])
    print(state.view(np.int64(1)).seat, Chronicle(state).view(np.int8(1), state).seat, Observer(game, np.int8(2), np.int8(1)).view().seat)
    print(list(reversed(moves))[0], moves.index(moves[last]), moves.count(moves[0]), moves.random(random) in moves)
    print(Random(3).sample(moves, 2), Random(3).choice(moves), np.random.default_rng(3).choice(moves), np.array(moves).shape)
    for generator in Random(5), np.random.default_rng(5), np.random.RandomState(5), None:
        tried(lambda: moves.random(generator))
        tried(lambda: view.sample(generator).text)
"""

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


def test_both_forms_take_the_same_indices_slices_and_generators() -> None:
    forms = ["plain", *(["compiled"] if FORM.is_compiled else [])]
    run = [
        subprocess.run([sys.executable, "-c", SURFACE], env={**os.environ, SETTING: form}, capture_output=True, text=True, check=False)
        for form in forms
    ]
    assert [each.stderr for each in run] == [""] * len(forms)
    assert len({each.stdout for each in run}) == 1
    refused = "TypeError: a generator is a random.Random, not a Generator: take random.Random(seed)"
    assert run[0].stdout.count(refused) == 4


@each_game
def test_a_random_move_is_checked_again_once_another_was_played(game: Game) -> None:
    state = along(game, 6, 3)
    drawn = state.random_move(Random(0))
    for _ in range(40):
        if state.is_legal(drawn):
            state.play(next(move for move in state.legal_moves if move != drawn or state.count_moves() == 1))
        else:
            break
    assert not state.is_legal(drawn)
    with pytest.raises(IllegalMoveError, match="is not legal"):
        state.play(drawn)


@pytest.mark.slow
@each_game
def test_weak_references_and_the_garbage_collector_do_no_harm(game: Game) -> None:
    kept: list[object] = []
    gc.collect()
    gc.freeze()  # so that a collection looks only at what is made here
    for seed in range(20):
        state = along(game, seed, 15)
        view = state.view(0)
        try:
            state.play(object())  # type: ignore[arg-type]
        except (ValueError, TypeError) as error:
            thrown = error
        for one in (state, view, state.legal_moves[0], game, thrown):
            try:
                kept.append(weakref.ref(one))
            except TypeError:
                kept.append(None)
        del state, view, one, thrown
        gc.collect()
    gc.unfreeze()

    assert len(kept) == 100


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
    assert f"False {module.replace('/', '.')} was edited since" in done.stdout, done.stderr
    assert done.stdout.endswith("\nTrue True\n")


@COMPILED
def test_the_reason_why_it_could_not_be_compiled_is_told(package: Path) -> None:
    note(package).write_text(json.dumps({"failed": "there was no C compiler (gcc) when it was installed"}))
    assert "False there was no C compiler (gcc) when it was installed; for more speed" in seen(package).stdout


def test_plain_can_be_asked_for(package: Path) -> None:
    done = seen(package, "plain")
    assert "False ARENA_ENGINE=plain asks for it" in done.stdout
    assert done.stdout.endswith("\nTrue True\n")


def test_compiled_can_be_insisted_on(package: Path) -> None:
    for path in package.glob("engine/compiled.*.json"):
        path.unlink()
    done = seen(package, "compiled")
    assert done.returncode == 1
    assert "ImportError: ARENA_ENGINE=compiled, but the engine is plain Python: it was not compiled" in done.stderr


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

SHOW_API = """
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
    done = subprocess.run([sys.executable, "-c", SHOW_API], capture_output=True, text=True, check=True)
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
