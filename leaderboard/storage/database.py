"""Opens databases and begins transactions, and retries when a database is unavailable.

Opening a database checks that its tables are those of this program and, if necessary, that it is writable and not used by another run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeAlias, TypeVar, cast

from sqlalchemy import Connection, Engine, false, update
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, SQLModel

from leaderboard.errors import DatabaseUnavailableError, DiskFullError, StoreError
from leaderboard.records import Space
from leaderboard.storage.bundles import ENDING, BundleFile, is_bundle
from leaderboard.storage.postgres import PostgresDatabase
from leaderboard.storage.sqlite import SqliteFile
from leaderboard.storage.tables import BrowserSession

__all__ = ["Database", "DiskFullError", "StoreError", "find_database", "is_being_written"]

_TABLES: Final = SQLModel.metadata.tables
_COLUMNS: Final = {(table.name, column.name) for table in _TABLES.values() for column in table.columns}
"""The names of all tables and columns; in databases of other versions of this program, they differ."""
_ALMOST_URL: Final = re.compile(r"postgres[a-z+0-9]*:", re.IGNORECASE)

DatabaseT = TypeVar("DatabaseT", bound="Database")
P = ParamSpec("P")
T = TypeVar("T")

LONGEST_WAIT: Final = 300.0
"""How many seconds to keep retrying while a database is locked or its server is unreachable."""
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 20.0


Backend: TypeAlias = SqliteFile | PostgresDatabase
"""SQLite or PostgreSQL. Both classes have the same methods, which find, open and lock a database, and explain its errors."""


def find_database(place: str | Path) -> Backend:
    """Return the backend for a URL or a file. Raises StoreError if a URL is malformed."""
    if isinstance(place, str) and "://" in place:
        return PostgresDatabase(place)
    if _ALMOST_URL.match(str(place)):  # as a file name, it would be printed with the password
        raise StoreError("the address of the database can't be read; write it as postgresql+psycopg://USER@HOST/DATABASE")
    return SqliteFile(Path(place))


def is_being_written(place: str | Path) -> bool:
    """Return whether a run currently has the database open for writing. Raises StoreError."""
    return find_database(place).is_being_written()


class Database:
    """An open database, for use in a ``with`` statement. Its subclasses read and write the tables."""

    def __init__(self, backend: Backend, engine: Engine, unlock: Callable[[], None] | None = None) -> None:
        self._backend = backend
        self._engine = engine
        self._unlock = unlock
        self._snapshot: Connection | None = None

    @property
    def name(self) -> str:
        """The database's name in messages: a file name, or a URL without its password."""
        return self._backend.name

    @property
    def public_name(self) -> str:
        """The database's name for visitors of a server, without folders, hosts and users."""
        return self._backend.public_name

    def exposure(self) -> str | None:
        """Return a warning in one sentence if other users of this machine can read the database, otherwise None."""
        return self._backend.exposure()

    def is_being_written(self) -> bool:
        """Return whether a run currently has the database open for writing. Raises StoreError."""
        return self._backend.is_being_written()

    def space(self) -> Space:
        """Return the space that the database takes up, and the free space. Raises StoreError."""
        with self.reading() as connection:
            return self._backend.space(connection)

    @classmethod
    def create(cls, place: str | Path) -> Self:
        """Open a database for a run: create the tables if there are none, and lock out other runs. Raises StoreError."""
        backend = find_database(place)
        return cls(backend, *_open_to_write(backend))

    @classmethod
    def join(cls, place: str | Path, *, creates: bool = False) -> Self:
        """Open a database for short transactions without locking it, even while a run is writing. Raises StoreError.

        If ``creates``, missing tables are created, even if a run is creating them at the same time. A run and other processes never write
        the same rows, and every transaction waits for other writers to finish.
        """
        backend = find_database(place)
        backend.check_to_write()
        if not creates or backend.exists():
            _open_to_read(backend, may_be_empty=creates).dispose()
        engine = backend.engine(to_write=True)
        if creates:
            try:
                backend.make()
                with _clear_errors(backend):
                    _make_tables(backend, engine)
            except BaseException:
                engine.dispose()
                raise
        return cls(backend, engine)

    @classmethod
    def read(cls, place: str | Path) -> Self:
        """Open an existing database for reading. Raises StoreError."""
        backend = find_database(place)
        return cls(backend, _open_to_read(backend))

    @classmethod
    def read_to_verify(cls, place: str | Path) -> Self:
        """Open an existing database or a bundle for reading. Raises StoreError, for example if a bundle is not valid."""
        if "://" in str(place) or not (Path(place).suffix == ENDING or is_bundle(Path(place))):
            return cls.read(place)
        bundle = BundleFile(Path(place))
        return cls(bundle, bundle.open())

    @property
    def content(self) -> str:
        """The digest of a bundle's content, or an empty string for a database."""
        return self._backend.content if isinstance(self._backend, BundleFile) else ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the lock, if any, and close every connection."""
        if self._unlock is not None:
            self._unlock()
        self._engine.dispose()

    def reconnect(self) -> None:
        """Drop all connections, and take the lock again if it was lost. Raises StoreError, for example if another run has taken it."""
        self._engine.dispose()
        if self._unlock is not None:
            self._unlock = self._backend.lock_again(self._engine, self._unlock)

    def lock_server(self) -> Callable[[], None]:
        """Lock out other servers, and return a function that releases the lock. Raises StoreError if there is another server."""
        unlock = self._backend.lock_server(self._engine)
        if unlock is None:
            raise StoreError(
                f"another server is taking submissions or running games in {self.name}; stop it, "
                "or serve without --allow-submissions and --allow-play"
            )
        return unlock

    @contextmanager
    def reading(self, *, one_moment: bool = False) -> Iterator[Connection]:
        """Open a connection for queries; with ``one_moment``, all queries see the same snapshot. Raises StoreError."""
        if self._snapshot is not None:
            with _clear_errors(self._backend):
                yield self._snapshot
            return
        with _clear_errors(self._backend), self._engine.connect() as connection:
            if one_moment:
                self._backend.begin_snapshot(connection)
            yield connection

    def fetch(self, read: Callable[Concatenate[Connection, P], T], *args: P.args, **keywords: P.kwargs) -> T:
        """Return the result of calling ``read`` (not a generator function) with a connection and these arguments. Raises StoreError."""
        with self.reading() as connection:
            return read(connection, *args, **keywords)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Make all reads in the ``with`` block see the same snapshot, even while a run is writing. Not thread-safe. Raises StoreError."""
        with _clear_errors(self._backend), self._engine.connect() as connection:
            self._backend.begin_snapshot(connection)
            self._snapshot = connection
            try:
                yield
            finally:
                self._snapshot = None

    @contextmanager
    def writing(self, *, erases: bool = False) -> Iterator[Connection]:
        """Open a connection for one transaction. Until it ends, no other transaction writes, so its reads stay valid. Raises StoreError.

        If ``erases``, deleted or replaced data are overwritten, if the database supports that.
        """
        with _clear_errors(self._backend), self._engine.begin() as connection:
            if erases:
                self._backend.erase(connection)
            self._backend.begin(connection)
            yield connection

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Open a session for queries. Records read from it can still be used after it is closed. Raises StoreError."""
        with self.reading() as connection, Session(connection) as session:
            yield session

    @contextmanager
    def transaction(self, *, erases: bool = False) -> Iterator[Session]:
        """Open a session for one transaction (see ``writing``), committed at the end of the ``with`` block. Raises StoreError."""
        with self.writing(erases=erases) as connection, Session(connection) as session:
            yield session
            session.flush()

    def compact(self) -> bool:
        """Rewrite the database so that no deleted rows remain; return False if a run prevents it. Raises StoreError."""
        with _clear_errors(self._backend), self._engine.connect() as connection:
            return self._backend.compact(connection.execution_options(isolation_level="AUTOCOMMIT"))


def _open_to_write(backend: Backend) -> tuple[Engine, Callable[[], None]]:
    backend.check_to_write()
    if backend.exists():  # don't touch a foreign file, or create a lock file next to it
        _open_to_read(backend, may_be_empty=True).dispose()
    engine = backend.engine(to_write=True)
    unlock = backend.lock(engine)
    try:
        backend.make()
        with _clear_errors(backend):
            _make_tables(backend, engine)
            with engine.begin() as connection:  # changes nothing, but fails if writing is not allowed
                connection.execute(update(BrowserSession).where(false()).values(person=BrowserSession.person))
    except BaseException:
        unlock()
        engine.dispose()
        raise
    return engine, unlock


def _make_tables(backend: Backend, engine: Engine) -> None:
    """Create the tables if there are none; if the process is killed, either all of them are created or none."""
    with engine.connect() as connection:
        if backend.columns(connection):
            return
    with engine.begin() as connection:
        backend.begin(connection)  # no other process can create them now
        if not backend.columns(connection):
            SQLModel.metadata.create_all(connection)


def _open_to_read(backend: Backend, *, may_be_empty: bool = False) -> Engine:
    """Open an existing database. Raises StoreError if its tables are not this program's, or if it has none (unless ``may_be_empty``)."""
    if not backend.exists():
        if others := backend.others():
            raise StoreError(f"there is no database {backend.name}; the same folder contains {', '.join(others)}")
        raise StoreError(f"there is no database {backend.name}; 'arena run SPEC --db {backend.name}' creates one")
    backend.check_to_read()
    engine = backend.engine(to_write=False)
    try:
        with _clear_errors(backend), engine.connect() as connection:
            _check_tables(backend, connection, may_be_empty=may_be_empty)
    except BaseException:
        engine.dispose()
        raise
    return engine


