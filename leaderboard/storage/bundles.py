"""Writes and checks bundles: SQLite files with the public rows of one tournament (docs/verification.md).

Bundles are checked because a stranger may have made them. Columns that are not published are empty; in each row, the column ``withheld``
has a single digest of the unpublished values.
"""

from __future__ import annotations

import hashlib
import sqlite3
import stat
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeAlias

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    ForeignKeyConstraint,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    create_engine,
)
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateTable
from sqlmodel import SQLModel, col, select

from engine.replay.format import LARGEST_REPLAY
from engine.text import one_line, quote
from leaderboard.errors import StoreError
from leaderboard.records import chunks
from leaderboard.seal_format import digest_of, plain
from leaderboard.storage.raw_queries import as_is, read_matches
from leaderboard.storage.sqlite import SqliteFile, error_code, file_uri
from leaderboard.storage.tables import (
    PUBLISHED,
    WITHHELD,
    Bot,
    Content,
    EntrantRow,
    Match,
    OrderRow,
    ScoreType,
    SealLink,
    SeatRow,
    Standing,
    Submission,
    Tournament,
    Version,
    Void,
    table_of,
)

ENDING: Final = ".arena"
APPLICATION_ID: Final = 0x4152_4E41
FORMAT: Final = 1
"""The version of a bundle's format, stored as SQLite's ``user_version``. Any change to the tables of a bundle needs a new version."""
TABLES: Final = (
    *("bot", "bot_version", "content", "entrant", "ladder_order", "match"),
    *("seal_link", "seat", "standing", "submission", "tournament", "void"),
)
_UNCOVERED: Final = {"bot_version": ("match_seconds",)}
"""Further columns that are empty in a bundle; they are not covered by any seal."""
LARGEST_CONTENT: Final = 264 << 20
"""The maximum size of a packed bot, in bytes: the largest ``runtime.bundle``, and 8 MiB for the names of its files."""
MOST_BYTES: Final = 64 << 30
MOST_ROWS: Final = 200_000_000
_LONGEST_TEXT: Final = 1 << 20
"""The most characters in a text."""
_MOST_TEXT: Final = 256 << 20
"""The most characters in all texts of the tables that are read as a whole."""
_STREAMED: Final = frozenset({"match", "seat"})
"""The tables that are never read as a whole."""
_CONTENTS: Final = frozenset({"content", "replay"})
"""Names of columns and a table that the digest of a bundle's content leaves out, since other columns hold their digests."""
_SCHEMA_STEPS: Final = 5_000
"""The most steps of SQLite's virtual machine for reading the schema; SQLite takes about ten for each table."""
_STEPS: Final = 100_000
"""The number of steps of SQLite's virtual machine between two checks of the time."""
_LIMITS: Final = {
    sqlite3.SQLITE_LIMIT_LENGTH: LARGEST_CONTENT + (1 << 20),
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1 << 17,
    sqlite3.SQLITE_LIMIT_COLUMN: 64,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
}
_PRAGMAS: Final = ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "temp_store=MEMORY")


def empty_columns(table: str) -> tuple[str, ...]:
    """Return the columns of a table that are empty in a bundle."""
    return (*WITHHELD.get(table, ()), *_UNCOVERED.get(table, ()))


def published(table: str) -> list[Column[Any]]:
    """Return the columns that a table has in a bundle, including those that are empty there."""
    model = SQLModel.metadata.tables[table]
    return [model.columns[each] for each in PUBLISHED.get(table, model.columns.keys())]


@cache
def bundle_schema() -> MetaData:
    """Return the tables of a bundle: the models' tables without indexes, defaults or references to tables outside the bundle."""
    schema = MetaData()
    for name in TABLES:
        model = SQLModel.metadata.tables[name]
        may_be_empty = {*empty_columns(name), *(["content"] if name == "submission" else [])}
        columns: list[Column[Any]] = [
            Column(each.name, each.type, primary_key=is_key, nullable=(each.nullable and not is_key) or each.name in may_be_empty)
            for each in published(name)
            for is_key in [each.name == PUBLISHED[name][0] if name in PUBLISHED else each.primary_key]
        ]
        if name in WITHHELD and name != "seat":
            columns.append(Column("withheld", String, nullable=False))
        unique = sorted([*each.columns.keys()] for each in model.constraints if isinstance(each, UniqueConstraint))
        keys = sorted((key.parent.name, key.target_fullname) for key in model.foreign_keys if key.column.table.name in TABLES)
        references = [ForeignKeyConstraint([column], [parent]) for column, parent in keys]
        Table(name, schema, *columns, *(UniqueConstraint(*names) for names in unique), *references)
    return schema


