"""Measures how much the luck adjustment gains and whether adjusted results are reliable, with simulations and reference bots' matches.

``python -m benchmarks.adjusted`` prints the tables of docs/ratings.md. ``--play`` plays the matches again, which takes about an hour, and
writes the score and the luck of each block of a comparison of twins to ``adjusted_scores.json``. Without it, the stored blocks are used.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erf, sqrt
from pathlib import Path
from random import Random
from time import process_time

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from arena.analysis.compare import make_comparison_plan
from arena.analysis.match_luck import foresight_of, luck_of
from arena.play.executors.base import InlineExecutor, Job
from benchmarks.common import arguments
from bots.loader.loading import resolve
from engine.records import MatchResult
from engine.registry import find_game
from engine.replay.format import read_replay
from leaderboard.ratings.sprt import Hypotheses, RunningAdjustment, SequentialTest, Verdict
from leaderboard.statistics.adjustment import coefficients
from leaderboard.statistics.intervals import share, share_less_luck

Floats = NDArray[np.float64]

STORED = Path(__file__).with_name("adjusted_scores.json")
LENGTH = 24
"""The number of steps of the simulated match."""
PULL = 0.3
"""How far one step moves the simulated match."""


@dataclass(frozen=True)
class Tables:
    """Matches to play between twins (copies of a bot): the game, its options, the bot, and the numbers of seats and blocks."""

    game: str
    options: dict[str, int | str]
    bot: str
    players: int
    blocks: int

    @property
    def name(self) -> str:
        """The name in the printed tables."""
        options = "".join(f" {key}={value}" for key, value in self.options.items())
        return f"{self.game}{options}, {self.players} seats, {self.bot}"


PLAYED = (
    Tables("tongiaki", {}, "expert", 2, 400),
    Tables("tongiaki", {}, "learned", 2, 300),
    Tables("tongiaki", {}, "expert", 4, 80),
    Tables("tongiaki", {}, "learned", 4, 60),
    Tables("sunda", {"level": 4}, "expert", 2, 80),
    Tables("sunda", {"level": 4}, "learned", 2, 80),
    Tables("sunda", {"level": 2, "mode": "simultaneous"}, "expert", 2, 150),
)


def play(tables: Tables, seed: int = 77) -> dict[str, object]:
    """Play blocks of twins; return their scores, their luck, and the CPU seconds for playing a match and for computing its luck."""
    game = find_game(tables.game, tables.options)
    plan = make_comparison_plan(game, "one", "two", ["other"] * (tables.players > 2), seed=seed, players=tables.players)
    bot = resolve(tables.bot)
    job = Job(game.name, game.options, dict.fromkeys((plan.new, plan.old, *plan.field), bot))
    foresight = foresight_of(game)
    scores, lucks = [], []
    begun = process_time()
    spent = 0.0
    for number in range(tables.blocks):
        results = [each for batch in InlineExecutor().run(job, iter(plan.block(number))) for each in batch if isinstance(each, MatchResult)]
        results.sort(key=lambda each: each.ticket.rotation)
        before = process_time()
        luck = [luck_of(read_replay(each.replay), each.replay.digest, foresight) for each in results]
        spent += process_time() - before
        scores.append(plan.score(results))
        lucks.append(round(plan.luck(results, luck), 9))
    matches = tables.blocks * plan.matches_in_block
    times = {"playing": round((process_time() - begun - spent) / matches, 3), "luck": round(spent / matches, 3)}
    return {"value": foresight.version, "matches": matches, "seconds": times, "scores": scores, "luck": lucks}


def made_up(blocks: int, value: str, rng: np.random.Generator, skill: float = 0.0) -> tuple[Floats, Floats, float]:
    """Simulate blocks of a match that is a random walk of ``LENGTH`` steps.

    Return the scores and the luck of the blocks, and the true mean score.

    Half of each step is chance, and half is a random decision of the bots; ``skill`` pulls the walk up. The value function is ``good``
    (nearly the chance of ending above zero), ``rough`` (inaccurate, and only at every third step), ``wrong`` (good, but with the opposite
    sign) or ``noise`` (unrelated to the match).
    """
    shape = (blocks, 2, LENGTH)
    chance, choice = rng.choice((-PULL, PULL), shape), rng.normal(skill, PULL, shape)
    where = np.cumsum(chance + choice, axis=2)
    before = np.concatenate([np.zeros((blocks, 2, 1)), where[:, :, :-1]], axis=2) + choice
    left = np.sqrt(2 * PULL**2 * np.arange(LENGTH - 1, -1, -1) + 0.01)
    luck = np.zeros((blocks, 2))
    for step in range(LENGTH):
        if value == "rough" and step % 3:
            continue
        at = [before[:, :, step] + move for move in (-PULL, PULL)]
        values = [_value(each, float(left[step]), value, step) for each in at]
        happened = np.where(chance[:, :, step] > 0, values[1], values[0])
        luck += happened - (values[0] + values[1]) / 2
    scores = (where[:, :, -1] > 0) + 0.5 * (where[:, :, -1] == 0)
    return scores.mean(axis=1), luck.mean(axis=1), _true_mean(skill)


def _value(where: Floats, left: float, kind: str, step: int) -> Floats:
    steep = {"good": 1.7 / left, "rough": 0.5, "wrong": -1.7 / left, "noise": 37.0 + step}[kind]
    return np.asarray(1 / (1 + np.exp(-steep * where)) if kind != "noise" else 0.5 + 0.5 * np.sin(steep * where), np.float64)


def _true_mean(skill: float) -> float:
    chances = (comb(LENGTH, ups) / 2**LENGTH for ups in range(LENGTH + 1))
    ends = ((2 * ups - LENGTH) * PULL + LENGTH * skill for ups in range(LENGTH + 1))
    return math.fsum(chance * (1 + erf(end / (PULL * sqrt(2 * LENGTH)))) / 2 for chance, end in zip(chances, ends, strict=True))


@dataclass(frozen=True)
class Kept:
    """For many tournaments: the mean error of estimates in standard errors, how often intervals contained the truth, and the gain.

    ``width`` is the median width of an interval, relative to the unadjusted interval; only one in twenty is wider than ``widest``.
    """

    bias: float
    coverage: float
    gain: float
    width: float
    widest: float


def simulate(value: str, blocks: int, tournaments: int, skill: float, seed: int = 1) -> Kept:
    """Simulate many tournaments of ``blocks`` blocks each, and estimate the mean score from each tournament."""
    rng = np.random.default_rng(seed)
    estimates, held, gains, widths = [], 0, [], []
    truth = 0.0
    for _ in range(tournaments):
        scores, luck, truth = made_up(blocks, value, rng, skill)
        found = share_less_luck(adjusted(scores, luck))
        assert found.value is not None and found.low is not None and found.high is not None, "it has blocks"  # noqa: PT018
        estimates.append(found.value)
        held += found.low <= truth <= found.high
        raw = share(scores)
        assert raw.low is not None and raw.high is not None, "it has blocks"  # noqa: PT018
        widths.append((found.high - found.low) / (raw.high - raw.low))
        if less_varies := adjusted(scores, luck).var():
            gains.append(scores.var() / less_varies)
    error = float(np.std(estimates)) / tournaments**0.5
    bias = (float(np.mean(estimates)) - truth) / error
    return Kept(bias, held / tournaments, float(np.median(gains)), *map(float, np.quantile(widths, (0.5, 0.95))))


def simulate_lineups(bots: int, blocks: int, tournaments: int, skill: float = 0.1, seed: int = 1) -> tuple[float, float, float]:
    """Simulate round-robins in which each pair of bots plays ``blocks`` blocks of two matches, and luck is known exactly.

    Return the mean coefficient (which should be 1), the gain, and the largest possible gain.
    """
    rng = np.random.default_rng(seed)
    one, other = np.triu_indices(bots, 1)
    lineup = np.repeat(np.arange(len(one)), blocks)
    learned, left = [], np.zeros(3)
    for _ in range(tournaments):
        strength = rng.normal(0, skill, bots)
        fair = np.clip(0.5 + strength[one] - strength[other], 0.1, 0.9)[lineup, None]
        swing = np.minimum(0.35, np.minimum(fair, 1 - fair)) * rng.choice((-1, 1), (len(lineup), 2))
        results, luck = (rng.random(swing.shape) < fair + swing).mean(axis=1), swing.mean(axis=1)
        coefficient = coefficients(results[:, None], luck[:, None], lineup, 0.5)[:, 0]
        learned.append(coefficient.mean())
        left += [(((results - fair[:, 0]) - each * luck) ** 2).sum() for each in (np.zeros(1), coefficient, np.ones(1))]
    return float(np.mean(learned)), left[0] / left[1], left[0] / left[2]


def adjusted(scores: Floats, luck: Floats) -> Floats:
    """Return scores minus their luck, as computed by ``arena stats``."""
    columns = scores[:, None], luck[:, None]
    return np.asarray(scores - (luck[:, None] * coefficients(*columns, np.zeros(len(scores), np.int64), 0.5))[:, 0], np.float64)


def errors(
    scores: Sequence[float], luck: Sequence[float], shift: float, tests: int, *, less: bool, seed: int = 1
) -> tuple[float, float, float]:
    """Return how often the test's verdict is "better", after how many blocks, and how often its interval contained 0.5 + ``shift``.

    Blocks are drawn from the blocks that were played, with the twins swapped or not, and shifted so that the bot wins a little more often.
    """
    rng = Random(seed)
    pairs = list(zip(scores, luck, strict=True))
    better = blocks = held = 0
    for _ in range(tests):
        test = SequentialTest(Hypotheses(max_blocks=2000), -1.0, 2.0) if less else SequentialTest(Hypotheses(max_blocks=2000))
        adjustment = RunningAdjustment()
        while not test.is_over:
            score, lucky = rng.choice(pairs)
            if rng.random() < 0.5:
                score, lucky = 1 - score, -lucky
            if rng.random() < 2 * shift:  # mean 0.5, so that a win instead is worth a half
                score = 1.0
            if less:
                test.add(adjustment.adjusted(score, lucky), score)
            else:
                test.add(score)
        better += test.verdict is Verdict.BETTER
        blocks += test.blocks
        interval = test.interval()
        held += interval.low <= 0.5 + shift <= interval.high
    return better / tests, blocks / tests, held / tests


def table_of_simulations(tournaments: int) -> Table:
    """Return the table of estimates in the simulated match, for each value function and number of blocks."""
    table = Table(
        box=None, pad_edge=False, title=f"A simulated match with known shares, {tournaments} tournaments each", title_justify="left"
    )
    for header in ("value function", "skill", "blocks", "bias in s.e.", "interval holds", "gain", "width", "widest of 20"):
        table.add_column(header, justify="left" if header == "value function" else "right")
    for value in ("good", "rough", "wrong", "noise"):
        for skill in (0.0, 0.05):
            for blocks in (3, 10, 20, 100):
                kept = simulate(value, blocks, tournaments, skill)
                figures = f"{kept.bias:+.1f}", f"{kept.coverage:.1%}", f"{kept.gain:.2f}x", f"{kept.width:.2f}", f"{kept.widest:.2f}"
                table.add_row(value, f"{skill:g}", str(blocks), *figures)
    return table


def table_of_lineups(tournaments: int) -> Table:
    """Return the table of coefficients and gains in tournaments with many line-ups."""
    table = Table(box=None, pad_edge=False, title="Round-robins in which luck is known exactly", title_justify="left")
    for header in ("bots", "line-ups", "blocks of each", "coefficient", "gain", "possible"):
        table.add_column(header, justify="right")
    for bots, blocks in ((12, 1), (12, 2), (12, 10), (4, 1), (2, 10), (2, 100)):
        learned, gain, possible = simulate_lineups(bots, blocks, tournaments)
        table.add_row(str(bots), str(comb(bots, 2)), str(blocks), f"{learned:.2f}", f"{gain:.2f}x", f"{possible:.2f}x")
    return table


def table_of_gains(played: dict[str, dict[str, object]]) -> Table:
    """Return the table of gains: how many times more matches twins would need without the adjustment, with 95% bootstrap intervals."""
    table = Table(box=None, pad_edge=False, title="Twins of the reference bots", title_justify="left")
    for header in ("tables", "matches", "mean luck / s.e.", "gain", "95%", "CPU s playing", "CPU s luck"):
        table.add_column(header, justify="left" if header == "tables" else "right")
    rng = np.random.default_rng(1)
    for name, each in played.items():
        scores, luck = np.array(each["scores"], float), np.array(each["luck"], float)
        if not luck.any():
            table.add_row(name, str(each["matches"]), "no chance")
            continue
        less = adjusted(scores, luck)
        draws = rng.integers(0, len(scores), (2000, len(scores)))
        gains = ((scores[draws] - 0.5) ** 2).mean(axis=1) / ((less[draws] - 0.5) ** 2).mean(axis=1)
        error = luck.std() / len(luck) ** 0.5
        times = each["seconds"]
        assert isinstance(times, dict), "it was stored so"
        table.add_row(
            *(name, str(each["matches"]), f"{luck.mean() / error:+.1f}" if error else "none"),
            f"{((scores - 0.5) ** 2).mean() / ((less - 0.5) ** 2).mean():.2f}x",
            f"{np.quantile(gains, 0.025):.2f} to {np.quantile(gains, 0.975):.2f}",
            *(f"{times['playing']:.2f}", f"{times['luck']:.2f}"),
        )
    return table


def table_of_errors(played: dict[str, dict[str, object]], tests: int) -> Table:
    """Return the table of error rates and blocks of ``arena compare`` with and without the adjustment, from the blocks that were played."""
    table = Table(box=None, pad_edge=False, title=f"0.5 against 0.55, {tests} tests each: adjusted, unadjusted", title_justify="left")
    for header in ("tables", "type I", "type II", "blocks at h0", "interval", "type I", "type II", "blocks at h0", "interval"):
        table.add_column(header, justify="left" if header == "tables" else "right")
    for name, each in played.items():
        scores, luck = each["scores"], each["luck"]
        assert isinstance(scores, list) and isinstance(luck, list), "they were stored so"  # noqa: PT018
        if len(scores) < 30:
            continue
        cells = []
        for less in (False, True):
            wrong, blocks, _ = errors(scores, luck, 0.0, tests, less=less)
            right, _, held = errors(scores, luck, 0.05, tests, less=less)
            cells += [f"{wrong:.1%}", f"{1 - right:.1%}", f"{blocks:.0f}", f"{held:.1%}"]
        table.add_row(name, *cells)
    return table


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("--play", action="store_true", help="play the matches again")
    parser.add_argument("--only", default="", help="play only the table sizes whose name contains this")
    parser.add_argument("--tournaments", type=int, default=1000, help="tournaments simulated for each figure")
    parser.add_argument("--tests", type=int, default=500, help="tests simulated for each figure")
    given = parser.parse_args()
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    for tables in PLAYED:
        if given.play and given.only in tables.name:
            stored[tables.name] = play(tables)
            lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in stored.items())
            STORED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    out = Console(width=150)
    out.print(table_of_simulations(given.tournaments))
    out.print(table_of_lineups(given.tournaments))
    out.print(table_of_gains(stored))
    out.print(table_of_errors(stored, given.tests))


if __name__ == "__main__":
    main()
