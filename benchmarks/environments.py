"""What the environments cost beside the engine: steps a second with random actions, and the engine alone in the same games.

"The engine" lists all legal moves of each decision and plays a random one; the environment does that and observes. In CPU time.

python -m benchmarks.environments [--runs 5] [--json FILE]
"""

from __future__ import annotations

from random import Random
from time import process_time

from arena.environments import aec
from benchmarks.common import Figure, arguments, measure, report
from engine.core import OptionValue
from engine.registry import find_game

STEPS = 2000


def engine_microseconds(game: str, players: int, options: dict[str, OptionValue]) -> float:
    """Mean time of a decision of the engine, in microseconds."""
    rules = find_game(game, options)
    rng = Random(0)
    seed = 0
    state = rules.new(players, seed)
    began = process_time()
    for _ in range(STEPS):
        if state.actor is None:
            seed += 1
            state = rules.new(players, seed)
        moves = list(state.legal_moves)
        state.play(moves[rng.randrange(len(moves))])
    return (process_time() - began) / STEPS * 1e6


def step_microseconds(game: str, players: int, options: dict[str, OptionValue]) -> float:
    """Mean time of a step of the AEC environment, the observation included, in microseconds."""
    env = aec(game, players, **options)
    rng = Random(0)
    seed = 0
    env.reset(seed=seed)
    began = process_time()
    for _ in range(STEPS):
        _, _, is_over, _, info = env.last()
        if is_over:
            seed += 1
            env.reset(seed=seed)
            _, _, _, _, info = env.last()
        env.step(rng.randrange(info["legal"]))
    return (process_time() - began) / STEPS * 1e6


def figures(runs: int) -> list[Figure]:
    """A decision of the engine and a step of the environment, for each game."""
    found: list[Figure] = []
    cases: list[tuple[str, int, dict[str, OptionValue]]] = [
        ("tongiaki", 2, {}),
        ("tongiaki", 4, {}),
        ("sunda", 1, {}),
        ("sunda", 2, {"level": 5}),
        ("sunda", 3, {"level": 5, "mode": "simultaneous"}),
    ]
    for game, players, options in cases:
        name = " ".join([game, f"{players} seats", *(f"{key} {value}" for key, value in options.items())])
        engine = measure(f"{name}: engine", "us", runs, lambda g=game, p=players, o=options: engine_microseconds(g, p, o))
        env = measure(f"{name}: environment", "us", runs, lambda g=game, p=players, o=options: step_microseconds(g, p, o))
        found += [engine, env, Figure(f"{name}: ratio", "x", env.median / engine.median, env.low / engine.high, env.high / engine.low)]
    return found


def main() -> None:
    """Measure and report."""
    given = arguments(__doc__ or "").parse_args()
    report("Environments, one core", figures(given.runs), given.json)


if __name__ == "__main__":
    main()
