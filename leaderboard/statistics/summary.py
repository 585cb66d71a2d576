"""Statistics of bots and seats, computed from columns and blocks of results (for strengths, see ``leaderboard.statistics.bradley_terry``).

Comparisons use only complete blocks, in which every bot has sat in every seat; resource usage and faults cover every match.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isnan
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leaderboard.statistics.blocks import Blocks, TableBlocks
from leaderboard.statistics.bradley_terry import pair_shares
from leaderboard.statistics.columns import FAULTS, Floats, Results
from leaderboard.statistics.intervals import evenness, mean, share, share_intervals


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """The record of two bots in the same matches. The bot that was above the other in more of a block's matches wins the block.

    ``share`` is the share of a block's matches in which ``bot`` was above ``other`` (ties count half), averaged over blocks.
    """

    bot: str
    other: str
    blocks: int
    blocks_won: int
    blocks_tied: int
    blocks_lost: int
    matches: int
    won: int
    tied: int
    lost: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SeatAdvantage:
    """The share of wins and the mean score of ``seat`` (from 0) in matches of ``players`` seats; a win shared by k seats counts 1/k.

    ``p_value`` tests "all seats win equally often", so it is the same for all seats; it is None with too few blocks (line-ups of bots).
    """

    players: int
    seat: int
    blocks: int
    matches: int
    win_share: float | None
    low: float | None
    high: float | None
    mean_score: float | None
    score_low: float | None
    score_high: float | None
    p_value: float | None


@dataclass(frozen=True, slots=True)
class WinShare:
    """A bot's share of wins in matches of ``players`` seats, where 1/``players`` is average; a win shared by k seats counts 1/k."""

    bot: str
    players: int
    blocks: int
    matches: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Usage:
    """A bot's use of time and memory. Times are in seconds per decision, with quantiles over the matches' means. Memory is in bytes."""

    bot: str
    matches: int
    decisions: int
    decisions_per_match: float | None
    seconds: float | None
    seconds_p50: float | None
    seconds_p95: float | None
    cpu_seconds: float | None
    memory_p50: float | None
    memory_peak: float | None


@dataclass(frozen=True, slots=True)
class Faults:
    """How often a bot forfeited, in total and by kind of fault."""

    bot: str
    matches: int
    forfeits: int
    kinds: dict[str, int]


@dataclass(frozen=True, slots=True)
class Ties:
    """How many pairs of neighbours there are in the rankings of matches, and how many tied (a guide for ``draw_probability``)."""

    neighbours: int
    tied: int


_COUNTS: Final = ("blocks", "blocks_won", "blocks_tied", "blocks_lost", "matches", "won", "tied", "lost")


