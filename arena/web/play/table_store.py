"""Tables in the database: the stored form of one, a thread that writes changes, and restoring tables."""

from __future__ import annotations

import json
import secrets
import threading
from collections import deque
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from time import monotonic
from types import MappingProxyType
from typing import Final

from arena.entries.bot_resolution import find_bot
from arena.web.data.offered_games import OfferedGames
from arena.web.errors import HostLog
from arena.web.play.seats import Seat, Stage, Visitor
from arena.web.play.table import PlayTable
from bots.errors import BotError
from bots.messages import decode_options, encode_options
from engine.core import EngineError
from engine.core.errors import ArenaError
from engine.records import Fault, FaultKind
from leaderboard.errors import StoreError
from leaderboard.storage.members import Member, RatedMatch, find_member, rated_matches
from leaderboard.storage.play_tables import (
    DAMAGED,
    KEPT_LINES,
    Change,
    StoredChair,
    StoredFault,
    StoredLine,
    StoredTable,
    claim_tables,
    lines_of,
    moves_of,
    write_tables,
)
from leaderboard.storage.store import Store

_TRY_SECONDS: Final = 1.0
"""The time between attempts to become the server that plays the tables, or to repeat a failed write."""


class GoneError(ArenaError):
    """A stored table can't continue; the text is a sentence for the people at the table."""


def record_of(table: PlayTable) -> StoredTable:
    """Return the stored form of a table, apart from its moves and lines."""
    return StoredTable(
        table.id,
        table.game.name,
        json.dumps(encode_options(dict(table.game.options)), sort_keys=True),
        table.seed,
        table.ticket,
        tuple(StoredChair(seat.name, seat.label, seat.version.digest if seat.version else "", seat.key, seat.gone) for seat in table.seats),
        tuple(StoredFault(number, fault.kind.value, fault.index, fault.detail) for number, fault in table.faults.items()),
        table.maker,
        table.visitor.browser,
        table.is_listed,
        table.stage.value,
        table.problem,
        table.match,
        table.rematch,
        datetime.fromtimestamp(int(table.since), UTC),
        table.continues,
        table.rated,
        table.unrated,
    )


