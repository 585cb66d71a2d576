"""Opening a database: is it ours, may we write, is another run writing. It owns connections and the errors of storage, no queries."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol, Self
from urllib.parse import quote

from filelock import FileLock, Timeout
from sqlalchemy import URL, Connection, Engine, delete, event, func, insert, inspect, select
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import NullPool
from sqlmodel import SQLModel, create_engine

from leaderboard.models import SCHEMA_VERSION

_SCHEMA: Final = SQLModel.metadata.tables["arena_schema"]
_UNMARKED: Final = "0001"
"""The revision of tables from before there were revisions; only ``arena_schema`` tells their version."""
_HEADER: Final = b"SQLite format 3\x00"


class StoreError(Exception):
    """The database can't be used; its text is one sentence that says what, where and what to do."""


class DiskFullError(StoreError):
    """There is no room left; what was stored before is as it was."""


class Database:
    """An open database, to be used in a ``with`` statement. What is in it is the business of the classes built on this one."""

    def __init__(self, path: Path, engine: Engine, lock: FileLock | None = None) -> None:
        self.path = path
        self._engine = engine
        self._lock = lock

    @classmethod
    def create(cls, path: Path) -> Self:
        """Open for a run, making the file if there is none, and keep other runs out. Raises StoreError."""
        return cls(path, *open_to_write(path))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open an existing database to look at it. Raises StoreError."""
        return cls(path, open_to_read(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._engine.dispose()
        if self._lock is not None:
            self._lock.release()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for queries. Raises StoreError."""
        with clear_errors(self.path), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection for one transaction. Raises StoreError."""
        with clear_errors(self.path), self._engine.begin() as connection:
            yield connection


def open_to_write(path: Path) -> tuple[Engine, FileLock]:
    """The database for a run, made if there is none, and the lock that keeps other runs out. Raises StoreError."""
    if not path.parent.is_dir():
        raise StoreError(f"there is no folder {path.parent} to keep the database {path.name} in; create it first")
    _check_file(path)
    folder_or_file = path if path.exists() else path.parent
    if not os.access(folder_or_file, os.W_OK):
        raise StoreError(f"the database {path} is read-only for you; give another file with --db")
    if path.exists():  # what is not ours is left as it is, without even a lock beside it
        open_to_read(path, may_be_empty=True, may_be_older=True).dispose()
    lock = FileLock(f"{path}.lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise StoreError(f"another run is writing to {path}; wait for it to end, or give this run another file with --db") from None
    except OSError as error:
        raise StoreError(f"the database {path} can't be locked: {error.strerror}") from None
    engine = connect(path, _TO_WRITE)
    try:
        with clear_errors(path):
            _bring_up_to_date(engine)
            with engine.begin() as connection:  # a write that changes nothing, to learn now that it is allowed
                connection.execute(_SCHEMA.update().values(version=SCHEMA_VERSION))
    except BaseException:
        engine.dispose()
        lock.release()
        raise
    return engine, lock


def _bring_up_to_date(engine: Engine) -> None:
    """Make the tables, or upgrade those of an older version: all of it or nothing, also when the process is killed in the middle."""
    found = _version(engine) if inspect(engine).get_table_names() else None
    if found == SCHEMA_VERSION:
        return
    from leaderboard.migrations import migrate  # noqa: PLC0415  # Alembic takes a tenth of a second to import; few openings need it

    with engine.begin() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # sqlite3 begins no transaction for CREATE TABLE by itself
        migrate(connection, begun_with=_UNMARKED if found == int(_UNMARKED) else None)
        connection.execute(delete(_SCHEMA))
        connection.execute(insert(_SCHEMA).values(version=SCHEMA_VERSION))


def upgrade_database(path: Path) -> tuple[int, int]:
    """Bring a database up to date; gives the versions of its tables before and after. Raises StoreError."""
    engine = open_to_read(path, may_be_older=True)
    try:
        with clear_errors(path):
            before = _version(engine)
    finally:
        engine.dispose()
    assert before is not None
    engine, lock = open_to_write(path)
    engine.dispose()
    lock.release()
    return before, SCHEMA_VERSION


def open_to_read(path: Path, *, may_be_empty: bool = False, may_be_older: bool = False) -> Engine:
    """An existing database; one that is empty, or needs an upgrade, only if it may be. Raises StoreError."""
    if not path.exists():
        raise StoreError(f"there is no database {path}; 'arena run SPEC --db {path}' makes one")
    _check_file(path)
    engine = connect(path, _TO_READ)
    try:
        with clear_errors(path):
            if not may_be_empty or inspect(engine).get_table_names():
                _check_schema(path, engine, may_be_older=may_be_older)
    except BaseException:
        engine.dispose()
        raise
    return engine


class _Connection(Protocol):
    """What the set-up of a new SQLite connection needs of it."""

    def execute(self, statement: str, /) -> object: ...


_TO_READ: Final = ("busy_timeout=30000", "foreign_keys=ON")
_TO_WRITE: Final = (*_TO_READ, "journal_mode=WAL", "synchronous=FULL")


def connect(path: Path, pragmas: tuple[str, ...]) -> Engine:
    """An engine for the file; with ``_TO_WRITE``, a commit that has returned survives a power cut (``synchronous=FULL``)."""
    absolute = path.absolute()  # a name such as ':memory:' means a file, too
    url = URL.create("sqlite", database=str(absolute))
    if not os.access(path.parent, os.W_OK) and not Path(f"{absolute}-wal").exists():
        # SQLite wants to make its files beside a database in WAL mode, also for reading; where it may not, nobody is writing either.
        url = URL.create("sqlite", database=f"file:{quote(str(absolute))}", query={"immutable": "1", "uri": "true"})
    engine = create_engine(url, poolclass=NullPool, connect_args={"timeout": 30})

    @event.listens_for(engine, "connect")
    def set_up(connection: _Connection, _record: object) -> None:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    return engine


@contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Turn the database's own errors into a StoreError."""
    try:
        yield
    except DatabaseError as error:
        reason = str(error.orig)
        if "readonly" in reason or "read-only" in reason:
            raise StoreError(f"the database {path} is read-only for you; give another file with --db") from None
        if "not a database" in reason or "malformed" in reason:
            raise StoreError(f"{path} is damaged or no database: {reason}") from None
        if "full" in reason:
            raise DiskFullError(f"the disk is full: {path} could not be written; make room and run the same command again") from None
        raise StoreError(f"the database {path} can't be used: {reason}") from error


