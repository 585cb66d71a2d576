"""Each bot's record seat by seat, and its worst losses, computed from columns of results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.core import Score, exact_score
from leaderboard.statistics.columns import Floats, Ints, Results

WORST: Final = 6


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """A bot's record in a seat (from 0) at tables of ``players``; a win shared by k seats counts 1/k."""

    bot: str
    players: int
    seat: int
    matches: int
    win_share: float
    mean_rank: float
    mean_score: float


@dataclass(frozen=True, slots=True)
class Loss:
    """A match that a bot lost badly; ``margin`` is its score minus the best score of the others, negative or 0."""

    match: str
    margin: Score
    forfeited: bool


def seat_records(results: Results) -> tuple[SeatRecord, ...]:
    """Return every bot's record in every seat, over all matches, by bot, table size and seat. Solo matches are left out."""
    players = results.players[results.match]
    winners = np.bincount(results.match[results.rank == 1], minlength=len(results.players))
    wins = np.where(results.rank == 1, 1 / np.maximum(winners, 1)[results.match], 0.0)
    kept = players > 1
    keys = np.stack((results.bot[kept], players[kept], results.seat[kept]))
    if not keys.size:
        return ()
    columns, group = np.unique(keys, axis=1, return_inverse=True)
    group = group.ravel()
    number = np.bincount(group)
    means = [np.bincount(group, each[kept]) / number for each in (wins, results.rank, results.score)]
    records = [
        SeatRecord(results.bots[bot], size, seat, int(number[at]), *(float(each[at]) for each in means))
        for at, (bot, size, seat) in enumerate(columns.T.tolist())
    ]
    return tuple(sorted(records, key=lambda each: (each.bot, each.players, each.seat)))


def worst_losses(results: Results, most: int = WORST) -> dict[str, tuple[Loss, ...]]:
    """Return for each bot its worst losses, by margin, forfeits first where margins are equal. Solo matches are left out."""
    margin, others = _margins(results)
    forfeited = results.fault >= 0
    lost = others & (((results.rank > 1) & (margin <= 0)) | forfeited)
    losses = {}
    for bot, name in enumerate(results.bots):
        mine = np.flatnonzero(lost & (results.bot == bot))
        ids = np.array([results.ids[match] for match in results.match[mine].tolist()])
        order: Ints = np.lexsort((ids, ~forfeited[mine], np.minimum(margin[mine], 0)))[:most]
        losses[name] = tuple(Loss(str(ids[each]), exact_score(margin[mine[each]]), bool(forfeited[mine[each]])) for each in order)
    return losses


def _margins(results: Results) -> tuple[Floats, NDArray[np.bool_]]:
    """Return each seat's score minus the best of the others at its table, and whether there were others."""
    order = np.lexsort((-results.score, results.match))
    match = results.match[order]
    is_first = np.ones(len(order), bool)
    is_first[1:] = match[1:] != match[:-1]
    is_second = np.zeros(len(order), bool)
    is_second[1:] = is_first[:-1] & ~is_first[1:]
    best = np.zeros(len(results.players))
    second = np.zeros(len(results.players))
    best[match[is_first]] = results.score[order][is_first]
    second[match[is_second]] = results.score[order][is_second]
    leads = np.zeros(len(order), bool)
    leads[order[is_first]] = True
    margin = results.score - np.where(leads, second[results.match], best[results.match])
    return margin, results.players[results.match] > 1
