"""How fast the engine is on one core, compiled and as plain Python: random games, copies, views, and verification of replays.

In CPU time, so that what else runs on the machine counts less.

python -m benchmarks.engine [--runs 5] [--json FILE] [--this-form]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time

from benchmarks.common import Figure, arguments, measure, report, report_forms
from engine import FORM, playout
from engine.core import Game, State
from engine.form import SETTING
from engine.games import find_game
from engine.records import Replay
from engine.replay import Recorder, verify_replay
from engine.tongiaki import TONGIAKI

GAMES = 60
SUNDA_GAMES = 8
COPIES = 5000


def playouts(game: Game, players: int, games: int = GAMES) -> float:
    """Games a second, each decision a random one of all the legal moves, played to the end by the engine itself."""
    rng = Random(0)
    began = process_time()
    for seed in range(games):
        playout(game.new(players, seed), rng)
    return games / (process_time() - began)


def decisions(game: Game, players: int, games: int = GAMES) -> float:
    """Decisions a second through the public ways: all legal moves listed, a random one chosen and played."""
    rng = Random(0)
    made = 0
    began = process_time()
    for seed in range(games):
        state = game.new(players, seed)
        while state.actor is not None:
            moves = list(state.legal_moves)
            state.play(moves[rng.randrange(len(moves))])
            made += 1
    return made / (process_time() - began)


def listings(game: Game, players: int) -> float:
    """Mean milliseconds to list all legal moves, over the positions of a random game."""
    rng = Random(0)
    state = game.new(players, 3)
    spent = 0.0
    decisions = 0
    while state.actor is not None:
        began = process_time()
        state.list_moves()
        spent += process_time() - began
        decisions += 1
        state.play(state.random_move(rng))
    return spent / decisions * 1000


def middle(game: Game, players: int) -> State:
    """A position in the middle of a random game."""
    state = game.new(players, 5)
    rng = Random(0)
    for _ in range(70):
        state.play(state.random_move(rng))
    return state


def microseconds(action: Callable[[], object]) -> float:
    """The mean time of one call, in microseconds."""
    began = process_time()
    for _ in range(COPIES):
        action()
    return (process_time() - began) / COPIES * 1e6


def recorded(game: Game, players: int, seed: int) -> Replay:
    """The replay of a random game."""
    state = game.new(players, seed)
    recorder = Recorder(game, seed, ("random",) * players)
    rng = Random(seed)
    while (seat := state.actor) is not None:
        legal = state.count_moves()
        move = state.random_move(rng)
        state.play(move)
        recorder.record(seat, move, legal, state)
    return recorder.finish(state)


def verifications(replays: list[Replay]) -> float:
    """Replays verified a second."""
    began = process_time()
    for replay in replays:
        verify_replay(replay)
    return len(replays) / (process_time() - began)


def figures(runs: int) -> list[Figure]:
    """All figures of the form of the engine that runs here."""
    found = [
        measure(
            f"tongiaki, random games, {players} seats",
            "games/s",
            runs,
            lambda players=players: playouts(TONGIAKI, players),
            "1000" if players == 4 else "",
        )
        for players in range(2, 7)
    ]
    found.append(measure("tongiaki, decisions, 4 seats", "1/s", runs, lambda: decisions(TONGIAKI, 4)))
    state = middle(TONGIAKI, 4)
    found.append(measure("tongiaki, copy()", "us", runs, lambda: microseconds(state.copy), "< 20"))
    found.append(measure("tongiaki, view(seat)", "us", runs, lambda: microseconds(lambda: state.view(0))))
    replays = [recorded(TONGIAKI, 4, seed) for seed in range(40)]
    found.append(measure("tongiaki, replays verified, 4 seats", "games/s", runs, lambda: verifications(replays)))
    for level in (0, 5):
        sunda = find_game("sunda", {"level": level})
        games = measure(
            f"sunda level {level}, random games, 2 seats",
            "games/s",
            runs,
            lambda game=sunda: playouts(game, 2, SUNDA_GAMES),
            "300" if level == 0 else "",
        )
        found.append(games)
    sunda = find_game("sunda")
    found.append(measure("sunda level 0, decisions", "1/s", runs, lambda: decisions(sunda, 2, SUNDA_GAMES)))
    found.append(measure("sunda level 0, all legal moves listed", "ms", runs, lambda: listings(sunda, 2), "< 2"))
    table = middle(sunda, 2)
    found.append(measure("sunda level 0, copy()", "us", runs, lambda: microseconds(table.copy), "< 60"))
    replays_of_sunda = [recorded(sunda, 2, seed) for seed in range(8)]
    found.append(measure("sunda level 0, replays verified", "games/s", runs, lambda: verifications(replays_of_sunda)))
    return found


def plain_figures(runs: int) -> list[Figure]:
    """The same of the plain engine, measured in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plain.json"
        command = [sys.executable, "-m", "benchmarks.engine", "--this-form", "--runs", str(runs), "--json", str(path)]
        subprocess.run(command, env={**os.environ, SETTING: "plain"}, stdout=subprocess.DEVNULL, check=True)  # noqa: S603  # our own program
        return [Figure(**figure) for figure in json.loads(path.read_text())["figures"]]


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--this-form", action="store_true", help="only the form of the engine that runs here, with low and high")
    given = parser.parse_args()
    found = figures(given.runs)
    if given.this_form or not FORM.is_compiled:
        report(f"Engine, {'compiled' if FORM.is_compiled else 'plain Python'}, one core", found, given.json)
    else:
        report_forms("Engine, one core", found, plain_figures(given.runs), given.json)


if __name__ == "__main__":
    main()