def _check_file(path: Path) -> None:
    """Raise StoreError for what is plainly no SQLite database."""
    if not path.exists():
        return
    if not path.is_file():
        raise StoreError(f"{path} is no file; give a database with --db")
    try:
        with path.open("rb") as file:
            header = file.read(len(_HEADER))
    except OSError as error:
        raise StoreError(f"the database {path} can't be read: {error.strerror}") from None
    if header and header != _HEADER:
        raise StoreError(f"{path} is no database of this program; give another file with --db")


def _check_schema(path: Path, engine: Engine, *, may_be_older: bool) -> None:
    if _SCHEMA.name not in inspect(engine).get_table_names():
        raise StoreError(f"{path} is a database, but not one of this program; give another file with --db")
    found = _version(engine)
    if found is None:
        raise StoreError(f"{path} is damaged: it does not say which version of this program made it")
    if found > SCHEMA_VERSION:
        raise StoreError(f"{path} was made by a newer version of this program (tables {found}, known {SCHEMA_VERSION}): update the program")
    if found < SCHEMA_VERSION and not may_be_older:
        raise StoreError(
            f"{path} was made by an older version of this program (tables {found}, needed {SCHEMA_VERSION}); "
            f"upgrade it with: arena db upgrade --db {path}"
        )


def _version(engine: Engine) -> int | None:
    with engine.connect() as connection:
        found = connection.execute(select(func.max(_SCHEMA.c.version))).scalar_one()
    return found if isinstance(found, int) else None
