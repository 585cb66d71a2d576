"""Measures the CPU time of analysing a match, the first time and from the cache.

python -m benchmarks.analysis [--runs N] [--json FILE]
"""

from __future__ import annotations

import tempfile
from itertools import count
from pathlib import Path
from time import process_time
from typing import Final

from arena.analysis.analyser import Settings, analysis_of
from arena.play.match import make_ticket, play_match
from arena.result_cache import open_cache
from benchmarks.common import Figure, arguments, measure, report
from bots.host.player_pool import InProcessPlayer
from bots.loader.loading import resolve
from engine.core import Game
from engine.records import Replay
from engine.registry import find_game
from engine.replay.format import read_replay

SEED: Final = 7
MATCHES: Final = {
    "Tongiaki, 4 seats": ("tongiaki", ("expert", "greedy", "random", "expert"), "<= 10"),
    "Sunda to Sahul, 2 seats": ("sunda", ("expert", "greedy"), "<= 30"),
    "Sunda to Sahul, 4 seats": ("sunda", ("expert", "greedy", "random", "expert"), ""),
}
"""The matches that are analysed, all played by reference bots with the same seed."""


def played(game: Game, bots: tuple[str, ...]) -> Replay:
    """Play a match between reference bots, and return its replay."""
    players = [InProcessPlayer(resolve(bot)) for bot in bots]
    ticket = make_ticket(game, tuple(f"{bot} {seat}" for seat, bot in enumerate(bots)), seed=SEED)
    return read_replay(play_match(game, ticket, players).replay)


def cpu_seconds(replay: Replay, folder: Path) -> float:
    """Analyse a match, and return the CPU seconds that this took."""
    begun = process_time()
    analysis_of(replay, Settings(), open_cache(folder))
    return process_time() - begun


def costs(title: str, replay: Replay, runs: int, wanted: str) -> list[Figure]:
    """Return the CPU time of an analysis, the first time and from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = (Path(folder) / str(run) for run in count())
        first = measure(f"{title}: analysis", "CPU s", runs, lambda: cpu_seconds(replay, next(fresh)), wanted)
        kept = Path(folder) / "0"
        return [first, measure(f"{title}: from the cache", "CPU s", runs, lambda: cpu_seconds(replay, kept))]


def main() -> None:
    given = arguments("CPU time of analyses.").parse_args()
    figures: list[Figure] = []
    for title, (name, bots, wanted) in MATCHES.items():
        figures += costs(title, played(find_game(name), bots), given.runs, wanted)
    report("analyses", figures, given.json)


if __name__ == "__main__":
    main()
