"""Keeps tables in the database: what changes is written by a thread of its own, which collects what comes meanwhile."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from datetime import datetime
from time import monotonic
from typing import Final

from arena.web.errors import HostLog
from arena.web.play.table_records import GoneError
from leaderboard.errors import StoreError
from leaderboard.storage.play_tables import DAMAGED, Change, StoredLine, StoredTable, claim_tables, lines_of, moves_of, write_tables
from leaderboard.storage.store import Store

_TRY_SECONDS: Final = 1.0
"""Between two attempts to become the server that plays the tables, or to write what could not be written."""
LOST: Final = "another server of this database plays this table now"


class Keeper:
    """The tables of one database; its methods may be called from any thread.

    ``on_lost`` is called with the ids of tables that another server has taken over. That can only happen on PostgreSQL, after the
    connection that holds the lock was lost.
    """

    def __init__(self, place: str, on_lost: Callable[[frozenset[str]], None]) -> None:
        self._place = place
        self._on_lost = on_lost
        self._owner = secrets.token_hex(8)
        self._store: Store | None = None
        self._unlock: Callable[[], None] | None = None
        self._changed = threading.Condition()
        self._tried = -_TRY_SECONDS
        self._pending: dict[str, Change] = {}
        self._removed: set[str] = set()
        self._is_writing = False
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._host = HostLog()

    def claim(self) -> tuple[tuple[StoredTable, datetime], ...] | None:
        """Become the server that plays the tables, and return those there are; None if another one does. Raises StoreError.

        It is tried at most once a second, by one thread at a time.
        """
        if self._is_closed or monotonic() - self._tried < _TRY_SECONDS:
            return None
        self._tried = monotonic()
        self._store = self._store or Store.join(self._place)
        self._unlock = self._unlock or self._store.lock_tables()
        if self._unlock is None:
            return None
        found = claim_tables(self._store, self._owner)
        if damaged := [record.id for record, _ in found if record.problem == DAMAGED]:
            self._host.tell(f"tables are closed, since their rows in the database are damaged: {', '.join(damaged)}")
        self._thread = threading.Thread(target=self._write, name="tables", daemon=True)
        self._thread.start()
        return found

    def moves(self, table: str) -> tuple[str, ...]:
        """Return the moves of a stored table so far. Raises StoreError, and GoneError if one is missing."""
        assert self._store is not None
        try:
            return moves_of(self._store, table)
        except ValueError:
            raise GoneError(DAMAGED) from None

    def lines(self, table: str) -> tuple[StoredLine, ...]:
        """Return what was written at a stored table. Raises StoreError."""
        assert self._store is not None
        return lines_of(self._store, table)

    def note(
        self, key: str, *, table: StoredTable | None = None, move: tuple[int, str] | None = None, line: StoredLine | None = None
    ) -> None:
        """Have something written soon."""
        with self._changed:
            change = self._pending.setdefault(key, Change())
            change.table = table or change.table
            if move is not None:
                change.moves[move[0]] = move[1]
            if line is not None:
                change.lines.append(line)
            self._changed.notify_all()

    def remove(self, key: str) -> None:
        """Have a table removed soon."""
        with self._changed:
            self._pending.pop(key, None)
            self._removed.add(key)
            self._changed.notify_all()

    def flush(self, seconds: float) -> bool:
        """Wait until all that was noted is written; return whether it is."""
        until = monotonic() + seconds
        with self._changed:
            while (self._pending or self._removed or self._is_writing) and (left := until - monotonic()) > 0:
                self._changed.wait(left)
            return not (self._pending or self._removed or self._is_writing)

    def close(self) -> None:
        """Write what is left, and let other servers play the tables."""
        if self._thread is not None:
            self.flush(5.0)
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(5)
        if self._unlock is not None:
            self._unlock()
        if self._store is not None:
            self._store.close()

    def _write(self) -> None:
        while True:
            with self._changed:
                while not (self._pending or self._removed or self._is_closed):
                    self._changed.wait()
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
                self._on_lost(lost)

    def _written(self, pending: dict[str, Change], removed: set[str]) -> frozenset[str] | None:
        """Write it; return the tables that another server has, or None if it has to be tried again."""
        assert self._store is not None
        try:
            return write_tables(self._store, self._owner, pending, removed)
        except StoreError as error:
            self._host.tell(f"tables can't be stored, and a restart would lose what happens at them now: {error}")
            return None

    def _put_back(self, pending: dict[str, Change], removed: set[str]) -> None:
        """Keep what could not be written, below what came meanwhile."""
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
