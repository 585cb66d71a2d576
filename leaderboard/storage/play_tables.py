"""Tables at which people play, stored so that a restarted server continues them, and the matches that were finished there.

A finished match keeps the row of its table, without the people's keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from engine.core import Score
from engine.decoding import convert
from engine.records import DamagedError, MatchResult, unpack_text
from leaderboard.errors import StoreError
from leaderboard.storage.database import Database
from leaderboard.storage.inserts import insert_or_replace
from leaderboard.storage.runs import in_utc
from leaderboard.storage.tables import PLAY_LINE, PLAY_MOVE, PLAY_TABLE

KEPT_LINES = 100
"""The number of lines of a table that are kept."""
DAMAGED = "what the database has of it can't be read"
"""The problem of a table whose row is damaged."""


@dataclass(frozen=True, slots=True)
class StoredChair:
    """A seat: a bot by its label and the digest of its version, or a person, with the digest of their key once they have sat down."""

    name: str
    bot: str = ""
    digest: str = ""
    key: str = ""
    gone: str = ""


@dataclass(frozen=True, slots=True)
class StoredFault:
    """A seat that is played on by the substitute, as in ``engine.records.Fault``."""

    seat: int
    kind: str
    index: int
    detail: str


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table without its moves and lines. ``options`` is JSON, ``browser`` the digest of its maker's key.

    ``continues`` is the match that it goes on with, as ``ID@DECISION``, or empty.
    """

    id: str
    game: str
    options: str
    seed: int
    ticket: str
    chairs: tuple[StoredChair, ...]
    faults: tuple[StoredFault, ...]
    maker: int
    browser: str
    listed: bool
    stage: str
    problem: str
    rematch: str
    since: datetime
    continues: str


@dataclass(frozen=True, slots=True)
class StoredLine:
    """A line that the person in that seat wrote, ``at`` a time in seconds since 1970."""

    seat: int | None
    name: str
    text: str
    at: int


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


def stored_tables(database: Database) -> tuple[tuple[StoredTable, datetime], ...]:
    """Return the tables whose matches are not finished, each with the time of its last change; a damaged one counts as closed."""
    query = select(PLAY_TABLE.c.id).where(PLAY_TABLE.c.finished.is_(None)).order_by(PLAY_TABLE.c.since)
    with database.reading() as connection:
        keys = connection.execute(query).scalars().all()
        return tuple(_read(connection, key) for key in keys)


def save_table(database: Database, table: StoredTable, moves: Mapping[int, str], lines: Sequence[StoredLine] = ()) -> None:
    """Store a table, further moves by number, and further lines."""
    with database.writing() as connection:
        values = _values(table) | {"touched": datetime.now(UTC)}
        if connection.execute(update(PLAY_TABLE).where(PLAY_TABLE.c.id == table.id).values(values)).rowcount == 0:
            connection.execute(insert(PLAY_TABLE).values(values))
        if moves:
            rows = [{"table_id": table.id, "number": number, "move": move} for number, move in moves.items()]
            connection.execute(insert_or_replace(connection, PLAY_MOVE), rows)
        if lines:
            _add_lines(connection, table.id, lines)


def remove_table(database: Database, key: str) -> None:
    """Remove a table without a finished match, with its moves and lines."""
    with database.writing() as connection:
        _remove_details(connection, key)
        connection.execute(delete(PLAY_TABLE).where(PLAY_TABLE.c.id == key))


def finish_table(database: Database, key: str, result: MatchResult, versions: Sequence[str]) -> None:
    """Store the finished match of a table; ``versions`` has the content hash of each seat's bot, or an empty string for a person."""
    seats = [
        HumanMatchSeat(name, version, seat.score, seat.rank, seat.fault.kind.value if seat.fault else None)
        for name, version, seat in zip(result.ticket.seats, versions, result.seats, strict=True)
    ]
    values = {
        "stage": "over",
        "chairs": "[]",
        "browser": "",
        "result": json.dumps([asdict(seat) for seat in seats]),
        "end": result.end,
        "decisions": result.decisions,
        "digest": result.replay.digest,
        "replay": result.replay.data,
        "isolation": result.isolation,
        "finished": datetime.now(UTC),
    }
    with database.writing() as connection:
        _remove_details(connection, key)
        connection.execute(update(PLAY_TABLE).where(PLAY_TABLE.c.id == key).values(values))


def human_matches(database: Database, limit: int = 20) -> tuple[HumanMatch, ...]:
    """Return the matches that finished last, newest first."""
    query = select(*_OF_MATCH).where(PLAY_TABLE.c.finished.is_not(None)).order_by(PLAY_TABLE.c.finished.desc(), PLAY_TABLE.c.ticket)
    with database.reading() as connection:
        return tuple(_match(row) for row in connection.execute(query.limit(limit)))


