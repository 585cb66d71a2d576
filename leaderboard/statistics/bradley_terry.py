"""Computes strengths of bots with a Bradley-Terry fit, and their intervals (docs/ratings.md). The order of results doesn't matter.

A block counts once for each of its bots. Every pair of bots in it is compared with weight 1/(bots - 1), using the share of the block's
matches in which one bot was placed above the other; ties count half.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from engine.core import shared_ranks
from leaderboard.statistics.blocks import Blocks, TableBlocks
from leaderboard.statistics.columns import Floats, Ints
from leaderboard.statistics.intervals import CONFIDENCE

REPLICATES: Final = 2000
SEED: Final = 20_061_204
CENTER: Final = 1500.0
POINTS: Final = 400 / log(10)
"""Points per unit of log-odds; a lead of 400 points means odds of ten to one, as in Elo's system."""
VIRTUAL: Final = 0.5
"""Each bot has this many virtual wins and as many virtual losses: together one tied block, spread over all other bots."""
TOLERANCE: Final = 5e-3
"""A fit to many bots stops when its mean step is at most this, in log-odds. About a tenth of an Elo point of error remains."""
_FEW: Final = 40
"""Up to this number of bots, replicates are fitted together, which takes a tenth of the time; above it, fitting one at a time is faster."""
_NEWTON_STEP: Final = 1e-4
"""The largest size of the last step, in log-odds; its square is about the remaining error."""
_NEWTON_STEPS: Final = 200
_STEPS: Final = 10_000
_SMALLEST: Final = 1e-9
_PIECE: Final = 1000
"""The most distinct block outcomes that are weighted at a time, to limit memory."""
_FITTED: Final = 50
"""The number of replicates whose matrices are created at a time, to limit memory."""
_MOST_IN_DOUBLE: Final = 64
"""With more bots than this, replicates are summed in single precision, which halves memory and moves intervals by less than 0.001."""


@dataclass(frozen=True, slots=True)
class Strength:
    """A bot's strength in Elo points with its interval, and its possible ranks. All are None for a bot without a complete block.

    - ``chance_of_first``: the share of bootstrap replicates in which the bot was the strongest
    - ``group``: the same number for all bots that have beaten each other, directly or through others; how far groups are apart depends
      only on the tied block that each bot is given (``VIRTUAL``)
    - ``without_faults``: the strength in matches without faults; None if no match has a fault, or all of the bot's matches have one
    """

    bot: str
    blocks: int
    rank: int | None = None
    best_rank: int | None = None
    worst_rank: int | None = None
    elo: float | None = None
    low: float | None = None
    high: float | None = None
    chance_of_first: float | None = None
    group: int | None = None
    without_faults: float | None = None


def pair_shares(table: TableBlocks) -> Iterator[tuple[int, int, Floats]]:
    """For each pair of bots in a line-up, yield their columns and, by block, the share of matches in which the first beat the second.

    Ties count half. If the table has ``luck``, it is subtracted, and a share may lie outside 0 to 1.
    """
    for one, other in combinations(range(table.bots.shape[1]), 2):
        first, second = table.place[:, :, one], table.place[:, :, other]
        shares = ((first < second) + 0.5 * (first == second)).mean(axis=1)
        yield one, other, shares if table.luck is None else shares - table.luck[:, one, other]


def comparisons(blocks: Blocks) -> Floats:
    """Return the comparison matrix: wins of each bot (row) over each other (column). A block divides 1 / (players - 1) between a pair."""
    bots = len(blocks.bots)
    matrix = np.zeros(bots * bots)
    for table in blocks.tables:
        weight = 1 / (table.bots.shape[1] - 1) if table.bots.shape[1] > 1 else 0.0
        for one, other, shares in pair_shares(table):
            i, j = table.bots[:, one], table.bots[:, other]
            matrix += weight * np.bincount(i * bots + j, shares, bots * bots)
            matrix += weight * np.bincount(j * bots + i, 1 - shares, bots * bots)
    return matrix.reshape(bots, bots)


