"""A database on a PostgreSQL server: its address, settings, locks and errors."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote, quote_plus

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, make_url, select, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from engine.text import plain
from leaderboard.errors import DatabaseUnavailableError, DiskFullError, StorageFaultError, StoreError
from leaderboard.records import Space

_DRIVER: Final = "postgresql+psycopg"
_SCHEMES: Final = (_DRIVER, "postgresql", "postgres")
_LOCK: Final = int.from_bytes(hashlib.sha256(b"tile-arena run").digest()[:8], "big", signed=True)
"""The advisory lock that a run holds; it is separate in each database."""
_WRITE_LOCK: Final = int.from_bytes(hashlib.sha256(b"tile-arena writing").digest()[:8], "big", signed=True)
"""The advisory lock that a transaction holds while it writes."""
_KEEPALIVES: Final = {"tcp_keepalives_idle": 10, "tcp_keepalives_interval": 5, "tcp_keepalives_count": 3}
"""TCP settings with which PostgreSQL notices that the machine of a web server is gone, and releases its lock."""
_SERVER_LOCK: Final = int.from_bytes(hashlib.sha256(b"tile-arena server").digest()[:8], "big", signed=True)
"""The advisory lock that a web server holds while it takes submissions or runs games."""
_LOCK_WAIT: Final = "3s"
"""How long to wait for a lock, which gives PostgreSQL time to notice that a run was killed."""
_CONNECT_SECONDS: Final = 10
_CREATE: Final = "createdb -E UTF8 -T template0"
_HARMLESS: Final = frozenset({"host", "hostaddr", "port", "user", "dbname", "sslmode", "connect_timeout", "application_name"})
"""The settings (after the ``?`` in an address) whose values may be printed."""
_HIDDEN: Final = "***"
_DSN_PASSWORD: Final = re.compile(
    r"(\b\w*(?:password|passfile|sslkey)\s*=\s*|://[^:/@\s]*:(?=[^@\s]*@))(?:'[^']*'|[^\s@&]+)", re.IGNORECASE
)
"""A password as a driver may print it, in an address or as ``password=...``."""


class PostgresDatabase:
    """A database given by a URL such as ``postgresql+psycopg://USER@HOST/DATABASE``. A password in the URL is never shown."""

    def __init__(self, url: str) -> None:
        """Parse the address. Raises StoreError if it is malformed."""
        try:
            self._url = make_url(url)
        except (ArgumentError, ValueError):
            raise StoreError(f"the address of the database can't be read; write it as {_DRIVER}://USER@HOST/DATABASE") from None
        if self._url.drivername not in _SCHEMES:
            raise StoreError(f"databases at '{self._url.drivername}://' are not supported; give a file, or {_DRIVER}://USER@HOST/DATABASE")
        self._url = self._url.set(drivername=_DRIVER)
        if "@" in (self._url.host or ""):
            raise StoreError("the address of the database has more than one @; in a password, write %40 instead of @")
        if re.search("[?=]|://", self._url.database or ""):
            raise StoreError(f"the part of the address after the host can't be read; write the address as {_DRIVER}://USER@HOST/DATABASE")
        if not self._url.database:
            raise StoreError(f"the address {self.name} has no database name; write it as {_DRIVER}://USER@HOST/DATABASE")

    @property
    def name(self) -> str:
        """The address without its password."""
        return render_url(self._url)

    @property
    def public_name(self) -> str:
        """The database's name, without server and user."""
        return plain(str(self._url.database))

    @staticmethod
    def make() -> None:
        """Do nothing; databases are created by the owner of the server."""

    @staticmethod
    def exposure() -> str | None:
        """Return None; the server controls access."""
        return None

    @staticmethod
    def exists() -> bool:
        """Return True; if the database doesn't exist, connecting to it fails."""
        return True

    @staticmethod
    def others() -> tuple[str, ...]:
        """Return an empty tuple; other databases on the server are not looked up."""
        return ()

    def check_to_read(self) -> None:
        """Do nothing; if the database can't be read, connecting to it fails."""

    def check_to_write(self) -> None:
        """Do nothing; if the database can't be used, connecting to it fails."""

    def engine(self, *, to_write: bool) -> Engine:
        """Return an engine that keeps a connection open, read-only unless ``to_write``. Raises StoreError if psycopg is missing."""
        settings = "-c timezone=UTC" if to_write else "-c timezone=UTC -c default_transaction_read_only=on"
        options = {"connect_timeout": _CONNECT_SECONDS, "options": settings, "application_name": "arena"}
        try:
            engine = create_engine(self._url, connect_args=options, pool_size=1, max_overflow=2, hide_parameters=True)
            engine.dialect.create_connect_args(self._url)  # raises for a malformed setting
        except (ArgumentError, ValueError):
            raise StoreError(f"a setting after '?' in {self.name} can't be read; give each only once, and the port as a number") from None
        except ModuleNotFoundError:
            raise StoreError("a database on PostgreSQL needs the package psycopg: pip install 'psycopg[binary]'") from None
        event.listen(engine, "connect", self._check_encoding, insert=True)  # before SQLAlchemy reads text
        return engine

    def _check_encoding(self, connection: Any, _record: object) -> None:
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise StoreError(
                f"the encoding of the database {self.name} must be UTF8, not {encoding}; create a new database with: {_CREATE} NAME"
            )

    def lock(self, engine: Engine) -> Callable[[], None]:
        """Lock out other runs; return a function that releases the lock. Raises StoreError if another run holds the lock."""
        try:
            connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            try:
                connection.execute(text(f"SET lock_timeout = '{_LOCK_WAIT}'"))
                connection.execute(select(func.pg_advisory_lock(_LOCK)))
                connection.detach()  # so that closing it ends its session, which releases the lock
            except BaseException:
                connection.close()
                raise
        except DBAPIError as error:
            raise self.explain(error) from None
        return connection.close

    def lock_again(self, engine: Engine, unlock: Callable[[], None]) -> Callable[[], None]:
        """Call ``unlock`` and take the lock again, as its connection may be lost; return a function that releases it. Raises StoreError."""
        unlock()
        return self.lock(engine)

    def lock_server(self, engine: Engine) -> Callable[[], None] | None:
        """Lock out other servers; return a function that releases the lock, or None if another server holds the lock.

        The lock ends with its connection, even if the connection is lost unnoticed. Raises StoreError.
        """
        try:
            connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            try:
                for setting, seconds in _KEEPALIVES.items():
                    connection.execute(text(f"SET {setting} = {seconds}"))
                is_mine: bool = connection.execute(select(func.pg_try_advisory_lock(_SERVER_LOCK))).scalar_one()
                connection.detach()  # so that the pool doesn't count it
            except BaseException:
                connection.close()
                raise
        except DBAPIError as error:
            raise self.explain(error) from None
        if not is_mine:
            connection.close()
            return None
        return connection.close

    def is_being_written(self) -> bool:
        """Return whether a run holds the lock. Raises StoreError."""
        engine = self.engine(to_write=False)
        try:
            with engine.connect() as connection:
                is_free: bool = connection.execute(select(func.pg_try_advisory_lock_shared(_LOCK))).scalar_one()
        except DBAPIError as error:
            raise self.explain(error) from None
        finally:
            engine.dispose()  # the shared lock ends with the session
        return not is_free

    @staticmethod
    def space(connection: Connection) -> Space:
        """Return the space that the database takes up; the free space on the server's disk is unknown."""
        used: int = connection.execute(select(func.pg_database_size(func.current_database()))).scalar_one()
        return Space(used)

    @staticmethod
    def erase(_connection: Connection) -> None:
        """Do nothing; old rows stay in the server's files until ``compact`` is called."""

    @staticmethod
    def compact(connection: Connection) -> bool:
        """Rewrite the tables that contain personal data, and return True. Old rows also stay in the server's log for some time."""
        connection.exec_driver_sql("VACUUM FULL person, session, submission")
        return True

    @staticmethod
    def columns(connection: Connection) -> list[tuple[str, str]]:
        """Return the names of all tables and columns."""
        query = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
        return [(table, column) for table, column in connection.execute(text(query))]

    @staticmethod
    def begin(connection: Connection) -> None:
        """Wait until no other transaction is writing, and keep others from writing until this transaction ends."""
        connection.execute(select(func.pg_advisory_xact_lock(_WRITE_LOCK)))

    @staticmethod
    def begin_snapshot(connection: Connection) -> None:
        """Begin a transaction whose reads all see the current state."""
        connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))

    def explain(self, error: DBAPIError) -> StoreError:
        """Return a StoreError whose message explains an error of the server or the driver in one sentence."""
        reason = (str(error.orig).strip().splitlines() or ["no reason was given"])[0]
        state = getattr(error.orig, "sqlstate", None)
        if state == "55P03":
            return StoreError(f"another run is writing to {self.name}; wait for it to end, or give this run a different database with --db")
        if state in {"42501", "25006"}:  # insufficient privilege, read-only transaction
            return StoreError(f"you have only read access to the database {self.name}; give a different database with --db")
        if state == "53100":
            return DiskFullError(f"the disk is full: {self.name} could not be written; make room and run the same command again")
        for words, sentence, kind in _REFUSALS:
            if re.search(words, str(error.orig)):
                return kind(plain(sentence.format(self=self, host=self._url.host or "this machine", url=self._url)))
        if error.connection_invalidated or state in _PASSING or "server closed the connection" in reason:
            return DatabaseUnavailableError(f"the connection to {self.name} was lost; stored data are safe, so run the same command again")
        return StorageFaultError(f"the database {self.name} can't be used: {plain(hide_secrets(reason, self._url))}")


