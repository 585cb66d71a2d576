"""Measures what observations cost on top of the engine: observed steps per CPU second, single, in batches, and in other libraries.

"The engine" lists all legal moves at each decision and plays a random one. An environment does the same and returns an observation and a
mask. It is measured with infos and feature rows for legal moves; without both; as one flat array; and as a batch of matches, without and
with rows. The other libraries also play at random, with an observation and a mask for each decision; a library that can't be installed is
left out and reported (benchmarks.peers).

python -m benchmarks.environments [--runs 5] [--no-peers] [--json FILE]
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import process_time
from typing import Any

import numpy as np

from arena.environments import aec, batch
from benchmarks.common import Figure, arguments, figure_of, report
from benchmarks.peers.__main__ import Peer, interpreter, play
from engine.core import OptionValue
from engine.registry import find_game

STEPS = {"tongiaki": 20_000, "sunda": 2_000}
MATCHES = 64
"""The number of matches in a batch."""
SECONDS = 1.0
CASES: tuple[tuple[str, int, dict[str, OptionValue]], ...] = (
    ("tongiaki", 2, {}),
    ("tongiaki", 4, {}),
    ("sunda", 1, {}),
    ("sunda", 2, {"level": 5}),
    ("sunda", 3, {"level": 5, "mode": "simultaneous"}),
)
PEERS = (
    Peer("OpenSpiel, backgammon", "observe_open_spiel.py", "backgammon", ("open_spiel==2.0.2", "numpy==2.4.6")),
    Peer("OpenSpiel, go", "observe_open_spiel.py", "go", ("open_spiel==2.0.2", "numpy==2.4.6")),
    Peer("OpenSpiel, connect four", "observe_open_spiel.py", "connect_four", ("open_spiel==2.0.2", "numpy==2.4.6")),
    Peer("PettingZoo, connect four", "observe_pettingzoo.py", "connect_four_v3", ("pettingzoo[classic]==1.27.0",)),
    Peer("PettingZoo, tic-tac-toe", "observe_pettingzoo.py", "tictactoe_v3", ("pettingzoo[classic]==1.27.0",)),
)


def engine_steps(game: str, players: int, options: dict[str, OptionValue]) -> float:
    """Return how many decisions the engine makes per CPU second."""
    rules = find_game(game, options)
    draw = Random(0).random
    seed = 0
    state = rules.new(players, seed)
    began = process_time()
    for _ in range(STEPS[game]):
        if state.actor is None:
            seed += 1
            state = rules.new(players, seed)
        moves = state.list_moves()
        state.play(moves[int(draw() * len(moves))])
    return STEPS[game] / (process_time() - began)


def environment_steps(game: str, players: int, options: dict[str, Any], **form: Any) -> float:
    """Return the steps of the AEC environment per CPU second, including observations."""
    env = aec(game, players, **form, **options)
    draw = Random(0).random
    seed = 0
    env.reset(seed=seed)
    began = process_time()
    for _ in range(STEPS[game]):
        seen, _, is_over, _, _ = env.last()
        if is_over:
            seed += 1
            env.reset(seed=seed)
            seen, _, _, _, _ = env.last()
        env.step(int(draw() * np.count_nonzero(seen["action_mask"])))
    return STEPS[game] / (process_time() - began)


def batch_steps(game: str, players: int, options: dict[str, Any], *, moves: bool) -> float:
    """Return the steps of all matches of a batch per CPU second, including observations."""
    env = batch(game, players, MATCHES, moves=moves, copy=False, **options)
    rng = np.random.default_rng(0)
    observations, _ = env.reset(seed=0)
    rounds = STEPS[game] // MATCHES
    began = process_time()
    for _ in range(rounds):
        legal = observations["action_mask"].sum(1, dtype=np.int64)
        observations, _, _, _ = env.step((rng.random(MATCHES) * legal).astype(np.int64))
    return rounds * MATCHES / (process_time() - began)


def ways(game: str, players: int, options: dict[str, OptionValue]) -> dict[str, Callable[[], float]]:
    """Return everything that is measured for a game, by name."""
    return {
        "engine": lambda: engine_steps(game, players, options),
        "rows and infos": lambda: environment_steps(game, players, options),
        "neither": lambda: environment_steps(game, players, options, moves=False, infos=False),
        "flat": lambda: environment_steps(game, players, options, flat=True, mask=True, infos=False),
        f"{MATCHES} matches": lambda: batch_steps(game, players, options, moves=False),
        f"{MATCHES} matches, rows": lambda: batch_steps(game, players, options, moves=True),
    }


def figures(runs: int, *, peers: bool) -> list[Figure]:
    todo: dict[str, Callable[[], float | None]] = {}
    for game, players, options in CASES:
        name = " ".join([game, f"{players} seats", *(f"{key} {value}" for key, value in options.items())])
        todo |= {f"{name}: {way}": once for way, once in ways(game, players, options).items()}
    for peer in PEERS if peers else ():
        if (python := interpreter(peer)) is not None:
            todo[peer.name] = lambda peer=peer, python=python: (play(peer, python, SECONDS) or {}).get("decisions")  # type: ignore[misc]
    found: dict[str, list[float]] = {name: [] for name in todo}
    for _ in range(runs):
        for name, once in todo.items():
            if (value := once()) is not None:
                found[name].append(value)
    table = [figure_of(name, "steps/s", values) for name, values in found.items() if values]
    by_name = {each.name: each for each in table}
    for name, figure in by_name.items():
        case, _, way = name.partition(": ")
        if way and way != "engine":
            engine = by_name[f"{case}: engine"]
            times = (engine.median / figure.median, engine.low / figure.high, engine.high / figure.low)
            table.append(Figure(f"{case}: engine relative to {way}", "x", *times))
    return table


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("--no-peers", action="store_true", help="don't measure other libraries")
    given = parser.parse_args()
    report("Environments, observed steps per CPU second", figures(given.runs, peers=not given.no_peers), given.json)


if __name__ == "__main__":
    main()