class DamagedBundleError(StoreError):
    """The file is not a valid bundle; ``reason`` says why."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} is not a valid bundle: {reason}")
        self.reason = reason


def is_bundle(path: Path) -> bool:
    """Return whether the file has a bundle's ``application_id``."""
    try:
        if not path.is_file():
            return False
        with closing(_connect(path)) as connection:
            return bool(_value(connection, "application_id") == APPLICATION_ID)
    except (OSError, ValueError, sqlite3.Error):
        return False


def make_tables(connection: sqlite3.Connection) -> None:
    """Create the tables of a bundle in an empty database."""
    for table in bundle_schema().sorted_tables:
        connection.execute(str(CreateTable(table).compile(dialect=dialect())))


class BundleFile(SqliteFile):
    """A bundle that a stranger may have made. No code in it is run, and nothing is written to it or next to it."""

    content = ""
    """The digest of the bundle's content, or "" until the bundle has been opened."""

    def open(self) -> Engine:
        """Check the bundle, and return an engine that reads it. Raises StoreError if the bundle is not valid."""
        self._check_file()
        try:
            with closing(_connect(self._path)) as connection:
                self.content = self._check(connection)
        except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's message may quote the file
            raise self._damaged(one_line(str(error), 200)) from None
        return self.engine(to_write=False)

    def engine(self, *, to_write: bool) -> Engine:
        """Return an engine that reads the bundle; ``to_write`` must be False."""
        assert not to_write, "a bundle is read-only"
        options = {"is_bundle": True}
        return create_engine(
            "sqlite://", creator=lambda: _connect(self._path), poolclass=NullPool, execution_options=options, hide_parameters=True
        )

    def _check_file(self) -> None:
        try:
            status = self._path.lstat()
            beside = [end for end in ("-wal", "-shm", "-journal") if Path(f"{self._path}{end}").exists()]
        except FileNotFoundError:
            raise StoreError(f"there is no file {self.name}") from None
        except (OSError, ValueError) as error:
            raise StoreError(f"the bundle {self.name} can't be read: {getattr(error, 'strerror', None) or error}") from None
        if stat.S_ISLNK(status.st_mode):
            raise self._damaged("it is a link; give the file itself")
        if not stat.S_ISREG(status.st_mode):
            raise self._damaged("it is not a file")
        if not status.st_size:
            raise self._damaged("it is empty")
        if status.st_size > MOST_BYTES:
            raise self._damaged(f"it is larger than {MOST_BYTES >> 30} GiB")
        if beside:
            raise self._damaged(f"{self.name}{beside[0]} is next to it, as if a program were writing to it; move the bundle elsewhere")

    def _check(self, connection: sqlite3.Connection) -> str:
        """Check the file, its schema, its pages and its rows, in this order, and return the digest of its content."""
        size = self._path.stat().st_size
        if (found := _value(connection, "application_id")) != APPLICATION_ID:
            raise self._damaged(f"its application_id must be {APPLICATION_ID:#x}, not {found:#x}")
        if (found := _value(connection, "user_version")) != FORMAT:
            raise self._damaged(f"its format is {found}, but this program reads only format {FORMAT}")
        if (pages := _value(connection, "page_count") * _value(connection, "page_size")) != size:
            raise self._damaged(f"it has {size} bytes, but {pages} according to its header")
        with self._limited("it has too many tables"):
            connection.set_progress_handler(lambda: 1, _SCHEMA_STEPS)
            self._check_schema(read_schema(connection))
        late = monotonic() + (seconds := 60 + (size >> 20))
        with self._limited(f"checking it takes longer than {seconds} s"):
            connection.set_progress_handler(lambda: monotonic() > late, _STEPS)
            self._check_pages(connection)
            return self._check_rows(connection)

    @contextmanager
    def _limited(self, reason: str) -> Iterator[None]:
        """Raise DamagedBundleError with this reason if the progress handler stops SQLite."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if error_code(error) == sqlite3.SQLITE_INTERRUPT:
                raise self._damaged(reason) from None
            raise

    def _check_schema(self, found: dict[tuple[str, str], str]) -> None:
        expected = expected_schema()
        for (kind, name), definition in found.items():
            if (kind, name) not in expected:
                raise self._damaged(f"it has the {one_line(kind, 20)} {quote(name)}, which does not belong in a bundle")
            if definition != expected[kind, name]:
                raise self._damaged(f"the columns or constraints of its {kind} {quote(name)} are not those of a bundle")
        for kind, name in sorted(expected.keys() - found.keys())[:1]:
            raise self._damaged(f"it has no {kind} {quote(name)}")

    def _check_pages(self, connection: sqlite3.Connection) -> None:
        if (encoding := _value(connection, "encoding")) != "UTF-8":
            raise self._damaged(f"its text encoding must be UTF-8, not {encoding}")
        if _value(connection, "freelist_count"):
            raise self._damaged("it has unused pages")
        if (told := _value(connection, "integrity_check(1)")) != "ok":
            raise self._damaged(one_line(str(told), 200))
        if (lost := connection.execute("PRAGMA foreign_key_check").fetchone()) is not None:
            raise self._damaged(f"a row of '{lost[0]}' refers to a row of '{lost[2]}' that does not exist")

    def _check_rows(self, connection: sqlite3.Connection) -> str:
        """Check the types and sizes of all values, and return the digest of the content."""
        content, pack = hashlib.sha256(), msgspec.msgpack.Encoder().encode
        rows = count(1)
        left = _MOST_TEXT
        for name in TABLES:
            table = bundle_schema().tables[name]
            sealed = [place for place, each in enumerate(table.columns) if each.name not in _CONTENTS]
            content.update(pack([name]))
            known: set[tuple[type, ...]] = set()
            for row in connection.execute(_select(table)):
                if next(rows) > MOST_ROWS:
                    raise self._damaged(f"it has more than {MOST_ROWS} rows")
                if (types := tuple(map(type, row))) not in known:
                    self._check_types(table, types)
                    known.add(types)
                texts = [value for value in row if type(value) is str]
                if any("\0" in text or len(text) > _LONGEST_TEXT for text in texts):
                    raise self._damaged(f"a text in its table '{name}' contains a NUL or has more than {_LONGEST_TEXT} characters")
                left -= 0 if name in _STREAMED else sum(map(len, texts))
                if left < 0:
                    raise self._damaged(f"it has more than {_MOST_TEXT} characters of text besides the matches")
                if name not in _CONTENTS:
                    content.update(pack([row[place] for place in sealed]))
        if connection.execute("SELECT count(*) FROM tournament").fetchone() != (1,):
            raise self._damaged("it must contain exactly one tournament")
        return f"sha256:{content.hexdigest()}"

    def _check_types(self, table: Table, types: tuple[type, ...]) -> None:
        for column, found in zip(table.columns, types, strict=True):
            if found not in _types(table, column):
                raise self._damaged(f"its column '{table.name}.{column.name}' has a value of the wrong type or size")

    def _damaged(self, reason: str) -> DamagedBundleError:
        return DamagedBundleError(self.name, reason)


def _types(table: Table, column: Column[Any]) -> set[type]:
    if column.name in empty_columns(table.name):
        return {type(None)}
    if isinstance(column.type, ScoreType):
        types: set[type] = {int, float}
    else:
        kind = column.type.python_type
        types = {int} if kind is bytes else {kind} if kind in {int, float} else {str}
    return types | ({type(None)} if column.nullable else set())


def _select(table: Table) -> str:
    """Return the query for all rows by primary key. In place of content, a row has 1, or a text if it is too large or not bytes."""
    most = LARGEST_REPLAY if table.name == "match" else LARGEST_CONTENT
    values = [
        f"iif(typeof({name}) = 'blob' AND length({name}) <= {most}, 1, iif({name} IS NULL, NULL, ''))" if is_content else name
        for name, is_content in ((f'"{each.name}"', each.type.python_type is bytes) for each in table.columns)
    ]
    keys = ", ".join(f'"{each.name}"' for each in table.primary_key)
    return f'SELECT {", ".join(values)} FROM "{table.name}" ORDER BY {keys}'  # noqa: S608  # our own names


def read_schema(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Return the SQL definition of each table and index, by kind and name, with whitespace reduced to single spaces."""
    found: dict[tuple[str, str], str] = {}
    for kind, name, table, sql in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"):
        key = str(kind), str(name)
        found[key] = " ".join(f"{found.get(key, '')} {table}: {sql}".split())  # a duplicate never equals the expected definition
    return found