def fit(matrix: Floats, start: Floats | None = None, tolerance: float = 1e-8) -> Floats:
    """Return the strengths that maximise the Bradley-Terry likelihood of a comparison matrix, in log-odds with mean 0.

    Off its diagonal, the matrix must have no zeros. Each step computes the stationary distribution of a Markov chain that moves from
    losers to winners, at rates that are higher for weaker bots; the fixed point maximises the likelihood (I-LSR: Maystre and Grossglauser,
    Fast and accurate inference of Plackett-Luce models, 2015). The fit stops when the mean step is at most ``tolerance``. Raises
    ArithmeticError if the fit does not converge.
    """
    theta: Floats = np.zeros(len(matrix)) if start is None else start
    for _ in range(_STEPS):
        odds = np.exp(theta)
        rates = matrix / (odds[:, None] + odds)
        np.fill_diagonal(rates, 0)
        np.fill_diagonal(rates, -rates.sum(axis=0))
        better: Floats = np.log(np.append(np.linalg.solve(rates[:-1, :-1], -rates[:-1, -1]), 1.0))
        better -= better.mean()
        size = np.abs(better - theta).mean()
        theta = better
        if size <= tolerance:
            return theta
    raise ArithmeticError("the fit of the strengths did not converge")


def strengths(
    blocks: Blocks, replicates: int = REPLICATES, seed: int = SEED, *, given: tuple[str, float] | None = None
) -> tuple[Strength, ...]:
    """Return every bot's strength, best first; bots without a complete block come last. The order of the blocks makes no difference.

    The average strength is ``CENTER``, unless the strength of one bot is ``given`` (its name and strength in points).
    """
    counts = _blocks_of_bot(blocks)
    played = np.flatnonzero(counts)
    unplayed = tuple(Strength(bot, 0) for bot, count in zip(blocks.bots, counts, strict=True) if not count)
    if played.size < 2:
        return tuple(Strength(blocks.bots[each], int(counts[each])) for each in played) + unplayed
    matrix = np.maximum(comparisons(blocks)[np.ix_(played, played)], 0)  # with luck subtracted, shares may be negative
    prior = _virtual_ties(len(played))
    theta, weights = _centered(matrix + prior)
    samples = _replicates(blocks, played, prior, theta, replicates, np.random.default_rng(seed))
    samples -= (samples @ weights)[:, None]
    center = CENTER
    if given is not None:
        fixed = [blocks.bots[each] for each in played].index(given[0])
        theta, samples, center = theta - theta[fixed], samples - samples[:, [fixed]], given[1]
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(samples, (tail, 1 - tail), axis=0)
    best, worst = rank_bounds(samples)
    first = np.bincount(samples.argmax(axis=1), minlength=len(played)) / replicates
    groups = beat_each_other(matrix)
    ranks = shared_ranks([(round(value * 1e6),) for value in theta])
    without_faults = _without_faults(blocks)
    fitted = [
        Strength(
            bot=blocks.bots[each],
            blocks=int(counts[each]),
            rank=ranks[place],
            best_rank=min(int(best[place]), ranks[place]),
            worst_rank=max(int(worst[place]), ranks[place]),
            elo=_points(theta[place], center),
            low=_points(min(low[place], theta[place]), center),
            high=_points(max(high[place], theta[place]), center),
            chance_of_first=float(first[place]),
            group=int(groups[place]),
            without_faults=without_faults.get(int(each)),
        )
        for place, each in enumerate(played)
    ]
    return tuple(sorted(fitted, key=lambda line: (line.rank, line.bot))) + unplayed


def _virtual_ties(bots: int) -> Floats:
    return (1 - np.eye(bots)) * VIRTUAL / (bots - 1)