_REFUSALS: Final = (
    (
        "password authentication failed",
        "the server of {self.name} rejected this user and password; put the correct password into ~/.pgpass",
        StoreError,
    ),
    ("no password supplied", "the server of {self.name} requires a password; put it into ~/.pgpass or PGPASSWORD", StoreError),
    (
        'database ".*" does not exist',
        "there is no database '{url.database}' on {host}; create it with: " + _CREATE + " {url.database}",
        StoreError,
    ),
    ('role ".*" does not exist', "the server of {self.name} has no user '{url.username}'", StoreError),
    (
        "Connection refused|No such file|timeout expired|Temporary failure in name resolution",
        "no server answers at {self.name}; is PostgreSQL running there?",
        DatabaseUnavailableError,
    ),
    ("could not translate host name|failed to resolve host", "the host '{host}' can't be found; check the address after --db", StoreError),
    (
        "the database system is|too many clients already|remaining connection slots",
        "the server of {self.name} is starting or stopping, or has too many connections; try again later",
        DatabaseUnavailableError,
    ),
)
"""Patterns of the driver's messages for failed connections (which have no error code), with the messages to show instead."""
_PASSING: Final = frozenset({"40001", "40P01", "53300", "57P01", "57P02", "57P03", "57P05"})
"""Error codes after which a retry may succeed: conflicting transactions, too many connections, a server that stops or starts."""


def render_url(url: URL) -> str:
    """Return a database's address in a form that is safe to print: without passwords and the paths of key files.

    Settings after the ``?`` are hidden unless their values are known to be harmless.
    """
    query = {key: value if key in _HARMLESS else _HIDDEN for key, value in url.query.items()}
    return plain(url.set(query=query).render_as_string(hide_password=True).replace(quote_plus(_HIDDEN), _HIDDEN))


def hide_secrets(text: str, url: URL) -> str:
    """Return a driver's message with all secrets hidden: passwords, and the settings that ``render_url`` hides."""
    values = [url.password, os.environ.get("PGPASSWORD")]
    for key, value in url.query.items():
        if key not in _HARMLESS:
            values += [value] if isinstance(value, str) else value
    text = _DSN_PASSWORD.sub(rf"\1{_HIDDEN}", text)
    for secret in sorted({str(value) for value in values if value}, key=len, reverse=True):
        for written in (secret, quote(secret, safe=""), quote_plus(secret)):
            text = re.sub(rf"(?<!\w){re.escape(written)}(?!\w)", _HIDDEN, text)
    return text
