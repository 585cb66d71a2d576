"""Adjusts the results of blocks for luck, which is used as a control variate with mean zero.

The luck of a match is computed in ``arena.analysis.match_luck``. Here, it is a number for each bot or pair of bots. It is zero on average,
because each outcome of chance is compared with outcomes that have the same distribution, given everything before it. So a result R has the
same mean with and without the adjustment for its luck L: E[R - cL] = E[R] for any coefficient *c* that is independent of the match. The
best coefficient, cov(R, L) / var(L), is estimated from other blocks, with a prior of five imagined blocks at c = 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from leaderboard.statistics.blocks import Blocks, TableBlocks
from leaderboard.statistics.bradley_terry import Strength, pair_shares, strengths
from leaderboard.statistics.columns import Floats, Ints
from leaderboard.statistics.intervals import share, share_less_luck

FOLDS: Final = 10
"""The blocks are divided into this many parts; the coefficient of each part is estimated from the other parts."""
BELIEF: Final = 5
"""The weight, in imagined blocks, of the prior belief that the coefficient of luck is 1 (or less, if luck varies more than results)."""
MOST: Final = 1.5
"""The upper limit of the coefficient; a larger estimate is replaced with it."""


@dataclass(frozen=True, slots=True)
class SeatLuck:
    """What luck in a match added to each seat's share of the win, and to the chance that a seat (row) ends above another (column)."""

    wins: Sequence[float]
    pairs: Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A mean share over blocks, raw and adjusted for luck, each with its interval.

    Without the adjustment, an equally narrow interval would take ``gain`` times as many matches. ``gain`` is None if nothing varies.
    """

    blocks: int
    share: float
    low: float
    high: float
    adjusted: float
    adjusted_low: float
    adjusted_high: float
    gain: float | None


@dataclass(frozen=True, slots=True)
class AdjustedWins:
    """A bot's share of wins in matches of ``players`` seats; a win shared by k seats counts 1/k."""

    bot: str
    players: int
    wins: Adjusted


@dataclass(frozen=True, slots=True)
class AdjustedPair:
    """The share of matches with ``players`` seats in which ``bot`` ended above ``other``; ties count half."""

    bot: str
    other: str
    players: int
    above: Adjusted


@dataclass(frozen=True, slots=True)
class Adjustment:
    """The results of a tournament adjusted for luck. ``without`` is how many matches were not adjusted because their luck is unknown."""

    wins: tuple[AdjustedWins, ...]
    pairs: tuple[AdjustedPair, ...]
    strengths: tuple[Strength, ...]
    without: int


def adjust(blocks: Blocks, ids: Sequence[str], luck: Mapping[str, SeatLuck]) -> Adjustment:
    """Adjust the results of complete blocks of two or more players. ``ids`` has the ids of all matches; ``luck`` has their luck by id."""
    wins: list[AdjustedWins] = []
    pairs: list[AdjustedPair] = []
    tables: list[TableBlocks] = []
    without = 0
    for table in blocks.tables:
        if table.is_solo:
            tables.append(table)
            continue
        known = [[luck.get(ids[match]) for match in row] for row in table.match.tolist()]
        without += sum(each is None for row in known for each in row)
        won, above = _luck_by_bot(table, known)
        wins += _adjusted_wins(blocks.bots, table, won)
        tables.append(replace(table, luck=_taken_off(table, above)))
        pairs += _adjusted_pairs(blocks.bots, tables[-1])
    fitted = strengths(replace(blocks, tables=tuple(tables)))
    wins.sort(key=lambda line: (line.players, line.bot))
    pairs.sort(key=lambda line: (line.players, line.bot, line.other))
    return Adjustment(tuple(wins), tuple(pairs), fitted, without)


def _luck_by_bot(table: TableBlocks, known: Sequence[Sequence[SeatLuck | None]]) -> tuple[Floats, Floats]:
    """Return means over each block's matches: luck in winning (blocks x bots), luck in ending above others (blocks x bots x bots)."""
    size = table.bots.shape[1]
    wins, pairs = np.zeros((len(table), size)), np.zeros((len(table), size, size))
    for block, row in enumerate(known):
        for match, each in enumerate(row):
            if each is not None:
                seats = table.seat[block, match]
                wins[block] += np.asarray(each.wins)[seats]
                pairs[block] += np.asarray(each.pairs)[np.ix_(seats, seats)]
    matches = table.place.shape[1]
    return wins / matches, pairs / matches


