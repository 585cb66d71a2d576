"""Whether ``arena tune`` finds what is there: studies of a bot whose best values are known, without playing anything.

python -m benchmarks.tuning [--studies N] [--trials N] [--blocks N]

The chance to win is highest, 0.6, at edge = 0.7 of 0 to 1 and depth = 3 of 1 to 6; a block is two matches. For each study it prints the
values found, their true chance to win, the intervals and the number of matches; then in how many the intervals contained the truth.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from arena.analysis.tuning import BLOCKS, TRIALS, Optimum, ParamSet, StudyFile, Tuning, TuningPlan, read_space
from arena.play.executors.base import Executor, InlineExecutor, Job
from bots.loader.loading import identify
from engine.registry import find_game

BEST: Final[dict[str, float]] = {"edge": 0.7, "depth": 3}


def chance(params: ParamSet) -> float:
    """Return the true chance to win."""
    return 0.6 - 0.5 * (float(params["edge"]) - BEST["edge"]) ** 2 - 0.015 * (float(params["depth"]) - BEST["depth"]) ** 2


class SimulatedTuning(Tuning):
    """A study whose matches are coin flips."""

    def __init__(self, *parts: Any, seed: int) -> None:
        super().__init__(*parts)
        self._rng = np.random.default_rng(seed)

    def _scores(self, params: ParamSet, numbers: Sequence[int], executor: Executor) -> list[float]:
        self.matches += 2 * len(numbers)
        return [float(self._rng.binomial(2, chance(params))) / 2 for _ in numbers]


def study(seed: int, trials: int, blocks: int, folder: Path) -> tuple[Optimum, int]:
    """Return the optimum that a study finds, and its number of matches."""
    game, bot = find_game("tongiaki"), identify("random")
    plan = TuningPlan(game, bot.name, ("rival",), 2, seed)
    file = StudyFile(folder / f"{seed}.tune", {"seed": seed})
    parts = (file, read_space(["edge=0:1", "depth=1..6"]), plan, bot, {"rival": bot}, Job(game.name, game.options, {}))
    tuning = SimulatedTuning(*parts, seed=seed)
    tuning.play(trials, blocks, InlineExecutor(), lambda _state: None)
    return tuning.optimum(), tuning.matches


def contains(optimum: Optimum) -> bool:
    """Return whether the intervals contain the best values."""
    return all(float(optimum.intervals[name][0]) <= value <= float(optimum.intervals[name][1]) for name, value in BEST.items())


def main() -> None:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--blocks", type=int, default=BLOCKS)
    given = parser.parse_args()
    held, chances, matches = 0, [], []
    with TemporaryDirectory() as folder:
        for seed in range(given.studies):
            optimum, played = study(seed, given.trials, given.blocks, Path(folder))
            held += contains(optimum)
            chances.append(chance(optimum.params))
            matches.append(played)
            words = ", ".join(f"{name} {value} ({optimum.intervals[name][0]} to {optimum.intervals[name][1]})"
                              for name, value in optimum.params.items())  # fmt: skip
            print(f"study {seed}: {words}; wins {chances[-1]:.3f}; {played:,} matches")
    print(
        f"{held} of {given.studies} studies contain the best values; true chance to win {np.mean(chances):.3f} on average, "
        f"{np.quantile(chances, 0.1):.3f} in the worst tenth (0.600 at best); {np.mean(matches):,.0f} matches a study"
    )


if __name__ == "__main__":
    main()
