"""How fast the engine is on one core: random games with legal moves, copies, views, and verification of replays.

python -m benchmarks.engine [--runs 5] [--json FILE]
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import perf_counter

from benchmarks.common import arguments, measure, report
from engine.core import Game, State
from engine.records import Replay
from engine.replay import Recorder, verify_replay
from engine.tongiaki import TONGIAKI

GAMES = 60
COPIES = 5000


def random_games(game: Game, players: int) -> float:
    """Games a second, each decision with all its legal moves listed."""
    rng = Random(0)
    began = perf_counter()
    for seed in range(GAMES):
        state = game.new(players, seed)
        while state.actor is not None:
            state.play(state.random_move(rng))
    return GAMES / (perf_counter() - began)


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
    report("Engine, one core", figures, given.json)


if __name__ == "__main__":
    main()
