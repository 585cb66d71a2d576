"""How fast the engine is on one core: random games with legal moves, copies, views, and verification of replays.

python -m benchmarks.engine [--runs 5] [--json FILE]
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import perf_counter

from benchmarks.common import arguments, measure, report
from engine.core import Game, State
from engine.games import find_game
from engine.records import Replay
from engine.replay import Recorder, verify_replay
from engine.tongiaki import TONGIAKI

GAMES = 60
SUNDA_GAMES = 8
COPIES = 5000


def random_games(game: Game, players: int, games: int = GAMES) -> float:
    """Games a second, each decision a random one of all the legal moves."""
    rng = Random(0)
    began = perf_counter()
    for seed in range(games):
        state = game.new(players, seed)
        while state.actor is not None:
            state.play(state.random_move(rng))
    return games / (perf_counter() - began)


def listings(game: Game, players: int) -> float:
    """Mean milliseconds to list all legal moves, over the positions of a random game."""
    rng = Random(0)
    state = game.new(players, 3)
    spent = 0.0
    decisions = 0
    while state.actor is not None:
        began = perf_counter()
        state.list_moves()
        spent += perf_counter() - began
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
    began = perf_counter()
    for _ in range(COPIES):
        action()
    return (perf_counter() - began) / COPIES * 1e6


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
    began = perf_counter()
    for replay in replays:
        verify_replay(replay)
    return len(replays) / (perf_counter() - began)


def main() -> None:
    """Measure and report."""
    given = arguments(__doc__ or "").parse_args()
    figures = [
        measure(
            f"tongiaki, random games, {players} seats",
            "games/s",
            given.runs,
            lambda players=players: random_games(TONGIAKI, players),
            "100" if players == 4 else "",
        )
        for players in range(2, 7)
    ]
    state = middle(TONGIAKI, 4)
    figures.append(measure("tongiaki, copy()", "us", given.runs, lambda: microseconds(state.copy), "< 20"))
    figures.append(measure("tongiaki, view(seat)", "us", given.runs, lambda: microseconds(lambda: state.view(0))))
    replays = [recorded(TONGIAKI, 4, seed) for seed in range(40)]
    figures.append(measure("tongiaki, replays verified, 4 seats", "games/s", given.runs, lambda: verifications(replays)))
    for level in (0, 5):
        sunda = find_game("sunda", {"level": level})
        games = measure(
            f"sunda level {level}, random games, 2 seats",
            "games/s",
            given.runs,
            lambda game=sunda: random_games(game, 2, SUNDA_GAMES),
            "25" if level == 0 else "",
        )
        figures.append(games)
    sunda = find_game("sunda")
    figures.append(measure("sunda level 0, all legal moves listed", "ms", given.runs, lambda: listings(sunda, 2), "< 2"))
    table = middle(sunda, 2)
    figures.append(measure("sunda level 0, copy()", "us", given.runs, lambda: microseconds(table.copy), "< 60"))
    replays_of_sunda = [recorded(sunda, 2, seed) for seed in range(8)]
    figures.append(measure("sunda level 0, replays verified", "games/s", given.runs, lambda: verifications(replays_of_sunda)))
    report("Engine, one core", figures, given.json)


if __name__ == "__main__":
    main()
