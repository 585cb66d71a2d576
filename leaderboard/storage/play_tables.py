"""Stores the tables at which people play (``StoredTable``), so that a restarted server can continue the games.

When a match is finished, its result is stored in the row of its table, and people's keys are removed from the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlmodel import Session, col, delete, select, update
from sqlmodel.sql.expression import SelectOfScalar

from engine.records import DamagedError, MatchResult, unpack_text
from leaderboard.errors import StoreError
from leaderboard.storage.database import Database
from leaderboard.storage.tables import Chair, HumanMatchSeat, Line, Stage, StoredTable, without

__all__ = ["Chair", "Line", "Stage", "StoredTable"]

DAMAGED = "its stored data can't be read"
"""The value of ``StoredTable.problem`` for a table whose row is damaged."""


def stored_tables(database: Database) -> tuple[StoredTable, ...]:
    """Return the tables whose matches are not finished; a damaged table counts as closed."""
    query = select(StoredTable.id).where(col(StoredTable.finished).is_(None)).order_by(col(StoredTable.since))
    with database.session() as session:
        return tuple(_read(session, key) for key in session.exec(query).all())


def _read(session: Session, key: str) -> StoredTable:
    try:
        found = session.exec(select(StoredTable).where(StoredTable.id == key)).one()
        StoredTable.model_validate(found.model_dump(warnings=False))  # SQLite does not enforce column types
    except (ValueError, TypeError):  # an invalid time or JSON, or a value of the wrong type
        return StoredTable(id=key, game="", seed=0, ticket="", stage=Stage.CLOSED, problem=DAMAGED, since=datetime.now(UTC))
    return found


def add_table(database: Database, table: StoredTable) -> None:
    """Store a new table."""
    with database.transaction() as session:
        session.add(StoredTable(**table.model_dump()))


def change_table(database: Database, key: str, **facts: Any) -> None:
    """Change some fields of the stored table ``key``, at which people play."""
    with database.writing() as connection:
        connection.execute(update(StoredTable).where(col(StoredTable.id) == key).values(touched=datetime.now(UTC), **facts))


def remove_table(database: Database, key: str) -> None:
    """Remove a table."""
    with database.writing() as connection:
        connection.execute(delete(StoredTable).where(col(StoredTable.id) == key))


def finish_table(database: Database, key: str, result: MatchResult, versions: Sequence[str]) -> None:
    """Store the finished match of a table; ``versions`` has the content hash of the bot in each seat, or "" for a person."""
    seats = tuple(
        HumanMatchSeat(name, version, seat.score, seat.rank, seat.fault.kind.value if seat.fault else None)
        for name, version, seat in zip(result.ticket.seats, versions, result.seats, strict=True)
    )
    facts: dict[str, Any] = {"stage": Stage.OVER, "chairs": (), "moves": (), "chat": (), "browser": "", "seats": seats, "end": result.end}
    facts |= {"decisions": result.decisions, "digest": result.replay.digest, "replay": result.replay.data}
    change_table(database, key, **facts, isolation=result.isolation, finished=datetime.now(UTC))


def human_matches(database: Database, limit: int = 20) -> tuple[StoredTable, ...]:
    """Return the most recently finished matches, newest first, without replays."""
    with database.session() as session:
        return tuple(session.exec(_finished().order_by(col(StoredTable.finished).desc(), StoredTable.ticket).limit(limit)))


def find_human_match(database: Database, match: str) -> StoredTable | None:
    """Return the finished match with that id, without its replay, or None if there is none."""
    with database.session() as session:
        return session.exec(_finished().where(StoredTable.ticket == match)).one_or_none()


def match_of_table(database: Database, key: str) -> str | None:
    """Return the id of a table's match, or None if the match is not finished."""
    with database.session() as session:
        return session.exec(select(StoredTable.ticket).where(StoredTable.id == key, col(StoredTable.finished).is_not(None))).one_or_none()


def _finished() -> SelectOfScalar[StoredTable]:
    return select(StoredTable).where(col(StoredTable.finished).is_not(None)).options(*without(StoredTable.replay))


def human_match_replay(database: Database, match: str) -> str:
    """Return the replay of a finished match, as JSON text. Raises StoreError if the replay is damaged."""
    with database.session() as session:
        packed = session.exec(select(StoredTable.replay).where(StoredTable.ticket == match)).one()
    try:
        return unpack_text(packed)
    except DamagedError as error:
        raise StoreError(f"the replay of match {match} in {database.name} is damaged: {error}") from None
