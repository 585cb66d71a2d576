"""Matches that the weaker bot won, by the ratings that are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Any, Final

from sqlalchemy import select

from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.tables import BOT, MATCH, SEAT, STANDING, VERSION

NEWEST: Final = 300
"""Matches of a tournament that are looked through, the newest ones."""
UNLIKELY: Final = 0.2
"""The chance below which a result is an upset."""


@dataclass(frozen=True, slots=True)
class Upset:
    """A match whose ``winner`` was placed above ``beaten``, the best of the others, which by both ratings had this ``chance``."""

    match: str
    winner: str
    beaten: str
    chance: float


def find_upsets(store: Store, tournament: StoredTournament, *, beta: float, most: int) -> tuple[Upset, ...]:
    """Return upsets among the newest matches, newest first, one of each pair: won by one bot alone, without a fault at the table.

    Ratings are TrueSkill's as last stored, so a bot that has played little upsets nobody. ``beta`` is that of the tournament's ratings.
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
    found: dict[tuple[str, str], Upset] = {}
    for match, seats in tables.items():
        upset = _upset(match, seats, beta)
        if upset is not None and upset.chance < UNLIKELY:
            found.setdefault((upset.winner, upset.beaten), upset)
    return tuple(found.values())[:most]


def _upset(match: str, seats: Sequence[Any], beta: float) -> Upset | None:
    winners = [seat for seat in seats if seat.rank == 1]
    if len(seats) < 2 or len(winners) != 1 or any(seat.fault is not None for seat in seats):  # two to compare
        return None
    winner = winners[0]
    best = max((seat for seat in seats if seat is not winner), key=lambda seat: (seat.mu, seat.name))
    spread = sqrt(2 * beta**2 + winner.sigma**2 + best.sigma**2)
    chance = 0.5 * erfc((best.mu - winner.mu) / (spread * sqrt(2)))
    return Upset(match, winner.name, best.name, chance)
