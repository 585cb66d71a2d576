"""A database in a SQLite file: its checks, settings, locks and errors.

The whole program must open the file only through SQLite. When a process closes any descriptor of a file, it loses all its POSIX locks on
that file, even those of open connections. If another process then closed the database, it would remove the write-ahead log, although the
open connections still write to that log (sqlite.org, "How To Corrupt An SQLite Database File", 2.2).
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, Protocol
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool, QueuePool

from engine.text import plain
from leaderboard.errors import DatabaseUnavailableError, DiskFullError, StorageFaultError, StoreError
from leaderboard.records import Space

_BUSY_SECONDS: Final = 30
_TO_READ: Final = (f"busy_timeout={1000 * _BUSY_SECONDS}", "foreign_keys=ON")
_TO_WRITE: Final = (*_TO_READ, "synchronous=FULL")
_ENDS: Final = frozenset({".db", ".sqlite", ".sqlite3"})
_MOST_OTHERS: Final = 5
_LOCK_SECONDS: Final = 1.0
"""How long to keep trying to lock out other runs, because a check for a run in progress holds the lock briefly."""


def _use_wal(connection: _Connection) -> None:
    """Enable the write-ahead log. Raises OperationalError.

    If several connections do this to a new file at the same time, SQLite refuses some of them instead of waiting, so they retry.
    """
    late = monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error_code(error) != sqlite3.SQLITE_BUSY or monotonic() > late:
                raise
        sleep(0.01)


def take_lock(path: str, mode: int, seconds: float = 0.0) -> Callable[[], None] | None:
    """Lock a file, creating it with this mode if it is missing; return a function that releases the lock and may be called twice.

    Return None if the file is still locked, by this or another process, after ``seconds``. A lock ends with its process. Raises OSError,
    for example if the file is a link.
    """
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, mode), "rb")
    with suppress(PermissionError):  # the file has a different owner
        os.fchmod(file.fileno(), mode)  # regardless of the umask
    late = monotonic() + seconds
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file.close
        except BlockingIOError:
            if monotonic() >= late:
                file.close()
                return None
        sleep(0.01)


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
        """The file with links resolved. The lock file and SQLite's own files next to it are named after it."""
        return Path(os.path.realpath(self._path))

    def exists(self) -> bool:
        """Return whether the path exists."""
        try:
            return self._path.exists()
        except (OSError, ValueError):  # circular links, a name that is too long, a NUL: opening the file reports it
            return False

    def exposure(self) -> str | None:
        """Return a warning in one sentence if other users of this machine can read the file, otherwise None."""
        file = self._file
        try:
            mode = file.stat().st_mode
            is_open = mode & stat.S_IROTH and all(folder.stat().st_mode & stat.S_IXOTH for folder in file.parents)
        except OSError:
            return None
        if not is_open or os.name != "posix":
            return None
        return (
            f"other users of this machine can read {self.name} (mode {stat.S_IMODE(mode):o}), and it contains bots and seeds; "
            f"chmod 600 {self.name} keeps them out"
        )

    def others(self) -> tuple[str, ...]:
        """Return the names of other database files (by suffix) in the same folder: the ``_MOST_OTHERS`` most recently written ones."""
        try:
            files = [each for each in self._path.parent.iterdir() if each.suffix in _ENDS and each.is_file()]
            files.sort(key=lambda each: (-each.stat().st_mtime, each.name))
        except (OSError, ValueError):  # there is no such folder
            return ()
        return tuple(plain(str(each)) for each in files[:_MOST_OTHERS])

    def check_to_read(self) -> None:
        """Raise StoreError if the path is not a file. Whether the file is a database is checked by SQLite."""
        try:
            is_other = self._path.exists() and not self._path.is_file()
        except (OSError, ValueError) as error:
            raise self._unreadable(getattr(error, "strerror", None) or str(error)) from None
        if is_other:
            raise StoreError(f"{self.name} is not a file; give a database file with --db")

    def check_to_write(self) -> None:
        """Raise StoreError if the file obviously can't be written."""
        self.check_to_read()
        path = self._file
        if not path.parent.is_dir():
            folder = (path if self._path.is_symlink() else self._path).parent
            raise StoreError(f"the folder {plain(str(folder))} for the database {plain(path.name)} does not exist; create it first")
        if path.is_symlink() or (self._path.exists() and not path.exists()):
            raise StoreError(f"{self.name} is a link to a file that doesn't exist; give the file itself with --db")
        if path.exists() and path.stat().st_nlink > 1:
            raise StoreError(
                f"{self.name} has a second name (a hard link), and changes made under one name may not be seen under the other; "
                f"remove one of the names, or give a different file with --db"
            )
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise self._read_only()

    def engine(self, *, to_write: bool) -> Engine:
        """Return an engine for the file. With ``to_write``, commits survive a power cut (``synchronous=FULL``)."""
        file = self._file
        url = URL.create("sqlite", database=file_uri(file), query={"mode": "rw", "uri": "true"})  # rw: the file must exist
        # A run keeps its connections: whenever the last one is closed, SQLite checkpoints the WAL into the file and syncs it.
        pool = QueuePool if to_write else NullPool
        engine = create_engine(url, poolclass=pool, connect_args={"timeout": _BUSY_SECONDS}, hide_parameters=True)

        @event.listens_for(engine, "connect")
        def set_up(connection: _Connection, _record: object) -> None:
            for pragma in _TO_WRITE if to_write else _TO_READ:
                connection.execute(f"PRAGMA {pragma}")
            if to_write:
                _use_wal(connection)

        if not to_write:

            @event.listens_for(engine, "do_connect")
            def connect(_dialect: object, _record: object, names: list[str], settings: dict[str, Any]) -> sqlite3.Connection | None:
                return None if os.access(file.parent, os.W_OK) else _connect_in_read_only_folder(file, names[0], settings)

        return engine

    def lock(self, _engine: Engine) -> Callable[[], None]:
        """Lock out other runs; return a function that releases the lock. Raises StoreError if another run holds the lock."""
        unlock = self._lock(self._lock_file, _LOCK_SECONDS)
        if unlock is None:
            raise StoreError(f"another run is writing to {self.name}; wait for it to end, or give this run a different file with --db")
        return unlock

    @staticmethod
    def lock_again(_engine: Engine, unlock: Callable[[], None]) -> Callable[[], None]:
        """Do nothing and return ``unlock``; the process can't lose its lock on the file before it ends."""
        return unlock

    def lock_server(self, _engine: Engine) -> Callable[[], None] | None:
        """Lock out other servers; return a function that releases the lock, or None if another server has it. Raises StoreError."""
        return self._lock(f"{self._file}.serve.lock")

    def _lock(self, path: str, seconds: float = 0.0) -> Callable[[], None] | None:
        try:
            return take_lock(path, self._mode(), seconds)
        except OSError as error:
            why = "it is a link, and links are not followed" if error.errno == errno.ELOOP else error.strerror
            raise StoreError(f"the file {plain(path)} can't be locked: {why}") from None

    def make(self) -> None:
        """Create an empty file that only its owner can read. SQLite gives the same mode to its own files next to it. Raises StoreError.

        An existing file is not opened, because a connection might have a lock on it.
        """
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
        """Return the mode that lock files get, which is that of the database, so that whoever can write to it can lock it."""
        try:
            return stat.S_IMODE(self._file.stat().st_mode)
        except OSError:
            return 0o600

    def is_being_written(self) -> bool:
        """Return whether a run holds the lock."""
        if not Path(self._lock_file).exists():
            return False
        try:
            unlock = take_lock(self._lock_file, self._mode())
        except OSError:
            return True
        if unlock is not None:
            unlock()
        return unlock is None

    def space(self, _connection: Connection) -> Space:
        """Return the size of the file and SQLite's own files next to it, and the space on the disk. Raises StoreError."""
        file = self._file
        try:
            disk = shutil.disk_usage(file.parent)
            used = sum(each.stat().st_size for each in (file, Path(f"{file}-wal"), Path(f"{file}-shm")) if each.exists())
        except OSError as error:
            raise self._unreadable(error.strerror or str(error)) from None
        return Space(used, disk.free, disk.total)

    @staticmethod
    def erase(connection: Connection) -> None:
        """Make this connection overwrite deleted data with zeros."""
        connection.exec_driver_sql("PRAGMA secure_delete = ON")

    def compact(self, connection: Connection) -> bool:
        """Rewrite the file, empty its log and return True. If a run is writing, only return False, so that the run needn't wait."""
        if self.is_being_written():
            return False
        connection.exec_driver_sql("VACUUM")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return True

    @staticmethod
    def columns(connection: Connection) -> list[tuple[str, str]]:
        """Return every column as (table, column), without SQLite's own tables."""
        query = "SELECT t.name, c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'"
        rows = connection.exec_driver_sql(query).all()
        return [(table, column) for table, column in rows if not table.startswith("sqlite_")]

    @staticmethod
    def begin(connection: Connection) -> None:
        """Begin a transaction explicitly, because sqlite3 doesn't begin one for CREATE TABLE."""
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    @staticmethod
    def begin_snapshot(connection: Connection) -> None:
        """Begin a transaction whose reads all see the current state."""
        connection.exec_driver_sql("BEGIN")
        connection.exec_driver_sql("SELECT count(*) FROM tournament")  # SQLite takes its snapshot with the first query

    def explain(self, error: DBAPIError) -> StoreError:
        """Return a StoreError whose message explains an error of SQLite in one sentence."""
        reason = str(error.orig)
        match error_code(error.orig):
            case sqlite3.SQLITE_READONLY:
                return self._read_only()
            case sqlite3.SQLITE_NOTADB:
                return StoreError(f"{self.name} is not a database of this program; give a different file with --db")
            case sqlite3.SQLITE_CORRUPT:
                return StoreError(f"{self.name} is damaged or not a database: {reason}")
            case sqlite3.SQLITE_CANTOPEN if self.exists() and not os.access(self._file, os.R_OK):
                return self._unreadable(os.strerror(errno.EACCES))
            case sqlite3.SQLITE_FULL:
                return DiskFullError(f"the disk is full: {self.name} could not be written; make room and run the same command again")
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return DatabaseUnavailableError(f"another program has locked the database {self.name}; stop it, or try again later")
        return StorageFaultError(f"the database {self.name} can't be used: {reason}")

    def _unreadable(self, why: str) -> StoreError:
        return StoreError(f"the database {self.name} can't be read: {why}")

    def _read_only(self) -> StoreError:
        return StoreError(f"you have only read access to the database {self.name}; give a different file with --db")


