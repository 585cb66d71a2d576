"""The fault ledger: which bots failed, when and how, and which matches the machine could not play."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlalchemy import select

from leaderboard.chunks import chunks
from leaderboard.storage.rows import read_logs
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.tables import BOT, ENTRANT, MATCH, SEAT, VERSION, VOID


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A bot's fault. ``version`` is the bot's content hash, ``index`` the number of decisions made in the match before it."""

    match: str
    seat: int
    bot: str
    version: str
    kind: str
    index: int
    detail: str
    isolation: str
    traceback: str | None = None
    """The bot's own traceback, if it was requested; empty if the bot did not fail by an exception."""


@dataclass(frozen=True, slots=True)
class VoidEntry:
    """A match that could not be played: its bots, and why."""

    match: str
    seats: str
    reason: str


def faults(store: Store, tournament: StoredTournament, bot: str | None = None, *, newest: int | None = None) -> tuple[LedgerEntry, ...]:
    """Return the faults of a tournament, or of one of its bots, newest first; only that many with ``newest``."""
    query = (
        select(
            MATCH.c.id, SEAT.c.seat, BOT.c.name, VERSION.c.digest, SEAT.c.fault, SEAT.c.fault_index, SEAT.c.fault_detail, MATCH.c.isolation
        )
        .select_from(ENTRANT)  # an index leads from bots to their faults; starting from matches would scan them all
        .join(VERSION, VERSION.c.id == ENTRANT.c.bot_version_id)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .join(SEAT, (SEAT.c.bot_version_id == VERSION.c.id) & SEAT.c.fault.is_not(None))
        .join(MATCH, (MATCH.c.id == SEAT.c.match_id) & (MATCH.c.tournament_id == ENTRANT.c.tournament_id))
        .where(ENTRANT.c.tournament_id == tournament.id)
        .order_by(MATCH.c.finished.desc(), MATCH.c.id.desc(), SEAT.c.seat.desc())
        .limit(newest)
    )
    if bot is not None:
        query = query.where(BOT.c.name == bot)
    with store.reading() as connection:
        return tuple(LedgerEntry(*row) for row in connection.execute(query))


def with_tracebacks(store: Store, entries: Iterable[LedgerEntry]) -> tuple[LedgerEntry, ...]:
    """Return the faults with the bots' own tracebacks. Raises StoreError for one that is damaged."""
    kept: list[LedgerEntry] = []
    with store.reading() as connection:
        for some in chunks(entries):
            logs = read_logs(connection, [(entry.match, entry.seat) for entry in some])
            kept.extend(replace(entry, traceback=logs[entry.match, entry.seat].traceback) for entry in some)
    return tuple(kept)


def voids(store: Store, tournament: StoredTournament) -> tuple[VoidEntry, ...]:
    """Return the matches of a tournament that could not be played so far."""
    query = select(VOID.c.match_id, VOID.c.seats, VOID.c.reason).where(VOID.c.tournament_id == tournament.id).order_by(VOID.c.match_id)
    with store.reading() as connection:
        return tuple(VoidEntry(*row) for row in connection.execute(query))
