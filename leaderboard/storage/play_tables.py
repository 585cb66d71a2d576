"""Tables at which people play, stored so that a restarted server continues them, and the matches that were finished there.

A finished match keeps the row of its table, without the people's keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from sqlmodel import Session, col, delete, func, select
from sqlmodel.sql.expression import SelectOfScalar

from engine.records import DamagedError, MatchResult, unpack_text
from leaderboard.errors import StoreError
from leaderboard.storage.database import Database
from leaderboard.storage.tables import HumanMatchSeat, StoredChair, StoredFault, StoredLine, StoredMove, StoredTable, without

__all__ = ["StoredChair", "StoredFault", "StoredTable"]

KEPT_LINES = 100
"""The number of lines of a table that are kept."""
DAMAGED = "what the database has of it can't be read"
"""The problem of a table whose row is damaged."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that the person in that seat wrote, ``at`` a time in seconds since 1970."""

    seat: int | None
    name: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class HumanMatch:
    """A match that was finished at a table, without its replay and the table's secrets."""

    id: str
    game: str
    seed: int
    seats: tuple[HumanMatchSeat, ...]
    end: str
    decisions: int
    digest: str
    isolation: str
    finished: datetime


def stored_tables(database: Database) -> tuple[StoredTable, ...]:
    """Return the tables whose matches are not finished; a damaged one counts as closed."""
    query = select(StoredTable.id).where(col(StoredTable.finished).is_(None)).order_by(col(StoredTable.since))
    with database.session() as session:
        return tuple(_read(session, key) for key in session.exec(query).all())


def save_table(database: Database, table: StoredTable, moves: Mapping[int, str], lines: Sequence[Line] = ()) -> None:
    """Store a table, further moves by number, and further lines, unless its match is finished."""
    table.touched = datetime.now(UTC)
    with database.transaction() as session:
        stored = session.get(StoredTable, table.id)
        if stored is not None and stored.finished is not None:
            return
        session.merge(table)
        for number, move in moves.items():
            session.merge(StoredMove(table_id=table.id, number=number, move=move))
        if lines:
            last = session.exec(select(func.max(StoredLine.number)).where(StoredLine.table_id == table.id)).one()
            first = 0 if last is None else last + 1
            session.add_all(StoredLine(table_id=table.id, number=number, **asdict(line)) for number, line in enumerate(lines, first))
            surplus = first + len(lines) - KEPT_LINES
            session.exec(delete(StoredLine).where(col(StoredLine.table_id) == table.id, col(StoredLine.number) < surplus))


def remove_table(database: Database, key: str) -> None:
    """Remove a table without a finished match, with its moves and lines."""
    with database.transaction() as session:
        _remove_details(session, key)
        session.exec(delete(StoredTable).where(col(StoredTable.id) == key))


def finish_table(database: Database, key: str, result: MatchResult, versions: Sequence[str]) -> None:
    """Store the finished match of a table; ``versions`` has the content hash of each seat's bot, or an empty string for a person."""
    seats = [
        HumanMatchSeat(name, version, seat.score, seat.rank, seat.fault.kind.value if seat.fault else None)
        for name, version, seat in zip(result.ticket.seats, versions, result.seats, strict=True)
    ]
    with database.transaction() as session:
        _remove_details(session, key)
        table = session.get_one(StoredTable, key)
        table.stage, table.chairs, table.browser = "over", (), ""
        table.seats, table.end, table.decisions = tuple(seats), result.end, result.decisions
        table.digest, table.replay, table.isolation = result.replay.digest, result.replay.data, result.isolation
        table.finished = datetime.now(UTC)


def _remove_details(session: Session, key: str) -> None:
    """Remove the moves and lines of a table."""
    session.exec(delete(StoredMove).where(col(StoredMove.table_id) == key))
    session.exec(delete(StoredLine).where(col(StoredLine.table_id) == key))


def human_matches(database: Database, limit: int = 20) -> tuple[HumanMatch, ...]:
    """Return the matches that finished last, newest first."""
    with database.session() as session:
        tables = session.exec(_finished().order_by(col(StoredTable.finished).desc(), StoredTable.ticket).limit(limit))
        return tuple(map(_match, tables))


def find_human_match(database: Database, match: str) -> HumanMatch | None:
    """Return the finished match with that id, or None."""
    with database.session() as session:
        table = session.exec(_finished().where(StoredTable.ticket == match)).one_or_none()
    return None if table is None else _match(table)


def _finished() -> SelectOfScalar[StoredTable]:
    return select(StoredTable).where(col(StoredTable.finished).is_not(None)).options(*without(StoredTable.replay))


def _match(table: StoredTable) -> HumanMatch:
    assert table.finished is not None
    facts = table.seed, table.seats, table.end, table.decisions, table.digest, table.isolation, table.finished
    return HumanMatch(table.ticket, table.game, *facts)


def match_of_table(database: Database, key: str) -> str | None:
    """Return the id of the match that was finished at a table, or None."""
    with database.session() as session:
        return session.exec(select(StoredTable.ticket).where(StoredTable.id == key, col(StoredTable.finished).is_not(None))).one_or_none()


def human_match_replay(database: Database, match: str) -> str:
    """Return the replay of a finished match, as JSON text. Raises StoreError when it is damaged."""
    with database.session() as session:
        packed = session.exec(select(StoredTable.replay).where(StoredTable.ticket == match)).one()
    try:
        return unpack_text(packed)
    except DamagedError as error:
        raise StoreError(f"the replay of match {match} in {database.name} is damaged: {error}") from None


def moves_of(database: Database, table: str) -> tuple[str, ...]:
    """Return the moves of a table so far. Raises ValueError if one is missing."""
    with database.session() as session:
        moves = session.exec(select(StoredMove).where(StoredMove.table_id == table).order_by(col(StoredMove.number))).all()
    if [each.number for each in moves] != list(range(len(moves))):
        raise ValueError("a move is missing")
    return tuple(each.move for each in moves)


def lines_of(database: Database, table: str) -> tuple[Line, ...]:
    """Return the last lines that were written at a table, oldest first."""
    with database.session() as session:
        lines = session.exec(select(StoredLine).where(StoredLine.table_id == table).order_by(col(StoredLine.number))).all()
    return tuple(Line(each.seat, each.name, each.text, each.at) for each in lines[-KEPT_LINES:])


def _read(session: Session, key: str) -> StoredTable:
    try:
        found = session.exec(select(StoredTable).where(StoredTable.id == key)).one()
        StoredTable.model_validate(found.model_dump(warnings=False))  # SQLite does not enforce column types
    except (ValueError, TypeError):  # an invalid time or JSON, or a column of another type
        return StoredTable(id=key, game="", seed=0, ticket="", stage="closed", problem=DAMAGED, since=datetime.now(UTC))
    return found
