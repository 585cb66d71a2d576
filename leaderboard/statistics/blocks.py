"""Sorts results into blocks, the unit of all statistics. A block is a set of matches: one line-up of bots in all its seatings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from leaderboard.statistics.columns import Floats, Ints, Results


@dataclass(frozen=True, slots=True)
class TableBlocks:
    """The complete blocks with a given number of ``players``, ordered by key.

    - ``bots``: the line-up of each block, as sorted indices of bots (blocks x bots)
    - ``place``, ``score``, ``seat``, ``forfeit``: blocks x matches x bots, with the bots in the order of ``bots``; place 1 is the best, and
      tied bots share the better place; ``forfeit`` is whether a substitute replaced the bot
    - ``match``: the index of each match in the results (blocks x matches); in solo play, the first bot's match
    - ``luck``: what to subtract from the share of matches in which one bot (row) ended above another (column): blocks x bots x bots

    In solo play, each bot plays the same seed alone. A block then counts as one match of all the tournament's bots, placed by score
    (forfeits last), and ``players`` is 1.
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
        """Whether these are blocks of solo play."""
        return self.players == 1


@dataclass(frozen=True, slots=True)
class Blocks:
    """All blocks of a tournament: the complete ones by number of players, and how many blocks (and matches) were left out as incomplete."""

    bots: tuple[str, ...]
    tables: tuple[TableBlocks, ...]
    complete: int
    incomplete: int
    matches_left_out: int


def find_blocks(results: Results, seatings: Callable[[int], int]) -> Blocks:
    """Sort the results into blocks; ``seatings(seats)`` is the number of matches in a block, given 2 or more seats."""
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
    """Return the block number of each match, in order of key, and the number of players in each block."""
    # A line-up's label is the sum of its bots' labels, so it does not depend on the seats.
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
    """Return the chosen blocks, all with that number of players, as arrays."""
    bots = len(results.bots) if players == 1 else players
    order = block.astype(np.int64)  # sort keys of the matches, by block and rotation
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
    return TableBlocks(players, bot[:, 0].copy(), place, score, seat, forfeit, match.copy())  # views would keep whole arrays


def _places_by_score(score: Floats, forfeit: NDArray[np.bool_]) -> Ints:
    """Return places along the last axis: highest score first, forfeits last; tied bots share the better place."""
    order = np.lexsort((-score, forfeit), axis=-1)
    ordered, lost = np.take_along_axis(score, order, -1), np.take_along_axis(forfeit, order, -1)
    is_new = np.ones(score.shape, bool)
    is_new[..., 1:] = (ordered[..., 1:] != ordered[..., :-1]) | (lost[..., 1:] != lost[..., :-1])
    places = np.maximum.accumulate(np.where(is_new, np.arange(1, score.shape[-1] + 1), 0), axis=-1)
    unsorted = np.empty(score.shape, np.int64)
    np.put_along_axis(unsorted, order, places, -1)
    return unsorted
