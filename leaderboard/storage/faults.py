"""The fault ledger: who failed, when and how, and what the machine could not play. It changes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select

from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.tables import BOT, ENTRANT, MATCH, SEAT, VERSION, VOID


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One fault: ``version`` is the content hash of the bot, ``index`` the number of decisions the match had then."""

    match: str
    seat: int
    bot: str
    version: str
    kind: str
    index: int
    detail: str
    isolation: str


@dataclass(frozen=True, slots=True)
class VoidEntry:
    """One match that could not be played: who was to sit, and why it could not."""

    match: str
    seats: str
    reason: str


def faults(store: Store, tournament: StoredTournament, bot: str | None = None, *, newest: int | None = None) -> tuple[LedgerEntry, ...]:
    """The faults of a tournament in the order in which its matches finished; those of one bot if it is named.

    With ``newest``, only so many of the last, newest first.
    """
    query = (
        select(
            MATCH.c.id, SEAT.c.seat, BOT.c.name, VERSION.c.digest, SEAT.c.fault, SEAT.c.fault_index, SEAT.c.fault_detail, MATCH.c.isolation
        )
        .select_from(ENTRANT)  # from the bots to their faults there is an index; from the matches, all would have to be looked at
        .join(VERSION, VERSION.c.id == ENTRANT.c.bot_version_id)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .join(SEAT, (SEAT.c.bot_version_id == VERSION.c.id) & SEAT.c.fault.is_not(None))
        .join(MATCH, (MATCH.c.id == SEAT.c.match_id) & (MATCH.c.tournament_id == ENTRANT.c.tournament_id))
        .where(ENTRANT.c.tournament_id == tournament.id)
        .order_by(MATCH.c.finished, MATCH.c.id, SEAT.c.seat)
    )
    if bot is not None:
        query = query.where(BOT.c.name == bot)
    if newest is not None:
        query = query.order_by(None).order_by(MATCH.c.finished.desc(), MATCH.c.id, SEAT.c.seat).limit(newest)
    with store.reading() as connection:
        return tuple(LedgerEntry(*row) for row in connection.execute(query))


def voids(store: Store, tournament: StoredTournament) -> tuple[VoidEntry, ...]:
    """The matches of a tournament that could not be played so far."""
    query = select(VOID.c.match_id, VOID.c.seats, VOID.c.reason).where(VOID.c.tournament_id == tournament.id).order_by(VOID.c.match_id)
    with store.reading() as connection:
        return tuple(VoidEntry(*row) for row in connection.execute(query))