def _connect_in_read_only_folder(file: Path, name: str, settings: dict[str, Any]) -> sqlite3.Connection:
    """Connect to a database in a folder where SQLite can't create its own files, which it needs in WAL mode even for reading.

    If these files exist, somebody is writing to the database, and SQLite uses them. Otherwise, the database is opened without them and
    without locks. Raises StoreError if neither is possible.
    """
    connection: sqlite3.Connection = sqlite3.connect(name, **settings)
    try:
        connection.execute("PRAGMA schema_version")
    except sqlite3.OperationalError as error:
        connection.close()
        if error_code(error) not in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY} or not os.access(file, os.R_OK):
            raise
        if Path(f"{file}-wal").exists():
            raise StoreError(
                f"the database {plain(str(file))} is being written to, or a run was killed while writing to it; "
                "to read it, you need write permission in its folder"
            ) from None
        connection = sqlite3.connect(f"{file_uri(file)}?immutable=1", **settings)
    return connection


class _Connection(Protocol):
    """The method of a SQLite connection that is used to set it up."""

    def execute(self, statement: str, /) -> object: ...


def file_uri(path: Path) -> str:
    """Return a file's SQLite URI, to which settings can be added. In this form, even ``:memory:`` is the name of a file."""
    return f"file:{quote(os.fsencode(path.absolute()))}"


def is_database(path: Path) -> bool:
    """Return whether the file is, or might be, a SQLite database; an empty file is not."""
    if not path.is_file() or not path.stat().st_size:
        return False
    try:
        with closing(sqlite3.connect(f"{file_uri(path)}?mode=rw", uri=True, timeout=0)) as connection:
            connection.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        return error_code(error) != sqlite3.SQLITE_NOTADB
    return True


def error_code(error: object) -> int:
    """Return the primary result code of an error of SQLite, or 0 if it has no code."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF
