"""Sorting results into blocks. A block is one line-up in all its seatings, the unit of all statistics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from leaderboard.statistics.columns import Floats, Ints, Results


@dataclass(frozen=True, slots=True)
class TableBlocks:
    """The complete blocks at tables of one size, ordered by key.

    ``bots`` has the line-ups, blocks x bots, each sorted. The other arrays are blocks x matches x bots, with the bots as in ``bots``:
    ``place`` 1 is the best, and ties share the better place; ``forfeit`` is true where a bot was replaced. In solo play, where each bot
    plays the same seed alone, a block is one event of all bots, placed by their scores with forfeits last: ``players`` is 1, and the block
    has one "match" of all the tournament's bots. ``match`` has the matches by their index in the results, blocks x matches (solo: of the
    first bot); ``luck``, blocks x bots x bots, is subtracted from the share of matches in which one bot (row) ended above another.
    """

    players: int
    bots: Ints
    place: Ints
    score: Floats
    seat: Ints
    forfeit: NDArray[np.bool_]
    match: Ints = field(default_factory=lambda: np.empty((0, 0), np.int64))
    luck: Floats | None = None

    def __len__(self) -> int:
        """The number of blocks."""
        return len(self.bots)

    @property
    def is_solo(self) -> bool:
        """Whether bots played alone."""
        return self.players == 1


@dataclass(frozen=True, slots=True)
class Blocks:
    """All blocks of a tournament: the complete ones by size of table, and the numbers of incomplete blocks and of their matches."""

    bots: tuple[str, ...]
    tables: tuple[TableBlocks, ...]
    complete: int
    incomplete: int
    matches_left_out: int


def find_blocks(results: Results, seatings: Callable[[int], int]) -> Blocks:
    """Sort the results into blocks; ``seatings`` returns the matches in a block by number of seats (solo: one for each bot)."""
    block, size = _block_of_match(results)
    number = len(size)
    matches = np.bincount(block, minlength=number)
    seats = np.bincount(block[results.match], minlength=number)
    sizes = sorted(set(size.tolist()))
    wanted = np.zeros(number, np.int64)
    for players in sizes:
        wanted[size == players] = len(results.bots) if players == 1 else seatings(players)
    complete = (matches == wanted) & (seats == wanted * size)
    chosen = ((players, complete & (size == players)) for players in sizes)
    tables = tuple(_table(results, block, players, mine) for players, mine in chosen if mine.any())
    left_out = int(matches[~complete].sum())
    return Blocks(results.bots, tables, int(complete.sum()), int((~complete).sum()), left_out)


def _block_of_match(results: Results) -> tuple[Ints, Ints]:
    """Return the block of each match, numbered by key, and the table size of each block."""
    # A line-up's label is a sum of its bots' labels, so it does not depend on seats.
    labels = np.random.default_rng(0).integers(0, 2**40, len(results.bots))
    lineup = np.zeros(len(results.players), np.int64)
    np.add.at(lineup, results.match, labels[results.bot])
    lineup[results.players == 1] = 0
    order = np.lexsort((lineup, results.players, results.block_key))
    columns = np.stack((results.block_key, results.players, lineup))[:, order]
    is_new = np.ones(len(order), bool)
    is_new[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
    block = np.empty(len(order), np.int32)
    block[order] = np.cumsum(is_new) - 1
    return block, columns[1, is_new]


def _table(results: Results, block: Ints, players: int, chosen: NDArray[np.bool_]) -> TableBlocks:
    """Return the chosen blocks, all of that table size, as arrays."""
    bots = len(results.bots) if players == 1 else players
    order = block.astype(np.int64)  # of each match in the order by block, match and bot
    if players > 1:
        order *= int(results.rotation.max()) + 1
        order += results.rotation
    order *= len(results.bots)
    rows = np.flatnonzero(chosen[block[results.match]])
    rows = rows[np.argsort(order[results.match[rows]] + results.bot[rows])]
    shape = (int(chosen.sum()), -1, bots)
    bot, rank, seat = (column[rows].reshape(shape) for column in (results.bot, results.rank, results.seat))
    score: Floats = results.score[rows].reshape(shape)
    forfeit = (results.fault[rows] >= 0).reshape(shape)
    place = _places_by_score(score, forfeit) if players == 1 else rank
    match = results.match[rows].reshape(shape)[:, :, 0]
    return TableBlocks(players, bot[:, 0].copy(), place, score, seat, forfeit, match.copy())  # not views, which keep the whole arrays


def _places_by_score(score: Floats, forfeit: NDArray[np.bool_]) -> Ints:
    """Return places along the last axis: the highest score first, forfeits below all others, ties sharing the better place."""
    order = np.lexsort((-score, forfeit), axis=-1)
    ordered, lost = np.take_along_axis(score, order, -1), np.take_along_axis(forfeit, order, -1)
    is_new = np.ones(score.shape, bool)
    is_new[..., 1:] = (ordered[..., 1:] != ordered[..., :-1]) | (lost[..., 1:] != lost[..., :-1])
    places = np.maximum.accumulate(np.where(is_new, np.arange(1, score.shape[-1] + 1), 0), axis=-1)
    unsorted = np.empty(score.shape, np.int64)
    np.put_along_axis(unsorted, order, places, -1)
    return unsorted