def _centered(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the strengths fitted to a comparison matrix, with a weighted average of 0, and the weights."""
    theta = fit(matrix)
    weights = _information(matrix, theta)
    return theta - theta @ weights, weights


def _without_faults(blocks: Blocks) -> dict[int, float]:
    """Return the strengths in matches without faults, by bot, or nothing if there are no faults. Each match counts as its share of a block.

    All solo matches count, because a fault in solo play does not affect other bots.
    """
    if not any(table.forfeit.any() for table in blocks.tables if not table.is_solo):
        return {}
    matrix = np.zeros((len(blocks.bots), len(blocks.bots)))
    for table in blocks.tables:
        kept = ~table.forfeit.any(axis=2) | table.is_solo
        bots = np.repeat(table.bots, kept.shape[1], axis=0)[kept.ravel()]
        matches = replace(table, bots=bots, place=table.place[kept][:, None], luck=None)
        matrix += comparisons(replace(blocks, tables=(matches,))) / kept.shape[1]
    there = np.flatnonzero(matrix.any(axis=0) | matrix.any(axis=1))
    if there.size < 2:
        return {}
    theta, _ = _centered(matrix[np.ix_(there, there)] + _virtual_ties(len(there)))
    return {int(bot): _points(each) for bot, each in zip(there, theta, strict=True)}


def _points(log_odds: float, center: float = CENTER) -> float:
    return center + POINTS * float(log_odds)


def _blocks_of_bot(blocks: Blocks) -> Ints:
    counts = np.zeros(len(blocks.bots), np.int64)
    for table in blocks.tables:
        if table.bots.shape[1] > 1:
            counts += np.bincount(table.bots.ravel(), minlength=len(blocks.bots))
    return counts


def _information(matrix: Floats, theta: Floats) -> Floats:
    """Return how much information the results give about each bot, normalised to 1 (the diagonal of the Fisher information matrix).

    These weights define the average at the centre of the scale, so that a bot whose strength is uncertain because it is far from all others
    doesn't widen every interval.
    """
    chance = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
    information = ((matrix + matrix.T) * chance * (1 - chance)).sum(axis=1)
    return np.asarray(information / information.sum(), np.float64)


def _replicates(blocks: Blocks, played: Ints, prior: Floats, theta: Floats, replicates: int, rng: np.random.Generator) -> Floats:
    """Return the strengths fitted to Bayesian bootstraps of the blocks (replicates x bots), in log-odds."""
    size = len(played)
    sums = _bootstraps(blocks, played, prior, replicates, rng)
    fits = np.empty((replicates, size))
    for begin in range(0, replicates, _FITTED):
        matrices = np.ascontiguousarray(sums[:, begin : begin + _FITTED].T, np.float64).reshape(-1, size, size)
        if size <= _FEW:
            fits[begin : begin + _FITTED] = _fit_together(matrices, theta)
        else:
            fits[begin : begin + _FITTED] = [fit(matrix, theta, TOLERANCE) for matrix in matrices]
    return fits


def _fit_together(matrices: Floats, start: Floats) -> Floats:
    """Return the strengths fitted to several matrices (fits x bots), using Newton's method with steps of at most 1."""
    games = matrices + matrices.transpose(0, 2, 1)
    thetas = np.repeat(start[None], len(matrices), axis=0)
    bots = np.arange(len(start))
    left = np.arange(len(matrices))
    for _ in range(_NEWTON_STEPS):
        if not left.size:
            break
        theta = thetas[left]
        chance = 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))
        weight = games[left] * chance * (1 - chance)
        information = 1 / len(bots) - weight  # the constant fixes the mean, about which games give no information
        information[:, bots, bots] += weight.sum(axis=2)
        gradient = (matrices[left] - games[left] * chance).sum(axis=2)
        step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        largest = np.abs(step).max(axis=1)
        thetas[left] = theta + step / np.maximum(largest, 1)[:, None]
        left = left[largest > _NEWTON_STEP]
    for each in left:
        thetas[each] = fit(matrices[each], thetas[each])
    return thetas


def _bootstraps(blocks: Blocks, played: Ints, prior: Floats, replicates: int, rng: np.random.Generator) -> NDArray[np.floating]:
    """Return the comparison matrices of Bayesian bootstraps of the blocks (cells x replicates), for the bots in ``played``.

    Each block has a random weight (exponential), so blocks with the same outcome together have a gamma-distributed weight. The virtual ties
    of ``prior`` are also weighted; otherwise the strength of a bot that has won everything would have no uncertainty.
    """
    size = len(played)
    place = np.full(len(blocks.bots), -1)
    place[played] = np.arange(size)
    sums = np.zeros((size * size, replicates), np.float64 if size <= _MOST_IN_DOUBLE else np.float32)
    for table in blocks.tables:
        if table.bots.shape[1] > 1:
            _add_weighted(sums, table, place, size, rng)
    for bot in range(size):
        row = sums[bot * size : (bot + 1) * size]
        row += rng.standard_gamma(prior[bot, :, None], row.shape)
        np.maximum(row, _SMALLEST, out=row)
        row[bot] = 0
    return sums


