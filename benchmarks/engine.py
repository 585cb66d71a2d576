"""Measures the speed of the engine on one core, compiled and as plain Python: random games, moves, copies, views, keys and replays.

It measures CPU time, so that other programs on the machine matter less.

python -m benchmarks.engine [--runs 5] [--json FILE] [--this-form]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from time import process_time

from benchmarks.common import Figure, arguments, figure_of, measure, report, report_forms
from engine import FORM, playout
from engine.build_info import SETTING
from engine.core import Game, State
from engine.records import Replay
from engine.registry import find_game
from engine.replay.format import Recorder
from engine.replay.verifier import verify_replay
from engine.tongiaki import TONGIAKI

COPIES = 5000


def playouts(game: Game, players: int, games: int) -> float:
    """Return random games per second, played by the engine's own loop, which draws legal moves without listing them."""
    rng = Random(0)
    began = process_time()
    for seed in range(games):
        playout(game.new(players, seed), rng)
    return games / (process_time() - began)


def listed(game: Game, players: int, games: int) -> tuple[float, float]:
    """Return random games and decisions per second with the public API: all legal moves are listed, and a random one is played."""
    rng = Random(0)
    made = 0
    began = process_time()
    for seed in range(games):
        state = game.new(players, seed)
        while state.actor is not None:
            moves = list(state.legal_moves)
            state.play(moves[rng.randrange(len(moves))])
            made += 1
    spent = process_time() - began
    return games / spent, made / spent


def listings(game: Game, players: int) -> float:
    """Return the mean microseconds for listing all legal moves, over the positions of a random game."""
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
    return spent / decisions * 1e6


def middle(game: Game, players: int) -> State:
    """Return a position from the middle of a random game."""
    state = game.new(players, 5)
    rng = Random(0)
    for _ in range(70):
        state.play(state.random_move(rng))
    return state


def microseconds(action: Callable[[], object]) -> float:
    """Return the mean time of a call, in microseconds."""
    began = process_time()
    for _ in range(COPIES):
        action()
    return (process_time() - began) / COPIES * 1e6


def recorded(game: Game, players: int, seed: int) -> Replay:
    """Play a random game, and return its replay."""
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
    """Return how many replays are verified per second."""
    began = process_time()
    for replay in replays:
        verify_replay(replay)
    return len(replays) / (process_time() - began)


@dataclass(frozen=True)
class Subject:
    """A game to be measured: how many games are played, and the limits for playouts, copies and keys with ``players`` seats."""

    name: str
    game: Game
    games: int
    players: int
    playouts: str = ""
    copies: str = ""
    keys: str = ""


SUBJECTS = (
    Subject("Tongiaki", TONGIAKI, 60, 4, ">= 1000", "< 20", "< 1"),
    Subject("Sunda L0", find_game("sunda", {"level": 0}), 8, 2, ">= 300", "< 60", "< 1"),
    Subject("Sunda L5", find_game("sunda", {"level": 5}), 4, 2, keys="< 1"),
)


def figures(runs: int) -> list[Figure]:
    return [figure for subject in SUBJECTS for figure in (*_games(subject, runs), *_steps(subject, runs))]


def _games(it: Subject, runs: int) -> list[Figure]:
    found = []
    for players in range(2, it.game.max_players + 1):
        wanted = it.playouts if players == it.players else ""
        once = partial(playouts, it.game, players, it.games)
        found.append(measure(f"{it.name}, {players} seats: playouts", "games/s", runs, once, wanted))
        listed(it.game, players, 1)
        both = [listed(it.game, players, it.games) for _ in range(runs)]
        found.append(figure_of(f"{it.name}, {players} seats: listed", "games/s", [games for games, _ in both], wanted))
        if players == it.players:
            found.append(figure_of(f"{it.name}, {players} seats: decisions", "1/s", [decisions for _, decisions in both]))
    return found


def _steps(it: Subject, runs: int) -> list[Figure]:
    state = middle(it.game, it.players)
    view = state.view(0)
    rng = Random(1)
    replays = [recorded(it.game, it.players, seed) for seed in range(it.games)]
    listing = measure(f"{it.name}: legal moves, listed", "us", runs, lambda: listings(it.game, it.players))
    return [
        listing,
        measure(f"{it.name}: random_move()", "us", runs, lambda: microseconds(lambda: state.random_move(rng))),
        measure(f"{it.name}: copy()", "us", runs, lambda: microseconds(state.copy), it.copies),
        measure(f"{it.name}: view()", "us", runs, lambda: microseconds(lambda: state.view(0))),
        measure(f"{it.name}: key", "us", runs, lambda: microseconds(lambda: state.key), it.keys),
        measure(f"{it.name}: key of a view", "us", runs, lambda: microseconds(lambda: view.key), it.keys),
        measure(f"{it.name}, {it.players} seats: verified", "games/s", runs, lambda: verifications(replays)),
    ]


def ratios(compiled: list[Figure], plain: list[Figure]) -> list[Figure]:
    """Return how much faster compiled playouts are than plain ones, for figures with a limit."""
    found = []
    for one, other in zip(compiled, plain, strict=True):
        if one.name.endswith(("playouts", "listed")) and one.wanted:
            found.append(figure_of(f"{one.name}, relative to plain", "times", [one.median / other.median], ">= 4"))
    return found


def plain_figures(runs: int) -> list[Figure]:
    """Measure the same figures of the plain engine, in a separate process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plain.json"
        command = [sys.executable, "-m", "benchmarks.engine", "--this-form", "--runs", str(runs), "--json", str(path)]
        subprocess.run(command, env={**os.environ, SETTING: "plain"}, stdout=subprocess.DEVNULL, check=True)  # noqa: S603  # our own program
        return [Figure(**figure) for figure in json.loads(path.read_text())["figures"]]


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("--this-form", action="store_true", help="measure only the form of the engine that runs here, and print ranges")
    given = parser.parse_args()
    found = figures(given.runs)
    if given.this_form or not FORM.is_compiled:
        report(f"Engine, {'compiled' if FORM.is_compiled else 'plain Python'}, one core", found, given.json)
        return
    plain = plain_figures(given.runs)
    report_forms("Engine, one core", found, plain, ratios(found, plain), given.json)


if __name__ == "__main__":
    main()
