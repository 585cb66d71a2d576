"""Matches played by people, kept with their replays. They belong to no tournament."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, insert, select

from engine.core import Score
from engine.records import DamagedError, MatchResult, unpack_text
from leaderboard.errors import StoreError
from leaderboard.storage.database import Database
from leaderboard.storage.server_tables import HUMAN_MATCH


@dataclass(frozen=True, slots=True)
class HumanMatchSeat:
    """A seat and its result. ``version`` is the content hash of a bot, empty for a person."""

    name: str
    version: str
    score: Score
    rank: int
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class HumanMatch:
    """A match without its replay; ``digest`` is the hex SHA-256 of the replay's text."""

    id: str
    game: str
    seed: int
    seats: tuple[HumanMatchSeat, ...]
    end: str
    decisions: int
    digest: str
    isolation: str
    finished: datetime


def add_human_match(database: Database, result: MatchResult, versions: tuple[str, ...]) -> None:
    """Store a match; ``versions`` has the content hash of each seat's bot, or an empty string for a person."""
    seats = [
        HumanMatchSeat(name, version, seat.score, seat.rank, seat.fault.kind.value if seat.fault else None)
        for name, version, seat in zip(result.ticket.seats, versions, result.seats, strict=True)
    ]
    values = {
        "id": result.ticket.id,
        "game": json.loads(result.replay.text)["game"],
        "seed": result.ticket.seed,
        "seats": json.dumps([asdict(seat) for seat in seats]),
        "end": result.end,
        "decisions": result.decisions,
        "digest": result.replay.digest,
        "replay": result.replay.data,
        "isolation": result.isolation,
        "finished": datetime.now(UTC),
    }
    with database.writing() as connection:
        connection.execute(insert(HUMAN_MATCH).values(values))


def human_matches(database: Database, limit: int = 20) -> tuple[HumanMatch, ...]:
    """Return the matches that finished last, newest first."""
    query = select(*_COLUMNS).order_by(HUMAN_MATCH.c.finished.desc(), HUMAN_MATCH.c.id).limit(limit)
    with database.reading() as connection:
        return tuple(_match(row) for row in connection.execute(query))


def find_human_match(database: Database, match: str) -> HumanMatch | None:
    """Return the match with that id, or None."""
    with database.reading() as connection:
        row = connection.execute(select(*_COLUMNS).where(HUMAN_MATCH.c.id == match)).one_or_none()
    return _match(row) if row is not None else None


def human_match_replay(database: Database, match: str) -> str:
    """Return the replay of a stored match, as JSON text. Raises StoreError when it is damaged."""
    with database.reading() as connection:
        packed: bytes = connection.execute(select(HUMAN_MATCH.c.replay).where(HUMAN_MATCH.c.id == match)).scalar_one()
    try:
        return unpack_text(packed)
    except DamagedError as error:
        raise StoreError(f"the replay of match {match} in {database.name} is damaged: {error}") from None


_COLUMNS = [HUMAN_MATCH.c[key] for key in ("id", "game", "seed", "seats", "end", "decisions", "digest", "isolation", "finished")]


def _match(row: Row[Any]) -> HumanMatch:
    return HumanMatch(**row._asdict() | {"seats": tuple(HumanMatchSeat(**seat) for seat in json.loads(row.seats))})
