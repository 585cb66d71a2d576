"""Tests whether seatings are fair: twins of one bot sit behind different neighbours, according to a tournament's schedule.

python -m benchmarks.fairness [--quick] [--blocks N] [--json FILE]

Two copies of ``greedy`` (the twins), ``random`` and, at four seats, ``spoiler`` play a round-robin in this process. The twins are the same
program, so each should rank above the other in half of the decided matches, regardless of their names and of who sits behind whom. The
interval is a bootstrap over blocks.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

from arena.formats.schedule import Schedule
from arena.play.executors.base import InlineExecutor, Job
from arena.spec.spec import Spec, make_spec
from bots.loader.loading import resolve
from engine.records import MatchResult

TWINS = ("reed", "zinc")
"""In alphabetical order, the first twin follows ``random``, and the second follows ``spoiler`` or the first twin."""
TABLES: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("sunda", {"level": 0}),
    ("sunda", {"level": 2}),
    ("sunda", {"level": 5}),
    ("tongiaki", {}),
)
DRAWS = 4000


@dataclass(frozen=True, slots=True)
class Twins:
    """How the first twin did against the second: the ``share`` of ``decided`` matches in which it ranked higher, with its 95% interval."""

    game: str
    players: int
    blocks: int
    matches: int
    decided: int
    share: float
    interval: tuple[float, float]
    seconds: float

    @property
    def is_even(self) -> bool:
        """Whether the interval contains one half."""
        return self.interval[0] <= 0.5 <= self.interval[1]


def make_tournament(game: str, options: Mapping[str, int], players: int, blocks: int) -> Spec:
    """Return a round-robin of the twins and their neighbours, all of whom play in every match."""
    bots = [*({"name": name, "source": "greedy"} for name in TWINS), "random", *(["spoiler"] if players == 4 else [])]
    data = {"name": "twins", "game": game, "options": dict(options), "seed": 2026, "bots": bots}
    return make_spec(data | {"schedule": {"tables": [players], "blocks": blocks}}, "fairness")


def play(spec: Spec) -> Iterator[MatchResult]:
    """Play every match of the schedule in this process."""
    executor = InlineExecutor()
    bots = {bot.name: resolve(bot.source, name=bot.name) for bot in spec.bots}
    try:
        for results in executor.run(Job(spec.game, spec.options, bots), iter(Schedule(spec))):
            for each in results:
                assert isinstance(each, MatchResult), each.reason
                yield each
    finally:
        executor.close()


def count(results: Iterable[MatchResult]) -> tuple[np.ndarray, int]:
    """Return, for each block, in how many matches the first twin ranked above and below the second; and the number of matches."""
    blocks: dict[int, list[int]] = {}
    matches = 0
    for result in results:
        ranks = {seat.bot: seat.rank for seat in result.seats}
        found = blocks.setdefault(result.ticket.block, [0, 0])
        found[0] += ranks[TWINS[0]] < ranks[TWINS[1]]
        found[1] += ranks[TWINS[0]] > ranks[TWINS[1]]
        matches += 1
    return np.array(list(blocks.values()), float), matches


def share(blocks: np.ndarray) -> tuple[float, tuple[float, float]]:
    """Return the first twin's share of decided matches, and its 95% interval, computed by drawing blocks with replacement."""
    rng = np.random.default_rng(0)
    weights = rng.multinomial(len(blocks), np.full(len(blocks), 1 / len(blocks)), size=DRAWS)
    drawn = weights @ blocks
    low, high = np.quantile(drawn[:, 0] / np.maximum(drawn.sum(axis=1), 1), (0.025, 0.975))
    above, below = blocks.sum(axis=0)
    return float(above / max(above + below, 1)), (float(low), float(high))


def measure(game: str, options: Mapping[str, int], players: int, blocks: int) -> Twins:
    """Play all matches with this number of players, and count the results."""
    began = perf_counter()
    found, matches = count(play(make_tournament(game, options, players, blocks)))
    part, interval = share(found)
    label = " ".join([game, *(f"{key} {value}" for key, value in options.items())])
    return Twins(label, players, len(found), matches, int(found.sum()), part, interval, perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="12 blocks, just to check that everything runs")
    parser.add_argument("--blocks", type=int, default=200, help="blocks for each game and number of players")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    given = parser.parse_args()
    blocks = 12 if given.quick else given.blocks
    found = [measure(game, options, players, blocks) for game, options in TABLES for players in (3, 4)]
    table = Table(title=f"share of decided matches that each twin wins against the other, {blocks} blocks", box=None, title_justify="left")
    for heading in ("game", "seats", "matches", "decided", *TWINS, "95% interval of the first", "even", "seconds"):
        table.add_column(heading, justify="left" if heading == "game" else "right")
    for each in found:
        shares = (f"{each.share:.1%}", f"{1 - each.share:.1%}", f"{each.interval[0]:.1%} to {each.interval[1]:.1%}")
        even = "yes" if each.is_even else "NO"
        table.add_row(each.game, f"{each.players}", f"{each.matches}", f"{each.decided}", *shares, even, f"{each.seconds:.1f}")
    Console(width=130).print(table)
    if given.json:
        given.json.write_text(json.dumps([asdict(each) for each in found], indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
