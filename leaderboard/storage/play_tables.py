"""Tables at which people play, stored so that a restarted server continues them.

One server at a time plays them (``Database.lock_tables``), and every write checks that they still belong to that server.

Requests that arrive at another server are stored as rows for the one that plays, as is its news of the tables for the others. The contents
are opaque here. Rows are removed at most a minute after the request.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from engine.decoding import convert
from leaderboard.storage.database import Database
from leaderboard.storage.inserts import insert_or_replace
from leaderboard.storage.members import RatedState, begin_or_end, end_table
from leaderboard.storage.runs import in_utc
from leaderboard.storage.server_tables import PLAY_LINE, PLAY_MOVE, PLAY_REQUEST, PLAY_SERVER, PLAY_TABLE

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

    ``continues`` is the match that it goes on with, as ``ID@DECISION``, or empty. ``rated`` is the id of the member whose rated match it
    is, or empty; ``unrated`` says why it does not count.
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
    match: str
    rematch: str
    since: datetime
    continues: str
    rated: str = ""
    unrated: str = ""


@dataclass(frozen=True, slots=True)
class StoredLine:
    """A line that the person in that seat wrote, ``at`` a time in seconds since 1970."""

    seat: int | None
    name: str
    text: str
    at: int


@dataclass(slots=True)
class Change:
    """The changes to write for one table: its new state, further moves by number, and further lines."""

    table: StoredTable | None = None
    moves: dict[int, str] = field(default_factory=dict)
    lines: list[StoredLine] = field(default_factory=list)


def claim_tables(database: Database, owner: str) -> tuple[tuple[StoredTable, datetime], ...]:
    """Make the server ``owner`` play all stored tables from now on; return them, each with the time of its last change.

    Requests to the previous server are dropped; other servers send them again. A damaged table counts as closed from now on, so that it
    does not affect the others.
    """
    with database.writing() as connection:
        connection.execute(update(PLAY_TABLE).values(owner=owner))
        connection.execute(delete(PLAY_SERVER))
        connection.execute(insert(PLAY_SERVER).values(owner=owner, news=b""))
        connection.execute(delete(PLAY_REQUEST))
        keys = connection.execute(select(PLAY_TABLE.c.id).order_by(PLAY_TABLE.c.since)).scalars().all()
        claimed = tuple(_read(connection, key) for key in keys)
        for record, _ in claimed:
            if record.problem == DAMAGED:
                end_table(connection, record.id, RatedState.VOID, DAMAGED)
        return claimed


def write_tables(database: Database, owner: str, changes: Mapping[str, Change], removed: Iterable[str] = ()) -> frozenset[str]:
    """Write changes and remove tables in one transaction; return the ids that belong to another server, which are left unchanged."""
    gone = list(removed)
    with database.writing() as connection:
        ids = [*changes, *gone]
        query = select(PLAY_TABLE.c.id, PLAY_TABLE.c.owner).where(PLAY_TABLE.c.id.in_(ids))
        owners: dict[str, str] = {row.id: row.owner for row in connection.execute(query)}
        lost = frozenset(each for each, other in owners.items() if other != owner)
        for each in gone:
            if each in owners and each not in lost:
                _remove(connection, each)
        for key, change in changes.items():
            if key not in lost and (key in owners or change.table is not None) and key not in gone:
                _write(connection, owner, key, change, is_new=key not in owners)
    return lost


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


def _write(connection: Connection, owner: str, key: str, change: Change, *, is_new: bool) -> None:
    now = datetime.now(UTC)
    if change.table is not None:
        values = _values(change.table) | {"owner": owner, "touched": now}
        statement = insert(PLAY_TABLE) if is_new else update(PLAY_TABLE).where(PLAY_TABLE.c.id == key)
        connection.execute(statement.values(values))
        begin_or_end(connection, change.table)
    else:
        connection.execute(update(PLAY_TABLE).where(PLAY_TABLE.c.id == key).values(touched=now))
    if change.moves:
        rows = [{"table_id": key, "number": number, "move": move} for number, move in sorted(change.moves.items())]
        connection.execute(insert_or_replace(connection, PLAY_MOVE), rows)
    if change.lines:
        _add_lines(connection, key, change.lines)


def _add_lines(connection: Connection, key: str, lines: Sequence[StoredLine]) -> None:
    last: int | None = connection.execute(select(func.max(PLAY_LINE.c.number)).where(PLAY_LINE.c.table_id == key)).scalar_one()
    first = 0 if last is None else last + 1
    connection.execute(insert(PLAY_LINE), [{"table_id": key, "number": first + each} | asdict(line) for each, line in enumerate(lines)])
    surplus = first + len(lines) - KEPT_LINES
    connection.execute(delete(PLAY_LINE).where(PLAY_LINE.c.table_id == key, PLAY_LINE.c.number < surplus))


def _remove(connection: Connection, key: str) -> None:
    end_table(connection, key, RatedState.LEFT)
    connection.execute(delete(PLAY_MOVE).where(PLAY_MOVE.c.table_id == key))
    connection.execute(delete(PLAY_LINE).where(PLAY_LINE.c.table_id == key))
    connection.execute(delete(PLAY_TABLE).where(PLAY_TABLE.c.id == key))


def _values(table: StoredTable) -> dict[str, Any]:
    values = asdict(table)
    return values | {"chairs": json.dumps(values["chairs"]), "faults": json.dumps(values["faults"]), "listed": int(table.listed)}


def _read(connection: Connection, key: str) -> tuple[StoredTable, datetime]:
    columns = [column for column in PLAY_TABLE.columns if column.name != "owner"]
    try:
        row = connection.execute(select(*columns).where(PLAY_TABLE.c.id == key)).one()._asdict()
        touched = in_utc(row.pop("touched"))
        read = {"chairs": json.loads(row["chairs"]), "faults": json.loads(row["faults"])}
        return convert(row | read | {"listed": bool(row["listed"]), "since": in_utc(row["since"])}, StoredTable), touched
    except (ValueError, TypeError):  # an invalid time or JSON, or a column of another type
        now = datetime.now(UTC)
        return StoredTable(key, "", "{}", 0, "", (), (), 0, "", False, "closed", DAMAGED, "", "", now, ""), now


@dataclass(frozen=True, slots=True)
class Mailbox:
    """The server that plays the tables (empty: none yet), its news, and the answers to requests by their ids."""

    owner: str
    news: bytes
    answers: Mapping[str, bytes]


def read_mailbox(database: Database, requests: Collection[str]) -> Mailbox:
    """Return who plays the tables, and the answers to these requests so far."""
    answered = select(PLAY_REQUEST.c.id, PLAY_REQUEST.c.answer).where(PLAY_REQUEST.c.id.in_(requests), PLAY_REQUEST.c.answer.is_not(None))
    with database.reading() as connection:
        server = connection.execute(select(PLAY_SERVER.c.owner, PLAY_SERVER.c.news)).one_or_none()
        rows = connection.execute(answered).all() if requests else ()
    owner, news = ("", b"") if server is None else server
    return Mailbox(owner, news, {row.id: row.answer for row in rows})


def send_requests(database: Database, owner: str, requests: Mapping[str, bytes], done: Collection[str]) -> None:
    """Store requests for the server ``owner``, including those sent to another one before, and remove those that are ``done``."""
    with database.writing() as connection:
        connection.execute(delete(PLAY_REQUEST).where(PLAY_REQUEST.c.id.in_([*done, *requests])))
        if requests:
            connection.execute(insert(PLAY_REQUEST), [{"id": key, "owner": owner, "request": text} for key, text in requests.items()])


def read_requests(database: Database, owner: str) -> Mapping[str, bytes] | None:
    """Return the requests that wait for this server, or None if it no longer plays the tables."""
    waiting = select(PLAY_REQUEST.c.id, PLAY_REQUEST.c.request).where(PLAY_REQUEST.c.owner == owner, PLAY_REQUEST.c.answer.is_(None))
    with database.reading() as connection:
        if connection.execute(select(PLAY_SERVER.c.owner)).scalar_one_or_none() != owner:
            return None
        return {row.id: row.request for row in connection.execute(waiting)}


def write_answers(database: Database, owner: str, answers: Mapping[str, bytes], news: bytes | None, old: Collection[str]) -> None:
    """Store answers and any news, unless another server now plays the tables; remove ``old`` answers that were not fetched."""
    with database.writing() as connection:
        if connection.execute(select(PLAY_SERVER.c.owner)).scalar_one_or_none() != owner:
            return
        for key, answer in answers.items():
            connection.execute(update(PLAY_REQUEST).where(PLAY_REQUEST.c.id == key).values(answer=answer))
        if news is not None:
            connection.execute(update(PLAY_SERVER).values(news=news))
        if old:
            connection.execute(delete(PLAY_REQUEST).where(PLAY_REQUEST.c.id.in_(old)))