def head_to_head(blocks: Blocks) -> tuple[HeadToHead, ...]:
    """Return the record of every pair of bots that met in a complete block, sorted by name."""
    bots = len(blocks.bots)
    cells = bots * bots
    counts, total, squares = np.zeros((len(_COUNTS), cells)), np.zeros(cells), np.zeros(cells)
    for table in blocks.tables:
        for one, other, shares in pair_shares(table):
            pair = table.bots[:, one] * bots + table.bots[:, other]
            first, second = table.place[:, :, one], table.place[:, :, other]
            won, tied, lost = (each.sum(axis=1) for each in (first < second, first == second, first > second))
            facts = (np.ones(len(table)), shares > 0.5, shares == 0.5, shares < 0.5, won + tied + lost, won, tied, lost)
            counts += np.stack([np.bincount(pair, fact, cells) for fact in facts])
            total += np.bincount(pair, shares, cells)
            squares += np.bincount(pair, shares**2, cells)
    met = np.flatnonzero(counts[0])
    low, high = share_intervals(counts[0, met], total[met], squares[met])
    records = [
        HeadToHead(
            blocks.bots[pair // bots],
            blocks.bots[pair % bots],
            **dict(zip(_COUNTS, counts[:, pair].astype(int).tolist(), strict=True)),
            share=float(total[pair] / counts[0, pair]),
            low=float(low[place]),
            high=float(high[place]),
        )
        for place, pair in enumerate(met.tolist())
    ]
    return tuple(sorted(records, key=lambda line: (line.bot, line.other)))


def reversed_pair(line: HeadToHead) -> HeadToHead:
    """Return the same record from the other bot's point of view."""
    return replace(
        line,
        bot=line.other,
        other=line.bot,
        blocks_won=line.blocks_lost,
        blocks_lost=line.blocks_won,
        won=line.lost,
        lost=line.won,
        share=1 - line.share,
        low=1 - line.high,
        high=1 - line.low,
    )


def seat_advantage(blocks: Blocks) -> tuple[SeatAdvantage, ...]:
    """Return the advantage of each seat for each number of players, except solo play."""
    lines = []
    for table in blocks.tables:
        if table.is_solo:
            continue
        wins, scores = _by_seat(table)
        p_value = evenness(wins)
        for seat in range(table.players):
            won = share(wins[:, seat], prior=1 / table.players)
            score = mean(scores[:, seat][~np.isnan(scores[:, seat])])
            numbers = (len(table), len(table) * table.place.shape[1])
            bounds = (won.value, won.low, won.high, score.value, score.low, score.high)
            lines.append(SeatAdvantage(table.players, seat, *numbers, *bounds, p_value))
    return tuple(lines)


def _by_seat(table: TableBlocks) -> tuple[Floats, Floats]:
    """Return the share of wins and the mean score of each block and seat; the score is NaN if a substitute had the seat in every match."""
    wins = _in_order_of_seats(table, _shares_of_wins(table)).mean(axis=1)
    scores = _in_order_of_seats(table, np.where(table.forfeit, np.nan, table.score))
    present = ~np.isnan(scores)
    number = present.sum(axis=1)
    means = np.where(present, scores, 0).sum(axis=1) / np.where(number, number, 1)
    return wins, np.where(number, means, np.nan)


def _shares_of_wins(table: TableBlocks) -> Floats:
    """Return each bot's share of the win in each match; it is less than 1 if first place was shared."""
    first = np.asarray(table.place == 1, np.float64)
    first /= first.sum(axis=2, keepdims=True)
    return first


def _in_order_of_seats(table: TableBlocks, values: Floats) -> Floats:
    ordered = np.empty(values.shape)
    np.put_along_axis(ordered, table.seat, values, axis=2)
    return ordered


def win_shares(blocks: Blocks) -> tuple[WinShare, ...]:
    """Return every bot's share of wins for each number of players except 1, sorted by that number and name."""
    lines = []
    for table in blocks.tables:
        if table.is_solo:
            continue
        won = _shares_of_wins(table).mean(axis=1)
        for bot, columns in _columns_of_bots(table):
            each = share(won[columns], prior=1 / table.players)
            assert each.value is not None and each.low is not None and each.high is not None, "it has a block"  # noqa: PT018
            number = int(columns.sum())
            lines.append(WinShare(blocks.bots[bot], table.players, number, number * table.place.shape[1], each.value, each.low, each.high))
    return tuple(sorted(lines, key=lambda line: (line.players, line.bot)))


def _columns_of_bots(table: TableBlocks) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    for bot in np.unique(table.bots).tolist():
        yield bot, table.bots == bot


def usage(results: Results) -> tuple[Usage, ...]:
    """Return the decisions, time and memory of every bot over all its matches, sorted by name."""
    lines = []
    for bot, name in enumerate(results.bots):
        mine = results.bot == bot
        decisions, seconds = results.decisions[mine], results.seconds[mine]
        memory = results.memory[mine]
        memory = memory[~np.isnan(memory)]
        asked = decisions > 0
        rates = seconds[asked] / decisions[asked]
        total = int(decisions.sum())
        lines.append(
            Usage(
                bot=name,
                matches=int(mine.sum()),
                decisions=total,
                decisions_per_match=total / len(decisions) if len(decisions) else None,
                seconds=float(seconds.sum()) / total if total else None,
                seconds_p50=_quantile(rates, 0.5),
                seconds_p95=_quantile(rates, 0.95),
                cpu_seconds=float(results.cpu_seconds[mine].sum()) / total if total else None,
                memory_p50=_quantile(memory, 0.5),
                memory_peak=_quantile(memory, 1),
            )
        )
    return tuple(sorted(lines, key=lambda line: line.bot))


def _quantile(values: Floats, at: float) -> float | None:
    value = float(np.quantile(values, at)) if values.size else float("nan")
    return None if isnan(value) else value


def faults(results: Results) -> tuple[Faults, ...]:
    """Return the faults of every bot over all its matches, sorted by name."""
    lines = []
    for bot, name in enumerate(results.bots):
        codes = results.fault[results.bot == bot]
        counts = np.bincount(codes[codes >= 0], minlength=len(FAULTS)).tolist()
        lines.append(Faults(name, len(codes), sum(counts), {kind.value: count for kind, count in zip(FAULTS, counts, strict=True)}))
    return tuple(sorted(lines, key=lambda line: line.bot))


def ties(blocks: Blocks) -> Ties:
    """Return how many pairs of neighbours in the rankings of matches were tied, in complete blocks."""
    neighbours = tied = 0
    for table in blocks.tables:
        ordered = np.sort(table.place, axis=2)
        same = ordered[:, :, 1:] == ordered[:, :, :-1]
        neighbours += same.size
        tied += int(same.sum())
    return Ties(neighbours, tied)