def _add_weighted(sums: NDArray[np.floating], table: TableBlocks, place: Ints, size: int, rng: np.random.Generator) -> None:
    """Add the blocks, with random weights, to the comparison matrices ``sums`` (cells x replicates)."""
    columns = table.bots.shape[1]
    shares = np.stack([each for _, _, each in pair_shares(table)], axis=1)
    one, other = np.array(list(combinations(range(columns), 2))).T
    for lineups, bounds, outcomes, counts in _outcomes(table.bots, shares):
        weights = rng.standard_gamma(counts[:, None], (len(counts), sums.shape[1])) / (columns - 1)
        bots = place[lineups]
        wins, losses = bots[:, one] * size + bots[:, other], bots[:, other] * size + bots[:, one]
        for lineup, (begin, end) in enumerate(pairwise(bounds)):
            mine = weights[begin:end]
            won = outcomes[begin:end].T @ mine
            sums[wins[lineup]] += won
            sums[losses[lineup]] += mine.sum(axis=0) - won


def _outcomes(bots: Ints, shares: Floats) -> Iterator[tuple[Ints, list[int], Floats, Floats]]:
    """Yield the distinct outcomes of line-ups in batches, in a fixed order.

    A batch consists of the line-ups (line-ups x bots), the bounds of each line-up's outcomes, the outcomes (outcomes x pairs), and the
    number of blocks with each outcome.
    """
    order = np.lexsort((*shares.T[::-1], *bots.T[::-1]))
    bots, shares = bots[order], shares[order]
    is_new = np.ones(len(bots), bool)
    is_new[1:] = (bots[1:] != bots[:-1]).any(axis=1)
    is_other = is_new.copy()
    is_other[1:] |= (shares[1:] != shares[:-1]).any(axis=1)
    first = np.flatnonzero(is_other)
    counts = np.diff(np.append(first, len(bots))).astype(np.float64)
    starts = np.flatnonzero(is_new[first])
    for begin in range(0, len(first), _PIECE):
        end = min(begin + _PIECE, len(first))
        # a line-up may continue from the previous batch
        inside = starts[(starts > begin) & (starts < end)].tolist()
        bounds = [begin, *inside, end]
        yield bots[first[bounds[:-1]]], [each - begin for each in bounds], shares[first[begin:end]], counts[begin:end]


def rank_bounds(samples: Floats) -> tuple[Ints, Ints]:
    """Return the best and the worst possible rank of each bot, given sampled strengths (samples x bots).

    For each bot, the other bots' leads over it get intervals that hold simultaneously in 95% of the samples (Besag and others 1995).
    Where an interval lies above 0, the other bot certainly ranks higher; where it lies below 0, lower (Mogstad and others 2024).
    Plain quantiles of the sampled ranks would be too narrow for bots of equal strength.
    """
    number, size = samples.shape
    strengths = np.ascontiguousarray(samples.T)
    reach = np.zeros((size, number), np.int64)
    below, not_above = np.zeros((size, size), np.int64), np.zeros((size, size), np.int64)
    """In how many samples the column's bot is below the row's bot, and in how many it is not above the row's bot."""
    for bot in range(size):
        differences = strengths - strengths[bot]
        below[bot], not_above[bot] = (differences < 0).sum(axis=1), (differences <= 0).sum(axis=1)
        # for the other bot, the differences have the same positions, counted from the other end
        later = differences[bot + 1 :]
        positions = np.empty(later.shape, np.int64)
        np.put_along_axis(positions, later.argsort(axis=1), np.arange(1, number + 1)[None, :], axis=1)
        reached = np.maximum(positions, number + 1 - positions)
        reach[bot + 1 :] = np.maximum(reach[bot + 1 :], reached)
        reach[bot] = np.maximum(reach[bot], reached.max(axis=0, initial=0))
    edge = np.quantile(reach, CONFIDENCE, axis=1, method="higher")[:, None]
    others = ~np.eye(size, dtype=bool)
    # the sorted difference at position ``number - edge`` is above 0, or the one at ``edge - 1`` is below 0
    best = 1 + ((not_above <= number - edge) & others).sum(axis=1)
    worst = size - ((below >= edge) & others).sum(axis=1)
    return best, worst


def beat_each_other(matrix: Floats) -> Ints:
    """Return the index of each bot's group. In a group, every bot has beaten every other, directly or through others (ties count)."""
    _, groups = csgraph.connected_components(matrix > 0, directed=True, connection="strong")
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(int(group), len(numbers)) for group in groups], np.int64)
