"""Compares the speed of OpenSpiel games played with the adapter and with OpenSpiel's own Python API, in random games.

Both take turns, and CPU time is measured, so that other programs on the machine matter less. A ratio of 1 means as fast as OpenSpiel.

python -m benchmarks.openspiel [--runs 5] [--json FILE]
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from random import Random
from time import process_time
from typing import Any

import pyspiel

from benchmarks.common import Figure, arguments, report
from engine.core import playout
from engine.registry import find_game

GAMES = ("tic_tac_toe", "connect_four", "hex", "backgammon", "kuhn_poker")
SECONDS = 0.4
"""CPU seconds of each measurement with OpenSpiel alone; the adapter then plays the same number of games."""


def bare_game(game: Any, rng: Random) -> int:
    """Play a random game with OpenSpiel alone, like its own examples; return the number of decisions."""
    state = game.new_initial_state()
    decisions = 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, weights)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
            decisions += 1
    state.returns()
    return decisions


def step_by_step(state: Any, rng: Random) -> None:
    """Play a random game move by move, as in a match."""
    while state.actor is not None:
        state.play(state.random_move(rng))


def timed(once: Callable[[int], object], games: int) -> float:
    """Return the CPU seconds for this number of games."""
    began = process_time()
    for seed in range(games):
        once(seed)
    return process_time() - began


def figures(name: str, runs: int) -> list[Figure]:
    bare = pyspiel.load_game(name)
    game: Any = find_game(f"openspiel:{name}")
    players = game.max_players
    games = max(1, int(SECONDS / max(timed(lambda seed: bare_game(bare, Random(seed)), 20) / 20, 1e-6)))
    ratios: list[float] = []
    steps: list[float] = []
    for _ in range(runs):
        alone = timed(lambda seed: bare_game(bare, Random(seed)), games)
        ratios.append(alone / timed(lambda seed: playout(game.new(players, seed), Random(seed)), games))
        few = max(games // 10, 1)
        steps.append(alone * few / games / timed(lambda seed: step_by_step(game.new(players, seed), Random(seed)), few))
    return [
        Figure(f"{name}: playouts", "x", statistics.median(ratios), min(ratios), max(ratios), ">= 0.5"),
        Figure(f"{name}: move by move", "x", statistics.median(steps), min(steps), max(steps)),
    ]


def main() -> None:
    given = arguments(__doc__ or "").parse_args()
    report("OpenSpiel through the adapter", [figure for name in GAMES for figure in figures(name, given.runs)], given.json)


if __name__ == "__main__":
    main()
