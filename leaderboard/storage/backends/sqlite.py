"""A database in a SQLite file: its checks, settings, lock and errors."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool, QueuePool

from engine.text import plain
from leaderboard.errors import DiskFullError, StoreError

_HEADER: Final = b"SQLite format 3\x00"
_TO_READ: Final = ("busy_timeout=30000", "foreign_keys=ON")
_TO_WRITE: Final = (*_TO_READ, "journal_mode=WAL", "synchronous=FULL")


class SqliteFile:
    """A file that is a SQLite database, or will become one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = plain(str(path))

    @property
    def public_name(self) -> str:
        """The file's name without its folder."""
        return plain(self._path.name)

    @property
    def _file(self) -> Path:
        """The file that links lead to. The lock, and the files that SQLite keeps beside it, are named after it."""
        return Path(os.path.realpath(self._path))

    def exists(self) -> bool:
        """Return whether there is something of that name."""
        try:
            return self._path.exists()
        except (OSError, ValueError):  # circular links, a name that is too long, a NUL: opening it will say so
            return False

    def exposure(self) -> str | None:
        """Return a warning, one sentence, if other users of this machine can read the file."""
        file = self._file
        try:
            mode = file.stat().st_mode
            is_open = mode & stat.S_IROTH and all(folder.stat().st_mode & stat.S_IXOTH for folder in file.parents)
        except OSError:
            return None
        if not is_open or os.name != "posix":
            return None
        return (
            f"other users of this machine can read {self.name} (mode {stat.S_IMODE(mode):o}), and it holds sources and seeds; "
            f"chmod 600 {self.name} keeps them out"
        )

    def check_to_read(self) -> None:
        """Raise StoreError if the file is plainly not a SQLite database."""
        try:
            if not self._path.exists():
                return
            if not self._path.is_file():
                raise StoreError(f"{self.name} is not a file; give a database with --db")
            with self._path.open("rb") as file:
                header = file.read(len(_HEADER))
        except (OSError, ValueError) as error:
            raise StoreError(f"the database {self.name} can't be read: {getattr(error, 'strerror', None) or error}") from None
        if header and header != _HEADER:
            raise StoreError(f"{self.name} is not a database of this program; give another file with --db")

    def check_to_write(self) -> None:
        """Raise StoreError if the file plainly can't be written."""
        self.check_to_read()
        path = self._file
        if not path.parent.is_dir():
            folder = (path if self._path.is_symlink() else self._path).parent
            raise StoreError(f"there is no folder {plain(str(folder))} to keep the database {plain(path.name)} in; create it first")
        if path.is_symlink() or (self._path.exists() and not path.exists()):
            raise StoreError(f"{self.name} is a link to a file that doesn't exist; give the file itself with --db")
        if path.exists() and path.stat().st_nlink > 1:
            raise StoreError(
                f"{self.name} has a second name (a hard link), and what is written under one is not seen under the other; "
                f"remove one of the names, or give another file with --db"
            )
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise self._read_only()

    def engine(self, *, to_write: bool) -> Engine:
        """Return an engine for the file; the commits of one for writing survive a power cut (``synchronous=FULL``)."""
        absolute = self._file  # even a name such as ':memory:' means a file
        url = URL.create("sqlite", database=str(absolute))
        if not os.access(absolute.parent, os.W_OK) and not Path(f"{absolute}-wal").exists():
            # SQLite creates files beside a database in WAL mode even for reading; where it may not, nobody is writing either.
            url = URL.create("sqlite", database=f"file:{quote(str(absolute))}", query={"immutable": "1", "uri": "true"})
        # A run keeps its connections: whenever the last one is closed, SQLite checkpoints the WAL into the file and syncs it.
        engine = create_engine(url, poolclass=QueuePool if to_write else NullPool, connect_args={"timeout": 30}, hide_parameters=True)

        @event.listens_for(engine, "connect")
        def set_up(connection: _Connection, _record: object) -> None:
            for pragma in _TO_WRITE if to_write else _TO_READ:
                connection.execute(f"PRAGMA {pragma}")

        return engine

    def lock(self, _engine: Engine) -> Callable[[], None]:
        """Keep other runs out; return the function that lets them in again. Raises StoreError if another run is there."""
        from filelock import FileLock, Timeout  # noqa: PLC0415  # reading needs no lock

        lock = FileLock(self._lock_file, mode=self._mode())
        try:
            lock.acquire(blocking=False)
        except Timeout:
            raise StoreError(
                f"another run is writing to {self.name}; wait for it to end, or give this run another file with --db"
            ) from None
        except OSError as error:
            why = "it is a link, and nothing is written through a link" if error.errno == errno.ELOOP else error.strerror
            raise StoreError(f"the lock {plain(self._lock_file)} can't be taken: {why}") from None
        return lock.release

    def lock_tables(self, _engine: Engine) -> Callable[[], None] | None:
        """Keep other servers from playing the stored tables; return the function that lets them, or None if another one does so now.

        Raises StoreError.
        """
        from filelock import FileLock, Timeout  # noqa: PLC0415  # as above

        lock = FileLock(f"{self._file}.play.lock", mode=self._mode(), thread_local=False)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return None
        except OSError as error:
            raise StoreError(f"the lock {plain(lock.lock_file)} can't be taken: {error.strerror}") from None
        return lock.release

    def make(self) -> None:
        """Create an empty file that only its owner can read. SQLite gives the same mode to the files beside it. Raises StoreError."""
        try:
            os.close(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            return
        except OSError as error:
            raise StoreError(f"the database {self.name} can't be created: {error.strerror}") from None

    @property
    def _lock_file(self) -> str:
        return f"{self._file}.lock"

    def _mode(self) -> int:
        """Return the mode of the database, or the one it will have: whoever may write to it may lock it."""
        try:
            return stat.S_IMODE(self._file.stat().st_mode)
        except OSError:
            return 0o600

    def is_being_written(self) -> bool:
        """Return whether a run holds the lock now."""
        from filelock import FileLock, Timeout  # noqa: PLC0415  # as above

        lock = FileLock(self._lock_file, mode=self._mode())
        if not Path(self._lock_file).exists():
            return False
        try:
            lock.acquire(blocking=False)
        except (Timeout, OSError):
            return True
        lock.release()
        return False

    @staticmethod
    def begin(connection: Connection) -> None:
        """Begin a transaction explicitly: sqlite3 begins none for CREATE TABLE."""
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    def explain(self, error: DBAPIError) -> StoreError:
        """Turn the database's own error into one sentence."""
        reason = str(error.orig)
        if "readonly" in reason or "read-only" in reason:
            return self._read_only()
        if "not a database" in reason or "malformed" in reason:
            return StoreError(f"{self.name} is damaged or not a database: {reason}")
        if "full" in reason:
            return DiskFullError(f"the disk is full: {self.name} could not be written; make room and run the same command again")
        return StoreError(f"the database {self.name} can't be used: {reason}")

    def _read_only(self) -> StoreError:
        return StoreError(f"the database {self.name} is read-only for you; give another file with --db")


class _Connection(Protocol):
    """The part of a SQLite connection that its set-up uses."""

    def execute(self, statement: str, /) -> object: ...
