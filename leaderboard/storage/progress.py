"""The progress of a tournament: stored matches and complete blocks by round, void matches, and the current rate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import case, func, select

from leaderboard.storage.records import StoredTournament
from leaderboard.storage.store import Store
from leaderboard.storage.tables import MATCH, VOID

RECENT_SECONDS = 60.0
"""The rate of a run is measured over this time."""


@dataclass(frozen=True, slots=True)
class RoundCount:
    """The stored matches of a round, the blocks they belong to, and how many of those blocks are complete."""

    round: int
    matches: int
    blocks: int
    complete: int


def count_rounds(store: Store, tournament: StoredTournament, seatings: Mapping[int, int]) -> tuple[RoundCount, ...]:
    """Return the counts of each round that has matches, in order; ``seatings`` has the matches in a block by number of seats."""
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
    """Return how many matches the machine could not play so far and no later run has played."""
    query = select(func.count()).select_from(VOID).where(VOID.c.tournament_id == tournament.id)
    with store.reading() as connection:
        return int(connection.execute(query).scalar_one())


def recent_rate(store: Store, tournament: StoredTournament) -> float:
    """Return the matches stored per second over the last minute, or since the first match within it."""
    now = datetime.now(UTC)
    recent = (MATCH.c.tournament_id == tournament.id) & (MATCH.c.finished > now - timedelta(seconds=RECENT_SECONDS))
    with store.reading() as connection:
        number, first = connection.execute(select(func.count(), func.min(MATCH.c.finished)).where(recent)).one()
    if not number:
        return 0.0
    return float(number / max((now - first).total_seconds(), 1.0))
