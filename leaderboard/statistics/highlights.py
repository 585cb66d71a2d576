"""Highlights of single matches for pages: records of seats, the worst losses, and upsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from engine.core import Score, exact_score
from leaderboard.statistics.columns import Floats, Ints, Results
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.tables import BOT, MATCH, SEAT, STANDING, VERSION

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


NEWEST: Final = 300
"""The number of newest matches of a tournament that are examined."""
UNLIKELY: Final = 0.2
"""The chance below which a result is an upset."""


@dataclass(frozen=True, slots=True)
class Upset:
    """A match whose ``winner`` was placed above ``beaten``, the best of the others, with this ``chance`` by their ratings."""

    match: str
    winner: str
    beaten: str
    chance: float


def find_upsets(store: Store, tournament: StoredTournament, *, beta: float, most: int) -> tuple[Upset, ...]:
    """Return upsets among the newest matches, newest first, one for each pair, from matches with a single winner and without faults.

    Ratings are TrueSkill's as last stored; a bot with few matches causes no upsets. ``beta`` is that of the tournament's ratings.
    """
    newest = (
        select(MATCH.c.id, MATCH.c.finished)
        .where(MATCH.c.tournament_id == tournament.id, MATCH.c.players > 1)
        .order_by(MATCH.c.finished.desc(), MATCH.c.id)
        .limit(NEWEST)
        .subquery()
    )
    query = (
        select(newest.c.id, SEAT.c.rank, SEAT.c.fault, BOT.c.name, STANDING.c.mu, STANDING.c.sigma)
        .select_from(newest)
        .join(SEAT, SEAT.c.match_id == newest.c.id)
        .join(STANDING, (STANDING.c.bot_version_id == SEAT.c.bot_version_id) & (STANDING.c.tournament_id == tournament.id))
        .join(VERSION, VERSION.c.id == SEAT.c.bot_version_id)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .order_by(newest.c.finished.desc(), newest.c.id)
    )
    tables: dict[str, list[Any]] = {}
    with store.reading() as connection:
        for row in connection.execute(query):
            tables.setdefault(row.id, []).append(row)
    by_pair: dict[tuple[str, str], Upset] = {}
    for match, seats in tables.items():
        upset = _upset(match, seats, beta)
        if upset is not None and upset.chance < UNLIKELY:
            by_pair.setdefault((upset.winner, upset.beaten), upset)
    return tuple(by_pair.values())[:most]


def _upset(match: str, seats: Sequence[Any], beta: float) -> Upset | None:
    winners = [seat for seat in seats if seat.rank == 1]
    if len(seats) < 2 or len(winners) != 1 or any(seat.fault is not None for seat in seats):  # two to compare
        return None
    winner = winners[0]
    best = max((seat for seat in seats if seat is not winner), key=lambda seat: (seat.mu, seat.name))
    spread = sqrt(2 * beta**2 + winner.sigma**2 + best.sigma**2)
    chance = 0.5 * erfc((best.mu - winner.mu) / (spread * sqrt(2)))
    return Upset(match, winner.name, best.name, chance)