class TableStore:
    """The stored tables of one database; its methods may be called from any thread.

    ``on_lost`` is called when another server turns out to play the tables. That can only happen on PostgreSQL, after the connection that
    holds the lock was lost.
    """

    def __init__(self, place: str, on_lost: Callable[[], None]) -> None:
        self._place = place
        self._on_lost = on_lost
        self.owner = ""
        """The id by which this server owns the tables, a new one each time that it takes them over."""
        self._store: Store | None = None
        self._unlock: Callable[[], None] | None = None
        self._changed = threading.Condition()
        self._tried = -_TRY_SECONDS
        self._pending: dict[str, Change] = {}
        self._removed: set[str] = set()
        self._saved: dict[str, tuple[StoredTable, int]] = {}
        """The last saved record of each table, and its number of saved moves."""
        self._is_writing = False
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._host = HostLog()

    def claim(self) -> tuple[tuple[StoredTable, datetime], ...] | None:
        """Become the server that plays the tables, and return the stored ones; None if another server plays them. Raises StoreError.

        It is tried at most once a second, by one thread at a time.
        """
        if self._is_closed or monotonic() - self._tried < _TRY_SECONDS:
            return None
        self._tried = monotonic()
        self._store = self._store or Store.join(self._place)
        self._unlock = self._unlock or self._store.lock_tables()
        if self._unlock is None:
            return None
        self.owner = secrets.token_hex(8)
        claimed = claim_tables(self._store, self.owner)
        if damaged := [record.id for record, _ in claimed if record.problem == DAMAGED]:
            self._host.tell(f"tables are closed, since their rows in the database are damaged: {', '.join(damaged)}")
        if self._thread is None:
            self._thread = threading.Thread(target=self._write, name="tables", daemon=True)
            self._thread.start()
        return claimed

    def release(self) -> None:
        """Let other servers play the tables, and drop pending writes."""
        with self._changed:
            self._pending, self._removed = {}, set()
        self._saved.clear()
        if self._unlock is not None:
            self._unlock()
            self._unlock = None

    def restore(self, record: StoredTable, games: OfferedGames) -> PlayTable:
        """Return the table that was stored, with its match paused where it was. Raises GoneError if it can't go on, and StoreError."""
        assert self._store is not None
        seats = [_seat(each, self._store) for each in record.chairs]
        try:
            moves = moves_of(self._store, record.id)
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
        table.match, table.rematch, table.maker, table.continues = record.match, record.rematch, record.maker, record.continues
        table.is_listed, table.visitor = record.listed, Visitor("", record.browser)
        table.rated, table.unrated = record.rated, record.unrated
        table.since = record.since.timestamp()
        table.is_paused = table.stage is Stage.PLAYING
        table.chat = deque(lines_of(self._store, record.id), KEPT_LINES)
        self._saved[record.id] = (record, len(moves))
        return table

    def save(self, table: PlayTable) -> None:
        """Schedule a write of the changes to a table."""
        record, moves = record_of(table), table.live.moves
        before, known = self._saved.get(table.id, (None, 0))
        new = {number: str(moves[number]) for number in range(known, len(moves))}
        if new or record != before:
            self.save_record(record, new)
        self._saved[table.id] = (record, len(moves))

    def save_record(self, record: StoredTable, moves: Mapping[int, str] = MappingProxyType({})) -> None:
        """Queue the record of a table for writing, with moves by number; moves queued before a table's first record would be dropped."""
        with self._changed:
            change = self._pending.setdefault(record.id, Change())
            change.table = record
            change.moves |= moves
            self._changed.notify_all()

    def save_move(self, key: str, number: int, move: str) -> None:
        """Queue a move for writing."""
        with self._changed:
            self._pending.setdefault(key, Change()).moves[number] = move
            self._changed.notify_all()

    def save_line(self, key: str, line: StoredLine) -> None:
        """Queue a line of the chat for writing."""
        with self._changed:
            self._pending.setdefault(key, Change()).lines.append(line)
            self._changed.notify_all()

    def forget(self, key: str) -> None:
        """Record that a table is no longer in memory."""
        self._saved.pop(key, None)

    def remove(self, key: str) -> None:
        """Queue a table for removal."""
        with self._changed:
            self._pending.pop(key, None)
            self._removed.add(key)
            self._changed.notify_all()

    def flush(self, seconds: float) -> bool:
        """Wait until all queued changes are written; return whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._pending or self._removed or self._is_writing), seconds)

    def member_of(self, key: str) -> tuple[Member | None, tuple[RatedMatch, ...]]:
        """Return the member with this key, if there is one, and their rated matches. Raises StoreError."""
        assert self._store is not None
        member = find_member(self._store, key=key)
        return member, rated_matches(self._store, member.id) if member else ()

    def close(self) -> None:
        """Write the remaining changes, and let other servers play the tables."""
        if self._thread is not None:
            self.flush(5.0)
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(5)
        self.release()
        if self._store is not None:
            self._store.close()

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._pending or self._removed or self._is_closed)
                if self._is_closed:
                    return
                pending, removed = self._pending, self._removed
                self._pending, self._removed, self._is_writing = {}, set(), True
            lost = self._written(pending, removed)
            with self._changed:
                if lost is None:
                    self._put_back(pending, removed)
                self._is_writing = False
                self._changed.notify_all()
                if lost is None and not self._is_closed:
                    self._changed.wait(_TRY_SECONDS)
            if lost:
                self._on_lost()

    def _written(self, pending: dict[str, Change], removed: set[str]) -> frozenset[str] | None:
        """Write changes; return the tables that another server has, or None if the write has to be repeated."""
        assert self._store is not None
        try:
            return write_tables(self._store, self.owner, pending, removed)
        except StoreError as error:
            self._host.tell(f"tables can't be stored, and a restart would lose what happens at them now: {error}")
            return None

    def _put_back(self, pending: dict[str, Change], removed: set[str]) -> None:
        """Keep changes that could not be written; newer ones take precedence."""
        for key, change in pending.items():
            newer = self._pending.get(key)
            if newer is not None:
                change.table = newer.table or change.table
                change.moves |= newer.moves
                change.lines += newer.lines
            self._pending[key] = change
        self._removed |= removed
        for key in self._removed:
            self._pending.pop(key, None)


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
