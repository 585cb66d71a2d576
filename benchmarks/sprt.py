"""Simulates the test of ``arena compare``: how often it errs, how many blocks it takes, and how often its interval is correct.

Block scores are drawn from invented distributions and from the scores of real comparisons of equal bots (``real_scores.json``), which are
tilted to have a given mean. docs/compare.md sums up the tables that ``python -m benchmarks.sprt`` prints.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import exp, sqrt
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

from benchmarks.common import arguments
from leaderboard.ratings.sprt import Hypotheses, SequentialTest, Verdict

REAL = Path(__file__).with_name("real_scores.json")


@dataclass(frozen=True)
class Scores:
    """A distribution of block scores: the values, and the weight of each value."""

    values: tuple[float, ...]
    weights: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean score."""
        return sum(value * weight for value, weight in zip(self.values, self.weights, strict=True)) / sum(self.weights)

    @property
    def deviation(self) -> float:
        """The standard deviation of a score."""
        squares = sum(value * value * weight for value, weight in zip(self.values, self.weights, strict=True)) / sum(self.weights)
        return sqrt(squares - self.mean**2)

    def tilted(self, mean: float) -> Scores:
        """Return the closest distribution with a given mean: every weight is multiplied by exp(t * value)."""
        low, high = -200.0, 200.0
        for _ in range(80):
            tilt = (low + high) / 2
            found = Scores(self.values, tuple(w * exp(tilt * (v - 0.5)) for v, w in zip(self.values, self.weights, strict=True)))
            low, high = (tilt, high) if found.mean < mean else (low, tilt)
        return found


HALVES = (0.0, 0.25, 0.5, 0.75, 1.0)
INVENTED = {
    "one match: half of them ties": Scores((0.0, 0.5, 1.0), (25, 50, 25)),
    "one match: won or lost": Scores((0.0, 1.0), (50, 50)),
    "two matches, as of chess engines": Scores(HALVES, (15, 10, 50, 10, 15)),
    "nineteen ties in twenty": Scores((0.0, 0.5, 1.0), (2.5, 95, 2.5)),
    "skewed: rare defeats": Scores((0.0, 0.75), (1, 2)),
    "skewed: rare wins": Scores((0.25, 1.0), (2, 1)),
    "worst case: a rare win, else ties": Scores((0.5, 1.0), (90, 10)),
    "worst case: a rare defeat": Scores((0.0, 0.55), (10, 90)),
}


def real() -> dict[str, Scores]:
    """Return the distributions of real comparisons of equal bots, made symmetric, as they must be for equal bots."""
    found = {}
    for name, scores in json.loads(REAL.read_text(encoding="utf-8")).items():
        counted = Counter(scores) + Counter(1 - score for score in scores)
        found[name] = Scores(tuple(sorted(counted)), tuple(counted[value] for value in sorted(counted)))
    return found


@dataclass(frozen=True)
class Rates:
    """The results of many tests: the fraction with each verdict, the mean number of blocks, and how often the interval contained the mean.

    ``usual`` is how often the mean was in the usual interval (1.96 standard errors to each side), which ignores why the test stopped.
    """

    better: float
    not_better: float
    blocks: float
    coverage: float
    usual: float


def simulate(scores: Scores, hypotheses: Hypotheses, tests: int, seed: int = 1, *, covered: bool = False) -> Rates:
    """Simulate tests, and return their rates; the interval is checked only if ``covered``, since that takes most of the time."""
    rng = Random(seed)
    limits = list(accumulate(scores.weights))
    verdicts: Counter[Verdict] = Counter()
    blocks = held = usual = 0
    for _ in range(tests):
        test = SequentialTest(hypotheses)
        while not test.is_over:
            test.add(rng.choices(scores.values, cum_weights=limits)[0])
        verdicts[test.verdict] += 1
        blocks += test.blocks
        if covered:
            interval = test.interval()
            held += interval.low <= scores.mean <= interval.high
            usual += abs(test.mean - scores.mean) <= 1.96 * sqrt(test.variance / test.blocks)
    counts = (verdicts[Verdict.BETTER], verdicts[Verdict.NOT_BETTER], blocks, held, usual)
    return Rates(*(count / tests for count in counts))