def coefficients(results: Floats, luck: Floats, lineups: Ints, fair: float) -> Floats:
    """Return the coefficient of each block (blocks x 1): the share of its luck to subtract.

    The blocks are divided into ``FOLDS`` parts. All blocks of a part have the same coefficient, estimated from the other parts only, so
    the adjustment has mean zero. For the estimate, each result is reduced by the mean of its line-up, in which ``fair`` stands in for
    that result; otherwise, the effect of luck would be underestimated, mainly with few blocks.
    """
    part = np.arange(len(results)) % FOLDS
    learned = np.empty(len(results))
    for fold in range(min(FOLDS, len(results))):
        others = part != fold
        learned[~others] = _coefficient(results[others] - fair, luck[others], lineups[others])
    return learned[:, None]


def _coefficient(results: Floats, luck: Floats, lineups: Ints) -> float:
    squares = float((luck**2).sum())
    if not squares:
        return 1.0
    number = np.bincount(lineups)[lineups][:, None]
    totals = np.stack([np.bincount(lineups, column)[lineups] for column in results.T], axis=1)
    slope = min(1.0, float((results**2).sum()) / squares)  # luck that varies more than results can't be subtracted in full
    seen = float(((results - (totals - results) / number) * luck).sum())  # the imagined block replaces the block itself in the mean
    each = squares / len(luck)
    return min(max((seen + BELIEF * slope * each) / (squares + BELIEF * each), 0.0), MOST)


def _adjusted_wins(bots: Sequence[str], table: TableBlocks, luck: Floats) -> list[AdjustedWins]:
    first = np.asarray(table.place == 1, np.float64)
    won = (first / first.sum(axis=2, keepdims=True)).mean(axis=1)
    less = _less(table, won, luck, 1 / table.players)
    return [
        AdjustedWins(bots[bot], table.players, _compared(won[mine], (won - less)[mine], 1 / table.players))
        for bot in np.unique(table.bots).tolist()
        for mine in (table.bots == bot,)
    ]


def _taken_off(table: TableBlocks, luck: Floats) -> Floats:
    shares = np.stack([each for _, _, each in pair_shares(table)], axis=1)
    one, other = np.array(list(combinations(range(table.bots.shape[1]), 2))).T
    less = _less(table, shares, luck[:, one, other], 0.5)
    taken = np.zeros_like(luck)
    taken[:, one, other] = less
    taken[:, other, one] = -less
    return taken


def _less(table: TableBlocks, results: Floats, luck: Floats, fair: float) -> Floats:
    _, lineups = np.unique(table.bots, axis=0, return_inverse=True)
    return luck * coefficients(results, luck, lineups.ravel(), fair)


def _adjusted_pairs(bots: Sequence[str], table: TableBlocks) -> list[AdjustedPair]:
    raw: dict[tuple[int, int], list[Floats]] = {}
    for (one, other, shares), (_, _, less) in zip(pair_shares(replace(table, luck=None)), pair_shares(table), strict=True):
        first, second = table.bots[:, one], table.bots[:, other]
        for pair in np.unique(np.stack([first, second], axis=1), axis=0).tolist():
            mine = (first == pair[0]) & (second == pair[1])
            raw.setdefault((pair[0], pair[1]), []).append(np.stack([shares[mine], less[mine]]))
    lines = []
    for (one, other), parts in raw.items():
        values, adjusted = np.concatenate(parts, axis=1)
        lines.append(AdjustedPair(bots[one], bots[other], table.players, _compared(values, adjusted, 0.5)))
    return lines


def _compared(values: Floats, adjusted: Floats, prior: float) -> Adjusted:
    """Return the raw and the adjusted share of blocks. If all blocks have the same raw share, both have the raw interval."""
    raw, less = share(values, prior), share_less_luck(adjusted, prior)
    before, after = (float(each.var()) for each in (values, adjusted))
    bounds = less if before else raw
    shares = [raw.value, raw.low, raw.high, less.value, bounds.low, bounds.high]
    value, low, high, middle, least, most = (float("nan") if each is None else each for each in shares)
    return Adjusted(
        len(values), value, low, high, middle, min(least, middle), max(most, middle), before / after if before and after else None
    )
