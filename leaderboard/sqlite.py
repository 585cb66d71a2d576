"""A database in a file: its checks, settings, lock and errors. What is in it is not known here."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool, QueuePool

from leaderboard.errors import DiskFullError, StoreError

_HEADER: Final = b"SQLite format 3\x00"
_TO_READ: Final = ("busy_timeout=30000", "foreign_keys=ON")
_TO_WRITE: Final = (*_TO_READ, "journal_mode=WAL", "synchronous=FULL")


class SqliteFile:
    """A file that is a SQLite database, or is to become one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = str(path)

    def exists(self) -> bool:
        """Whether there is something of that name."""
        return self._path.exists()

    def check_to_read(self) -> None:
        """Raise StoreError for what is plainly no SQLite database."""
        if not self._path.exists():
            return
        if not self._path.is_file():
            raise StoreError(f"{self.name} is no file; give a database with --db")
        try:
            with self._path.open("rb") as file:
                header = file.read(len(_HEADER))
        except OSError as error:
            raise StoreError(f"the database {self.name} can't be read: {error.strerror}") from None
        if header and header != _HEADER:
            raise StoreError(f"{self.name} is no database of this program; give another file with --db")

    def check_to_write(self) -> None:
        """Raise StoreError where nothing can be written."""
        path = self._path
        if not path.parent.is_dir():
            raise StoreError(f"there is no folder {path.parent} to keep the database {path.name} in; create it first")
        self.check_to_read()
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise self._read_only()

    def engine(self, *, to_write: bool) -> Engine:
        """An engine for the file; one to write with makes commits that survive a power cut (``synchronous=FULL``)."""
        absolute = self._path.absolute()  # a name such as ':memory:' means a file, too
        url = URL.create("sqlite", database=str(absolute))
        if not os.access(self._path.parent, os.W_OK) and not Path(f"{absolute}-wal").exists():
            # SQLite wants to make its files beside a database in WAL mode, also for reading; where it may not, nobody is writing either.
            url = URL.create("sqlite", database=f"file:{quote(str(absolute))}", query={"immutable": "1", "uri": "true"})
        # A run keeps its connections: whenever the last one is closed, SQLite copies what was written into the file and makes sure of it.
        engine = create_engine(url, poolclass=QueuePool if to_write else NullPool, connect_args={"timeout": 30})

        @event.listens_for(engine, "connect")
        def set_up(connection: _Connection, _record: object) -> None:
            for pragma in _TO_WRITE if to_write else _TO_READ:
                connection.execute(f"PRAGMA {pragma}")

        return engine

    def lock(self, _engine: Engine) -> Callable[[], None]:
        """Keep other runs out; gives what lets them in again. Raises StoreError when another run is there."""
        from filelock import FileLock, Timeout  # noqa: PLC0415  # those who only read need none

        lock = FileLock(f"{self.name}.lock")
        try:
            lock.acquire(blocking=False)
        except Timeout:
            raise StoreError(
                f"another run is writing to {self.name}; wait for it to end, or give this run another file with --db"
            ) from None
        except OSError as error:
            raise StoreError(f"the database {self.name} can't be locked: {error.strerror}") from None
        return lock.release

    def is_being_written(self) -> bool:
        """Whether a run holds the lock now."""
        from filelock import FileLock, Timeout  # noqa: PLC0415  # as above

        lock = FileLock(f"{self.name}.lock")
        if not Path(lock.lock_file).exists():
            return False
        try:
            lock.acquire(blocking=False)
        except (Timeout, OSError):
            return True
        lock.release()
        return False

    @staticmethod
    def begin(connection: Connection) -> None:
        """Begin a transaction that holds changes of tables too: sqlite3 begins none for CREATE TABLE by itself."""
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    def explain(self, error: DBAPIError) -> StoreError:
        """The database's own error as one sentence."""
        reason = str(error.orig)
        if "readonly" in reason or "read-only" in reason:
            return self._read_only()
        if "not a database" in reason or "malformed" in reason:
            return StoreError(f"{self.name} is damaged or no database: {reason}")
        if "full" in reason:
            return DiskFullError(f"the disk is full: {self.name} could not be written; make room and run the same command again")
        return StoreError(f"the database {self.name} can't be used: {reason}")

    def _read_only(self) -> StoreError:
        return StoreError(f"the database {self.name} is read-only for you; give another file with --db")


class _Connection(Protocol):
    """What the set-up of a new SQLite connection needs of it."""

    def execute(self, statement: str, /) -> object: ...