@contextmanager
def _clear_errors(backend: Backend) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise backend.explain(error) from None


def _check_tables(backend: Backend, connection: Connection, *, may_be_empty: bool) -> None:
    found = set(backend.columns(connection))
    if not found and may_be_empty:
        return
    if ("bot_version", "id") not in found:
        raise StoreError(f"{backend.name} is not a database of this program; give a different one with --db")
    if ("match", "withheld") in found:
        raise StoreError(f"{backend.name} is a bundle, not a database; 'arena verify {backend.name}' checks it")
    if {(table, column) for table, column in found if table in _TABLES} != _COLUMNS:
        raise StoreError(
            f"{backend.name} was created by a version of this program with different tables; "
            "play its tournaments again, and store them in a new file with --db"
        )


class Patience:
    """Retries actions while a database is unavailable, for at most five minutes. ``notify`` is called with messages for the user.

    ``reconnect`` is called before each retry. If the connection is lost while a commit is being confirmed, an action may be done twice.
    """

    def __init__(
        self,
        notify: Callable[[str], None],
        *,
        reconnect: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], None] = sleep,
    ) -> None:
        self._notify = notify
        self._reconnect = reconnect
        self._clock = clock
        self._pause = pause

    def __call__(self, action: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Return the result of the action. Raises the last DatabaseUnavailableError after five minutes, and other errors at once."""
        began: float | None = None
        pause = _FIRST_PAUSE
        while True:
            try:
                if began is not None:
                    self._reconnect()
                done = action(*arguments, **options)
            except DatabaseUnavailableError as error:
                began = self._clock() if began is None else began
                if self._clock() + pause > began + LONGEST_WAIT:
                    raise
                self._notify(f"the database is unavailable, retrying in {pause:g} s: {error}")
            else:
                if began is not None:
                    self._notify("the database is available again")
                return done
            self._pause(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def patient(database: DatabaseT, patience: Patience) -> DatabaseT:
    """Return a wrapper of the database whose methods are retried with ``patience``."""
    return cast(DatabaseT, _Patient(database, patience))


class _Patient:
    def __init__(self, database: Database, patience: Patience) -> None:
        self._database = database
        self._patience = patience

    def __getattr__(self, name: str) -> object:
        value = getattr(self._database, name)
        return partial(self._patience, value) if callable(value) else value