def table_of_errors(distributions: dict[str, Scores], hypotheses: Hypotheses, tests: int) -> Table:
    """Return the table of error rates and blocks at h0, half-way and h1, for each distribution that can have these means."""
    table = Table(box=None, pad_edge=False, title=f"{hypotheses.h0:g} against {hypotheses.h1:g}, {tests} tests each", title_justify="left")
    table.add_column("block scores")
    for header in ("deviation", "type I", "type II", "blocks at h0", "half-way", "at h1", "interval", "usual"):
        table.add_column(header, justify="right")
    for name, scores in distributions.items():
        means = [hypotheses.h0, (hypotheses.h0 + hypotheses.h1) / 2, hypotheses.h1]
        tilted = [scores.tilted(mean) if min(scores.values) < mean < max(scores.values) else None for mean in means]
        rates = [simulate(each, hypotheses, tests, covered=number == 1) if each else None for number, each in enumerate(tilted)]
        low, middle, high = rates
        cells = [
            f"{scores.deviation:.2f}",
            f"{low.better:.1%}" if low else "-",
            f"{high.not_better:.1%}" if high else "-",
            *(f"{each.blocks:.0f}" if each else "-" for each in rates),
            f"{middle.coverage:.1%}" if middle else "-",
            f"{middle.usual:.1%}" if middle else "-",
        ]
        table.add_row(name, *cells)
    return table


def table_of_effects(distributions: dict[str, Scores], means: Sequence[float], hypotheses: Hypotheses, tests: int) -> Table:
    """Return the table of verdicts and numbers of blocks, depending on how much better NEW really is."""
    table = Table(box=None, pad_edge=False, title="By how much better NEW is: 'better', blocks", title_justify="left")
    table.add_column("block scores")
    for mean in means:
        table.add_column(f"{mean:g}", justify="right")
    for name, scores in distributions.items():
        rates = [simulate(scores.tilted(mean), hypotheses, tests) for mean in means]
        table.add_row(name, *(f"{each.better:.0%}, {each.blocks:.0f}" for each in rates))
    return table


def table_of_choices(title: str, distributions: dict[str, Scores], choices: dict[str, Hypotheses], tests: int) -> Table:
    """Return the table of type I errors and blocks at a mean of one half, for different command-line options."""
    table = Table(box=None, pad_edge=False, title=f"{title}: type I, blocks", title_justify="left")
    table.add_column("block scores")
    for choice in choices:
        table.add_column(choice, justify="right")
    for name, scores in distributions.items():
        rates = [simulate(scores.tilted(0.5), hypotheses, tests) for hypotheses in choices.values()]
        table.add_row(name, *(f"{each.better:.1%}, {each.blocks:.0f}" for each in rates))
    return table


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("--tests", type=int, default=2000, help="tests simulated for each figure")
    given = parser.parse_args()
    out = Console(width=130)
    played = real()
    some = {name: INVENTED[name] for name in ("skewed: rare defeats", "nineteen ties in twenty")}
    some |= {name: played[name] for name in ("greedy, 2 seats", "greedy, 4 seats together")}
    out.print(table_of_errors(INVENTED | played, Hypotheses(max_blocks=5000), given.tests))
    out.print(table_of_effects(played, (0.4, 0.45, 0.5, 0.525, 0.55, 0.6, 0.7, 0.9), Hypotheses(), given.tests))
    rates = {f"{rate:.0%}": Hypotheses(alpha=rate, beta=rate, max_blocks=5000) for rate in (0.01, 0.05, 0.1, 0.2)}
    out.print(table_of_choices("Requested error rates", some, rates, given.tests))
    fewest = {str(number): Hypotheses(alpha=0.2, beta=0.2, min_blocks=number) for number in (1, 5, 10, 20)}
    out.print(table_of_choices("Minimum number of blocks, at 20%", some, fewest, given.tests))


if __name__ == "__main__":
    main()