def find_human_match(database: Database, match: str) -> HumanMatch | None:
    """Return the finished match with that id, or None."""
    query = select(*_OF_MATCH).where(PLAY_TABLE.c.ticket == match, PLAY_TABLE.c.finished.is_not(None))
    with database.reading() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else _match(row)


def match_of_table(database: Database, key: str) -> str | None:
    """Return the id of the match that was finished at a table, or None."""
    query = select(PLAY_TABLE.c.ticket).where(PLAY_TABLE.c.id == key, PLAY_TABLE.c.finished.is_not(None))
    with database.reading() as connection:
        match: str | None = connection.execute(query).scalar_one_or_none()
    return match


def human_match_replay(database: Database, match: str) -> str:
    """Return the replay of a finished match, as JSON text. Raises StoreError when it is damaged."""
    with database.reading() as connection:
        packed: bytes = connection.execute(select(PLAY_TABLE.c.replay).where(PLAY_TABLE.c.ticket == match)).scalar_one()
    try:
        return unpack_text(packed)
    except DamagedError as error:
        raise StoreError(f"the replay of match {match} in {database.name} is damaged: {error}") from None


def moves_of(database: Database, table: str) -> tuple[str, ...]:
    """Return the moves of a table so far. Raises ValueError if one is missing."""
    query = select(PLAY_MOVE.c.number, PLAY_MOVE.c.move).where(PLAY_MOVE.c.table_id == table).order_by(PLAY_MOVE.c.number)
    with database.reading() as connection:
        rows = connection.execute(query).all()
    if [row.number for row in rows] != list(range(len(rows))):
        raise ValueError("a move is missing")
    return tuple(row.move for row in rows)


def lines_of(database: Database, table: str) -> tuple[StoredLine, ...]:
    """Return the last lines that were written at a table, oldest first."""
    columns = [PLAY_LINE.c[name] for name in ("seat", "name", "text", "at")]
    query = select(*columns).where(PLAY_LINE.c.table_id == table).order_by(PLAY_LINE.c.number)
    with database.reading() as connection:
        return tuple(StoredLine(*row) for row in connection.execute(query))[-KEPT_LINES:]


def _add_lines(connection: Connection, key: str, lines: Sequence[StoredLine]) -> None:
    last: int | None = connection.execute(select(func.max(PLAY_LINE.c.number)).where(PLAY_LINE.c.table_id == key)).scalar_one()
    first = 0 if last is None else last + 1
    connection.execute(insert(PLAY_LINE), [{"table_id": key, "number": first + each} | asdict(line) for each, line in enumerate(lines)])
    surplus = first + len(lines) - KEPT_LINES
    connection.execute(delete(PLAY_LINE).where(PLAY_LINE.c.table_id == key, PLAY_LINE.c.number < surplus))


def _remove_details(connection: Connection, key: str) -> None:
    """Remove the moves and lines of a table."""
    connection.execute(delete(PLAY_MOVE).where(PLAY_MOVE.c.table_id == key))
    connection.execute(delete(PLAY_LINE).where(PLAY_LINE.c.table_id == key))


_OF_MATCH = [
    PLAY_TABLE.c.ticket.label("id"),
    PLAY_TABLE.c.result.label("seats"),
    *(PLAY_TABLE.c[key] for key in ("game", "seed", "end", "decisions", "digest", "isolation", "finished")),
]
_OF_TABLE = [PLAY_TABLE.c[key] for key in (*StoredTable.__slots__, "touched")]


def _match(row: Row[Any]) -> HumanMatch:
    return HumanMatch(**row._asdict() | {"seats": tuple(HumanMatchSeat(**seat) for seat in json.loads(row.seats))})


def _values(table: StoredTable) -> dict[str, Any]:
    values = asdict(table)
    return values | {"chairs": json.dumps(values["chairs"]), "faults": json.dumps(values["faults"]), "listed": int(table.listed)}


def _read(connection: Connection, key: str) -> tuple[StoredTable, datetime]:
    try:
        row = connection.execute(select(*_OF_TABLE).where(PLAY_TABLE.c.id == key)).one()._asdict()
        touched = in_utc(row.pop("touched"))
        read = {"chairs": json.loads(row["chairs"]), "faults": json.loads(row["faults"])}
        return convert(row | read | {"listed": bool(row["listed"]), "since": in_utc(row["since"])}, StoredTable), touched
    except (ValueError, TypeError):  # an invalid time or JSON, or a column of another type
        now = datetime.now(UTC)
        return StoredTable(key, "", "{}", 0, "", (), (), 0, "", False, "closed", DAMAGED, "", now, ""), now