@cache
def expected_schema() -> Mapping[tuple[str, str], str]:
    """Return the result of ``read_schema`` for a valid bundle."""
    with closing(sqlite3.connect(":memory:")) as connection:
        make_tables(connection)
        return read_schema(connection)


def _connect(path: Path) -> sqlite3.Connection:
    """Connect to a file that is not being written to (``immutable``), so that SQLite uses no locks and no other files."""
    connection = sqlite3.connect(f"{file_uri(path)}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    for limit, most in _LIMITS.items():
        connection.setlimit(limit, most)
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _value(connection: sqlite3.Connection, pragma: str) -> Any:
    return connection.execute(f"PRAGMA {pragma}").fetchone()[0]


@dataclass(frozen=True, slots=True)
class Selection:
    """What to include in a bundle of the tournament with the id ``tournament``.

    - ``matches``: the ids of the matches, in the order in which they are written
    - ``has_secret``: whether to include the secret
    - ``submitted``: the names of the bots whose submissions are included
    - ``repack``: converts the stored content of a bot to its published form; if None, no content is included
    """

    tournament: int
    matches: Sequence[str]
    has_secret: bool
    submitted: Collection[str]
    repack: Callable[[object], bytes] | None = None


def write_bundle(connection: Connection, selection: Selection, path: Path) -> str:
    """Write the bundle to a new or empty file, and return the digest of its content.

    Raises DamagedBundleError if the database has values that a bundle can't contain, and StoreError if the file can't be written.
    """
    try:
        with closing(sqlite3.connect(f"{file_uri(path)}?mode=rwc", uri=True)) as file:
            for pragma in (f"application_id={APPLICATION_ID}", f"user_version={FORMAT}", "journal_mode=OFF", "synchronous=OFF"):
                file.execute(f"PRAGMA {pragma}")
            with file:
                make_tables(file)
                for name, rows in _tables(connection, selection):
                    places = ", ".join("?" * len(bundle_schema().tables[name].columns))
                    file.executemany(f'INSERT INTO "{name}" VALUES ({places})', rows)  # noqa: S608  # our own names
            file.execute("VACUUM")
    except sqlite3.IntegrityError as error:
        raise DamagedBundleError(path.name, str(error)) from None
    except sqlite3.Error as error:
        raise StoreError(f"the bundle can't be written: {error}") from None
    bundle = BundleFile(path)
    bundle.open().dispose()
    return bundle.content


Rows: TypeAlias = Iterator[list[object]]


def _tables(connection: Connection, selection: Selection) -> Iterator[tuple[str, Rows]]:
    """Yield the name of each table and its rows in a bundle; matches and seats come in parts."""
    key = selection.tournament
    entered = select(EntrantRow.bot_version_id).where(EntrantRow.tournament_id == key)
    chosen: dict[type[SQLModel], ColumnElement[bool]] = {
        each: col(each.tournament_id) == key for each in (EntrantRow, OrderRow, SealLink, Standing, Void)
    } | {
        Bot: col(Bot.id).in_(select(Version.bot_id).where(col(Version.id).in_(entered))),
        Version: col(Version.id).in_(entered),
        Tournament: col(Tournament.id) == key,
        Submission: col(Submission.bot_version_id).in_(entered) & col(Submission.name).in_(selection.submitted),
    }
    if selection.repack is not None:
        chosen[Content] = col(Content.bot_version_id).in_(entered)
    for model, where in chosen.items():
        yield table_of(model).name, _rows(connection, model, where, selection)
    for ids in chunks(selection.matches):
        sealed = {match: each.unpublished for match, each in read_matches(connection, key, ids, with_replays=False).items()}
        places = {match: place for place, match in enumerate(ids)}
        matches = _rows(connection, Match, col(Match.id).in_(ids), selection, sealed)
        yield "match", iter(sorted(matches, key=lambda row: places[str(row[0])]))
        yield "seat", _rows(connection, SeatRow, col(SeatRow.match_id).in_(ids), selection)


def _rows(
    connection: Connection, model: type[SQLModel], where: ColumnElement[bool], selection: Selection, sealed: Mapping[str, str] | None = None
) -> Rows:
    """Yield the rows by primary key, without withheld values; ``sealed`` has the matches' digests of withheld values, by id."""
    table = bundle_schema().tables[table_of(model).name]
    columns = {each.name: each for each in published(table.name)}
    query = select(*map(as_is, columns.values())).where(where).order_by(*(columns[each.name] for each in table.primary_key))
    for row in connection.execute(query.execution_options(yield_per=1_000)):
        values = dict(zip(columns, map(plain, row), strict=True))
        if sealed is not None:
            values["withheld"] = sealed[str(values["id"])]
        elif table.name in WITHHELD and model is not SeatRow:
            values["withheld"] = digest_of([values[each] for each in WITHHELD[table.name]])
        values |= dict.fromkeys(empty_columns(table.name))
        if "content" in values:
            values["content"] = None if selection.repack is None else selection.repack(values["content"])
        if model is Tournament and not selection.has_secret:
            values["secret"] = None
        yield list(values.values())
