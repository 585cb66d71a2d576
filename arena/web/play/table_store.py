"""Tables in the database: the stored form of one, writing changes, and restoring tables."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from arena.bots import find_bot
from arena.web.errors import HostLog
from arena.web.games import OfferedGames
from arena.web.play.seats import Seat, Stage, Visitor
from arena.web.play.table import PlayTable
from bots.errors import BotError
from bots.messages import decode_options, encode_options
from engine.core import EngineError
from engine.core.errors import ArenaError
from engine.records import Fault, FaultKind, MatchResult
from leaderboard.errors import StoreError
from leaderboard.storage.play_tables import (
    DAMAGED,
    KEPT_LINES,
    Line,
    StoredChair,
    StoredFault,
    StoredTable,
    finish_table,
    lines_of,
    match_of_table,
    moves_of,
    remove_table,
    save_table,
    stored_tables,
)
from leaderboard.storage.store import Store


class GoneError(ArenaError):
    """A stored table can't continue; the text is a sentence for the people at the table."""


def record_of(table: PlayTable) -> StoredTable:
    """Return the stored form of a table, apart from its moves and lines."""
    return StoredTable(
        id=table.id,
        game=table.game.name,
        options=json.dumps(encode_options(dict(table.game.options)), sort_keys=True),
        seed=table.seed,
        ticket=table.ticket,
        chairs=tuple(
            StoredChair(seat.name, seat.label, seat.version.digest if seat.version else "", seat.key, seat.gone) for seat in table.seats
        ),
        faults=tuple(StoredFault(number, fault.kind.value, fault.index, fault.detail) for number, fault in table.faults.items()),
        maker=table.maker,
        browser=table.visitor.browser,
        listed=table.is_listed,
        stage=table.stage.value,
        problem=table.problem,
        rematch=table.rematch,
        since=datetime.fromtimestamp(int(table.since), UTC),
        continues=table.continues,
    )


class TableStore:
    """The stored tables of one database; its methods may be called from any thread.

    What can't be written is reported to the host, and written with the table's next change.
    """

    def __init__(self, place: str) -> None:
        self._place = place
        self._store: Store | None = None
        self._saved: dict[str, tuple[dict[str, object], int]] = {}
        """The facts of each table that were saved last, and the number of its saved moves."""
        self._host = HostLog()

    def load(self) -> tuple[StoredTable, ...]:
        """Open the database, and return the stored tables. Raises StoreError."""
        self._store = self._store or Store.join(self._place)
        found = stored_tables(self._store)
        if damaged := [record.id for record in found if record.problem == DAMAGED]:
            self._host.tell(f"tables are closed, since their rows in the database are damaged: {', '.join(damaged)}")
        return found

    def restore(self, record: StoredTable, games: OfferedGames) -> PlayTable:
        """Return the table that was stored, with its match paused where it was. Raises GoneError if it can't go on, and StoreError."""
        seats = [_seat(each, self._joined) for each in record.chairs]
        try:
            moves = moves_of(self._joined, record.id)
            faults = {each.seat: Fault(FaultKind(each.kind), each.index, each.detail) for each in record.faults}
            stage, _ = Stage(record.stage), (seats[record.maker], [seats[number] for number in faults])
        except (ValueError, IndexError):
            raise GoneError(DAMAGED) from None
        try:
            game = games.find(record.game, decode_options(json.loads(record.options)))
            opening = [game.parse(move) for move in moves]
            table = PlayTable(record.id, game, seats, record.seed, opening, ticket=record.ticket, faults=faults)
        except (EngineError, ValueError, TypeError, AttributeError, AssertionError):
            raise GoneError(f"the game {record.game} has changed since this match began, so the match can't go on") from None
        table.stage, table.problem = stage, record.problem
        table.rematch, table.maker, table.continues = record.rematch, record.maker, record.continues
        table.is_listed, table.visitor = record.listed, Visitor("", record.browser)
        table.since = record.since.timestamp()
        table.is_paused = table.stage is Stage.PLAYING
        table.chat = deque(lines_of(self._joined, record.id), KEPT_LINES)
        self._saved[record.id] = _facts(record), len(moves)
        return table

    def save(self, table: PlayTable) -> None:
        """Write the changes to a table whose match is not finished."""
        if table.match:
            return
        record, moves = record_of(table), table.live.moves
        before, known = self._saved.get(table.id, ({}, 0))
        new = {number: str(moves[number]) for number in range(known, len(moves))}
        if (new or _facts(record) != before or table.new_lines) and self._write(record, new, table.new_lines):
            self._saved[table.id] = _facts(record), len(moves)
            table.new_lines.clear()

    def save_move(self, table: PlayTable, number: int, move: str) -> None:
        """Write a move that is about to be played."""
        self._write(record_of(table), {number: move})

    def save_closed(self, record: StoredTable) -> None:
        """Write the record of a table that is not restored."""
        self._write(record, {})

    def finish(self, table: PlayTable, result: MatchResult) -> None:
        """Write the finished match of a table. Raises StoreError."""
        finish_table(self._joined, table.id, result, [seat.version.digest if seat.version else "" for seat in table.seats])

    def match_at(self, key: str) -> str | None:
        """Return the id of the match that was finished at a table, if there is one. Raises StoreError."""
        return match_of_table(self._joined, key)

    def forget(self, key: str) -> None:
        """Record that a table is no longer in memory."""
        self._saved.pop(key, None)

    def remove(self, key: str) -> None:
        """Remove a table."""
        try:
            remove_table(self._joined, key)
        except StoreError as error:
            self._host.tell(f"a table can't be removed: {error}")

    def close(self) -> None:
        """Close the database."""
        if self._store is not None:
            self._store.close()

    @property
    def _joined(self) -> Store:
        assert self._store is not None, "the tables have not been loaded"
        return self._store

    def _write(self, record: StoredTable, moves: Mapping[int, str], lines: Sequence[Line] = ()) -> bool:
        """Write a table; return whether that was possible."""
        try:
            save_table(self._joined, record, moves, lines)
        except StoreError as error:
            self._host.tell(f"tables can't be stored, and a restart would lose what happens at them now: {error}")
            return False
        return True


def _facts(record: StoredTable) -> dict[str, object]:
    return record.model_dump(exclude={"touched"})


def _seat(stored: StoredChair, store: Store) -> Seat:
    if not stored.bot:
        return Seat(stored.name, key=stored.key, gone=stored.gone)
    try:
        version = find_bot(stored.bot, store, in_process=False)
    except BotError:
        raise GoneError(f"the bot {stored.bot} is no longer here, so the match can't go on") from None
    if version.digest != stored.digest:
        raise GoneError(f"the bot {stored.bot} has changed since this match began, so the match can't go on")
    return Seat(stored.name, version, label=stored.bot)
