"""Every value that is edited, every row that is deleted or added, is found by a verification, or docs/verification.md says why not."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import SQLModel

from arena.play.executors.base import InlineExecutor
from arena.run.runner import Summary
from arena.verification.verifier import verify_store
from leaderboard.storage.database import StoreError
from leaderboard.storage.raw_queries import read_tournaments
from leaderboard.storage.store import Store
from tests.arena.verification.evidence import disagreements, edits, full_database, uncovered, update
from tests.arena.verification.test_verify import NAMED

TABLES = {table.name: table for table in SQLModel.metadata.sorted_tables}
COLUMNS = [f"{table.name}.{column.name}" for table in TABLES.values() for column in table.columns]

UNCOVERED_ROWS = {
    *("person", "session", "content", "run"),
    "play_table",
    *("season", "season_stage"),
}
"""Tables whose rows may come and go."""

COVERED = dict.fromkeys(COLUMNS, True) | dict.fromkeys(uncovered(), False)


@pytest.fixture(scope="module")
def full(league: tuple[Path, list[Summary]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a row in every table: a complete tournament and a stopped one, what people played."""
    return full_database(league[0], tmp_path_factory.mktemp("league"))


@pytest.fixture
def database(full: Path, tmp_path: Path) -> Path:
    """A copy that takes anything: without the constraints that SQLite would keep."""
    path = Path(shutil.copy(full, tmp_path / "league.db"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'")
    return path


def found_in(path: Path) -> list[str]:
    """What a verification finds, or the sentence with which it refuses the database."""
    try:
        return disagreements(path)
    except StoreError as error:
        return [str(error)]


def rows_to_edit(path: Path, table: str) -> list[int]:
    """The first row of each tournament that has a seal, and of the table; of versions and submissions those that play."""
    names = {column.name for column in TABLES[table].columns}
    where = "1"
    if "bot_version_id" in names and table == "submission":
        where = "bot_version_id IN (SELECT bot_version_id FROM entrant)"
    if table in {"match", "standing", "void", "entrant", "ladder_order", "seal_link"}:
        where = "tournament_id IN (SELECT tournament_id FROM seal_link)"
    if table == "tournament":
        where = "id IN (SELECT tournament_id FROM seal_link)"
    if table in {"seat", "seat_log"}:
        where = "match_id IN (SELECT id FROM match WHERE tournament_id IN (SELECT tournament_id FROM seal_link))"
    if table == "bot_version":
        where = "id IN (SELECT bot_version_id FROM entrant JOIN seal_link USING (tournament_id))"
    with closing(sqlite3.connect(path)) as connection:
        found = [row for (row,) in connection.execute(f'SELECT rowid FROM "{table}" WHERE {where} ORDER BY rowid')]  # noqa: S608
    return found[:: max(1, len(found) - 1)]


def test_the_page_lists_columns_once_and_reports_name_all_others() -> None:
    assert len(set(uncovered())) == len(uncovered())
    assert set(uncovered()) < set(COLUMNS)
    assert {each for each in COLUMNS if COVERED[each] and not each.startswith("ladder_order.")} <= set(NAMED) <= set(COLUMNS)


def test_nothing_is_found_where_nothing_was_edited(database: Path) -> None:
    assert not found_in(database)
    with closing(sqlite3.connect(database)) as connection:
        counts = {table: connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0] for table in TABLES}  # noqa: S608
    assert all(counts.values()), counts


@pytest.mark.sampled(3)
@pytest.mark.parametrize("column", COLUMNS)
def test_an_edit_is_found_and_named_or_the_page_says_why_not(database: Path, column: str) -> None:
    table, name = column.split(".")
    tried = 0
    told: list[str] = []
    for place, row in enumerate(rows_to_edit(database, table)):
        with closing(sqlite3.connect(database)) as connection:
            [(value,)] = connection.execute(f'SELECT "{name}" FROM "{table}" WHERE rowid = ?', (row,))  # noqa: S608
        for edited in islice(edits(value), None if place == 0 else 1):
            copy = Path(shutil.copy(database, database.with_name("copy.db")))
            if not update(copy, table, name, row, value, edited):
                continue
            tried += 1
            if COVERED[column]:
                told += (found := found_in(copy))
                assert found or (column == "void.link" and unsealed(copy, 2)), (column, row, value, edited)
    assert tried or not COVERED[column]
    if COVERED[column] and column in NAMED:  # tests/arena/run/test_ladder_orders.py edits orders
        assert any(re.search(NAMED[column], each) for each in told), told


def all_rows() -> list[str]:
    return [table for table in TABLES if table not in UNCOVERED_ROWS]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("table", [table for table in all_rows() if table != "seal_link"])
def test_a_deleted_row_is_found(database: Path, table: str) -> None:
    with closing(sqlite3.connect(database)) as connection:
        rows = [row for (row,) in connection.execute(f'SELECT rowid FROM "{table}" ORDER BY rowid')]  # noqa: S608
    for row in rows[:: max(1, len(rows) // 8)]:
        copy = Path(shutil.copy(database, database.with_name("copy.db")))
        with closing(sqlite3.connect(copy)) as connection, connection:
            connection.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))  # noqa: S608
        assert found_in(copy), (table, row)


@pytest.mark.slow
@pytest.mark.parametrize("table", [each for each in all_rows() if each != "submission"])  # a version has one
def test_an_added_row_is_found(database: Path, table: str) -> None:
    """A copy of the last row, with other values wherever a key may not come twice."""
    unique = {column.name for column in TABLES[table].columns if column.unique or column.primary_key}
    for constraint in TABLES[table].constraints:
        unique |= {column.name for column in getattr(constraint, "columns", ())} - set(TABLES[table].primary_key.columns.keys())
    key = set(TABLES[table].primary_key.columns.keys())
    kept = {reference.parent.name for reference in TABLES[table].foreign_keys} - (key if len(key) == 1 else set())
    with closing(sqlite3.connect(database)) as connection, connection:
        found = connection.execute(f'SELECT * FROM "{table}" ORDER BY rowid DESC LIMIT 1')  # noqa: S608
        names = [each[0] for each in found.description]
        row = [another(value) if name in unique - kept else value for name, value in zip(names, found.fetchone(), strict=True)]
        insert = f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(row))})'  # noqa: S608
        if kept == unique:
            column = min(kept)
            (reference,) = TABLES[table].columns[column].foreign_keys
            place = names.index(column)
            rows = connection.execute(f'SELECT tournament_id, {column} FROM "{table}"').fetchall()  # noqa: S608
            used = {value for tournament, value in rows if tournament == row[names.index("tournament_id")]}
            others = {value for (value,) in connection.execute(f'SELECT {reference.column.name} FROM "{reference.column.table.name}"')}  # noqa: S608
            row[place] = min(others - used)
        connection.execute(insert, row)
    assert found_in(database), table


def another(value: Any) -> Any:
    return value + 1 if isinstance(value, int) else f"{value}x"


@pytest.mark.slow  # verifies once for each seal
def test_each_seal_that_is_deleted_is_found(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        links = connection.execute("SELECT tournament_id, number FROM seal_link").fetchall()
    assert len(links) >= 4
    for tournament, number in links:
        copy = Path(shutil.copy(database, database.with_name("copy.db")))
        with closing(sqlite3.connect(copy)) as connection, connection:
            connection.execute("DELETE FROM seal_link WHERE tournament_id = ? AND number = ?", (tournament, number))
        assert found_in(copy) or unsealed(copy, tournament), (tournament, number)


def unsealed(path: Path, tournament: int) -> bool:
    """Whether a verification says of an unfinished tournament that it is not sealed."""
    with Store.read(path) as store:
        [verdict], _ = verify_store(store, store.fetch(read_tournaments, tournament), InlineExecutor())
    return not verdict.is_sealed and verdict.stored != verdict.total
