"""Writes bundles (``bundle_file``): copies the public rows of one tournament out of a database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sqlalchemy import ColumnElement, Connection, Table, select

from leaderboard.chunks import chunks
from leaderboard.errors import StoreError
from leaderboard.seals.encoding import digest_of, plain
from leaderboard.sqlite_files import file_uri
from leaderboard.storage.bundle_file import (
    APPLICATION_ID,
    FORMAT,
    WITHHELD,
    BundleFile,
    DamagedBundleError,
    bundle_schema,
    empty_columns,
    make_tables,
)
from leaderboard.storage.raw_queries import as_is, read_matches
from leaderboard.storage.tables import (
    BOT,
    CONTENT,
    ENTRANT,
    MATCH,
    ORDER,
    RATING,
    SEAL_LINK,
    SEAT,
    STANDING,
    SUBMISSION,
    TOURNAMENT,
    VERSION,
    VOID,
)


@dataclass(frozen=True, slots=True)
class Selection:
    """What is published of the tournament with the id ``tournament``.

    ``matches`` are its ids in the order in which they are written. The secret is included if it ``has_secret``, submissions of the bots
    named in ``submitted``, and contents of bots with ``repack``, which returns a stored content as it is published.
    """

    tournament: int
    matches: Sequence[str]
    has_secret: bool
    submitted: Collection[str]
    repack: Callable[[object], bytes] | None = None


def write_bundle(connection: Connection, selection: Selection, path: Path) -> str:
    """Write the bundle to a new or empty file; return the digest of its content.

    Raises DamagedBundleError if the database has values that no bundle has, and StoreError if the file can't be written.
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
    """Yield the name of each table and its rows as a bundle has them; matches and seats in parts."""
    key = selection.tournament
    entered = select(ENTRANT.c.bot_version_id).where(ENTRANT.c.tournament_id == key)
    submitted = select(BOT.c.id).where(BOT.c.name.in_(selection.submitted))
    chosen = {each: each.c.tournament_id == key for each in (ENTRANT, ORDER, RATING, SEAL_LINK, STANDING, VOID)} | {
        BOT: BOT.c.id.in_(select(VERSION.c.bot_id).where(VERSION.c.id.in_(entered))),
        VERSION: VERSION.c.id.in_(entered),
        TOURNAMENT: TOURNAMENT.c.id == key,
        SUBMISSION: SUBMISSION.c.bot_version_id.in_(entered) & SUBMISSION.c.bot_id.in_(submitted),
    }
    if selection.repack is not None:
        chosen[CONTENT] = CONTENT.c.bot_version_id.in_(entered)
    for table, where in chosen.items():
        yield table.name, _rows(connection, table, where, selection)
    for ids in chunks(selection.matches):
        sealed = {match: each.unpublished for match, each in read_matches(connection, key, ids, with_replays=False).items()}
        places = {match: place for place, match in enumerate(ids)}
        matches = _rows(connection, MATCH, MATCH.c.id.in_(ids), selection, sealed)
        yield MATCH.name, iter(sorted(matches, key=lambda row: places[str(row[0])]))
        yield SEAT.name, _rows(connection, SEAT, SEAT.c.match_id.in_(ids), selection)


def _rows(
    connection: Connection, table: Table, where: ColumnElement[bool], selection: Selection, sealed: Mapping[str, str] | None = None
) -> Rows:
    """Yield the rows by primary key, without what is withheld; ``sealed`` has the digests of that for matches, by id."""
    names = table.columns.keys()
    query = select(*map(as_is, table.columns)).where(where).order_by(*table.primary_key)
    for row in connection.execute(query.execution_options(yield_per=1_000)):
        values = dict(zip(names, map(plain, row), strict=True))
        if sealed is not None:
            values["withheld"] = sealed[str(values["id"])]
        elif table.name in WITHHELD and table is not SEAT:
            values["withheld"] = digest_of([values[each] for each in WITHHELD[table.name]])
        values |= dict.fromkeys(empty_columns(table.name))
        if "content" in values:
            values["content"] = None if selection.repack is None else selection.repack(values["content"])
        if table is TOURNAMENT and not selection.has_secret:
            values["secret"] = None
        yield list(values.values())
