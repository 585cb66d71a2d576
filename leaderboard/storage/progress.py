"""How far a tournament is: its matches by round, and how many of their blocks are complete. It counts and judges nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import case, func, select

from leaderboard.storage.records import StoredTournament
from leaderboard.storage.store import Store
from leaderboard.storage.tables import MATCH, VOID

RECENT_SECONDS = 60.0
"""How far back the rate of a run is taken from."""


@dataclass(frozen=True, slots=True)
class RoundCount:
    """The stored matches of a round, the blocks they belong to, and how many of those have every match."""

    round: int
    matches: int
    blocks: int
    complete: int


def count_rounds(store: Store, tournament: StoredTournament, seatings: Mapping[int, int]) -> tuple[RoundCount, ...]:
    """Of each round that has matches, in order; ``seatings`` says how many matches a block of each number of seats has."""
    blocks = (
        select(MATCH.c.round, MATCH.c.players, func.count().label("matches"))
        .where(MATCH.c.tournament_id == tournament.id)
        .group_by(MATCH.c.round, MATCH.c.players, MATCH.c.block_key)
        .subquery()
    )
    whole = case(*((blocks.c.players == players, blocks.c.matches >= number) for players, number in seatings.items()), else_=False)
    query = (
        select(blocks.c.round, func.sum(blocks.c.matches), func.count(), func.sum(case((whole, 1), else_=0)))
        .group_by(blocks.c.round)
        .order_by(blocks.c.round)
    )
    with store.reading() as connection:
        return tuple(RoundCount(*map(int, row)) for row in connection.execute(query))


def count_void(store: Store, tournament: StoredTournament) -> int:
    """How many matches the machine could not play so far, and nobody has tried again with success."""
    query = select(func.count()).select_from(VOID).where(VOID.c.tournament_id == tournament.id)
    with store.reading() as connection:
        return int(connection.execute(query).scalar_one())


def recent_rate(store: Store, tournament: StoredTournament) -> float:
    """Matches stored a second, over the last minute or since the first of that time."""
    now = datetime.now(UTC)
    recent = (MATCH.c.tournament_id == tournament.id) & (MATCH.c.finished > now - timedelta(seconds=RECENT_SECONDS))
    with store.reading() as connection:
        number, first = connection.execute(select(func.count(), func.min(MATCH.c.finished)).where(recent)).one()
    if not number:
        return 0.0
    return float(number / max((now - first).total_seconds(), 1.0))
