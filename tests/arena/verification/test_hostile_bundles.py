"""A file that is no valid bundle is refused in one sentence, without running anything in it or writing anything."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import struct
import zipfile
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from arena.run.runner import Summary
from arena.spec.tables import BUNDLE
from leaderboard.storage import bundles
from leaderboard.storage.bundles import APPLICATION_ID, DamagedBundleError
from leaderboard.storage.store import Store
from tests.arena.conftest import Run
from tests.arena.verification.evidence import export

Change = Callable[[Path], object]


@pytest.fixture(scope="module")
def bundle(league: tuple[Path, list[Summary]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundle") / "cup.arena"
    export(league[0], path, "cup", with_bots=True)
    return path


def execute(path: Path, *statements: str) -> None:
    """Run statements, without constraints between tables."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in ("PRAGMA synchronous = OFF", *statements):
            connection.execute(statement)


def sql(*statements: str) -> Change:
    """Run these statements, and leave no unused pages."""
    return lambda path: execute(path, *statements, "VACUUM")


def schema(table: str, old: str, new: str, *statements: str) -> Change:
    """Change the definition of a table behind SQLite's back, run the statements, and restore the definition if there are any."""

    def replace(old: str, new: str) -> Change:
        replaced = f"UPDATE sqlite_schema SET sql = replace(sql, '{old}', '{new}') WHERE name = '{table}'"  # noqa: S608  # from below
        return lambda path: execute(path, "PRAGMA writable_schema = ON", replaced)

    def change(path: Path) -> None:
        replace(old, new)(path)
        if statements:
            sql(*statements)(path)
            replace(new, old)(path)

    return change


def at(place: int, content: bytes) -> Change:
    """Overwrite bytes of the file."""

    def change(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(place)
            file.write(content)

    return change


def become(content: bytes) -> Change:
    return lambda path: path.write_bytes(content)


def zipped(path: Path) -> None:
    content = path.read_bytes()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("cup.arena", content)


def beside(end: str) -> Change:
    return lambda path: Path(f"{path}{end}").write_bytes(b"anything")


def in_place_of(make: Callable[[Path, Path], object]) -> Change:
    """Move the file away, and make something else in its place."""

    def change(path: Path) -> None:
        away = path.rename(path.with_name("away"))
        make(path, away)

    return change


def in_utf_16(path: Path) -> None:
    old = path.rename(path.with_name("old"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA encoding = 'UTF-16'")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        with closing(sqlite3.connect(old)) as other:
            for table, definition in other.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall():
                connection.execute(definition)
                rows = other.execute(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608  # our own names
                for row in rows:
                    connection.execute(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(row))})', row)  # noqa: S608
    old.unlink()


def many_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for number in range(3_000):
            connection.execute(f"CREATE TABLE t{number} (x)")


PAGE = 4096
HOSTILE: dict[str, tuple[Change, str]] = {
    "a trigger": (sql("CREATE TRIGGER t AFTER INSERT ON bot BEGIN SELECT 1; END"), "it has the trigger 't', which does not belong"),
    "a view": (sql("CREATE VIEW v AS SELECT load_extension('x')"), "it has the view 'v', which does not belong"),
    "a view of our name": (sql("DROP TABLE void", "CREATE VIEW void AS SELECT 1"), "it has the view 'void', which does not belong"),
    "a name that controls the terminal": (sql('CREATE TABLE "a\x1b[2Jb" (x)'), r"it has the table 'a\x1b[2Jb', which does not belong"),
    "a virtual table": (sql("CREATE VIRTUAL TABLE v USING fts5(x)"), "it has the table 'v_data', which does not belong"),
    "a virtual table of our name": (
        sql("DROP TABLE void", "CREATE VIRTUAL TABLE void USING dbstat"),
        "the columns or constraints of its table 'void' are not",
    ),
    "an index": (sql("CREATE INDEX i ON match (seed)"), "it has the index 'i', which does not belong"),
    "a private table": (sql("CREATE TABLE person (id)"), "it has the table 'person', which does not belong"),
    "statistics": (sql("ANALYZE"), "it has the table 'sqlite_stat1', which does not belong"),
    "many tables": (many_tables, "it has too many tables"),
    "a table less": (sql("DROP TABLE void"), "it has no index 'sqlite_autoindex_void_1'"),
    "a column more": (sql("ALTER TABLE bot ADD COLUMN x"), "the columns or constraints of its table 'bot' are not"),
    "a column less": (sql("ALTER TABLE seat DROP COLUMN seconds"), "the columns or constraints of its table 'seat' are not"),
    "a generated column": (
        sql("ALTER TABLE bot ADD COLUMN x GENERATED ALWAYS AS (id + 1) VIRTUAL"),
        "the columns or constraints of its table 'bot' are not",
    ),
    "a default": (schema("void", "link INTEGER", "link INTEGER DEFAULT (random())"), "the columns or constraints of its table 'void'"),
    "a check": (schema("bot", "name VARCHAR", "name VARCHAR CHECK (name)"), "the columns or constraints of its table 'bot'"),
    "a long text": (
        sql("UPDATE tournament SET spec = printf('%.*c', 1100000, 'x')"),
        "a text in its table 'tournament' contains a NUL",
    ),
    "a huge replay": (sql("UPDATE match SET replay = zeroblob(9000000)"), "its column 'match.replay' has a value of the wrong type"),
    "a text with a NUL": (sql("UPDATE bot SET name = 'a' || char(0) || 'b'  WHERE id = 1"), "a text in its table 'bot' contains a NUL"),
    "invalid UTF-8": (sql("UPDATE match SET end = CAST(x'61ff' AS TEXT)"), "Could not decode to UTF-8"),
    "UTF-16": (in_utf_16, "its text encoding must be UTF-8, not UTF-16le"),
    "a text as a score": (sql("UPDATE seat SET score = '7x'"), "its column 'seat.score' has a value of the wrong type"),
    "a text as a rating": (sql("UPDATE standing SET mu = 'x'"), "its column 'standing.mu' has a value of the wrong type"),
    "a blob as a text": (sql("UPDATE match SET end = x'61'"), "its column 'match.end' has a value of the wrong type"),
    "a text as a replay": (sql("UPDATE match SET replay = 'x'"), "its column 'match.replay' has a value of the wrong type"),
    "a number as a replay": (sql("UPDATE match SET replay = 1"), "its column 'match.replay' has a value of the wrong type"),
    "a fraction as a number": (sql("UPDATE match SET block = 0.5"), "its column 'match.block' has a value of the wrong type"),
    "no name": (
        schema("bot", "name VARCHAR NOT NULL", "name VARCHAR", "UPDATE bot SET name = NULL WHERE id = 1"),
        "NULL value in bot.name",
    ),
    "something private": (sql("UPDATE seat SET seconds = 1.0"), "its column 'seat.seconds' has a value of the wrong type"),
    "no tournament": (
        sql(*(f'DELETE FROM "{table}"' for table in bundles.bundle_schema().tables)),  # noqa: S608  # our own names
        "it must contain exactly one tournament",
    ),
    "a reference to nothing": (sql("DELETE FROM match WHERE rowid = 1"), "refers to a row of 'match' that does not exist"),
    "pages that are not there": (at(28, struct.pack(">I", 1_000_000)), "database disk image is malformed"),
    "fewer pages than there are": (at(28, struct.pack(">I", 9)), "database disk image is malformed"),
    "something behind it": (lambda path: path.write_bytes(path.read_bytes() + b"x" * PAGE), " according to its header"),
    "unused pages": (lambda path: execute(path, "CREATE TABLE x AS SELECT zeroblob(100000)", "DROP TABLE x"), "it has unused pages"),
    "a page of nothing": (at(5 * PAGE, bytes(PAGE)), "Page 6"),
    "a write-ahead log beside it": (beside("-wal"), "cup.arena-wal is next to it, as if a program were writing to it"),
    "a journal beside it": (beside("-journal"), "cup.arena-journal is next to it, as if a program were writing to it"),
    "a link": (in_place_of(lambda path, away: path.symlink_to(away)), "it is a link; give the file itself"),
    "a folder": (in_place_of(lambda path, _: path.mkdir()), "it is not a file"),
    "a pipe": (in_place_of(lambda path, _: os.mkfifo(path)), "it is not a file"),
    "an archive": (zipped, "file is not a database"),
    "a cut file": (lambda path: os.truncate(path, 3 * PAGE), "database disk image is malformed"),
    "an empty file": (become(b""), "it is empty"),
    "another application_id": (sql("PRAGMA application_id = 7"), "its application_id must be 0x41524e41, not 0x7"),
    "another format": (sql("PRAGMA user_version = 9"), "its format is 9, but this program reads only format 1"),
}


@pytest.fixture
def copy(bundle: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(bundle, tmp_path / "cup.arena"))


def state(folder: Path) -> dict[str, tuple[int, bytes]]:
    """What is in a folder: sizes, times and contents of its files."""
    return {each.name: (each.lstat().st_mtime_ns, each.read_bytes() if each.is_file() else b"") for each in folder.iterdir()}


@pytest.mark.parametrize(("change", "sentence"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_file_that_is_no_valid_bundle_is_refused_in_one_sentence(copy: Path, run: Run, change: Change, sentence: str) -> None:
    change(copy)
    before = state(copy.parent)
    done = run("verify", "cup.arena", "--interim")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: cup.arena is not a valid bundle: ")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert state(copy.parent) == before


LIMITS: dict[str, tuple[str, object, str]] = {
    "bytes": ("MOST_BYTES", 1 << 10, "it is larger than 0 GiB"),
    "rows": ("MOST_ROWS", 20, "it has more than 20 rows"),
    "text": ("_MOST_TEXT", 1_000, "it has more than 1000 characters of text besides the matches"),
    "cells": ("_LIMITS", {sqlite3.SQLITE_LIMIT_LENGTH: 1_000}, "string or blob too big"),
}


@pytest.mark.parametrize(("name", "limit", "sentence"), LIMITS.values(), ids=LIMITS.keys())
def test_what_is_too_large_is_refused(copy: Path, monkeypatch: pytest.MonkeyPatch, name: str, limit: object, sentence: str) -> None:
    monkeypatch.setattr(bundles, name, limit)
    with pytest.raises(DamagedBundleError, match=sentence):
        Store.read_to_verify(copy)


def test_a_bundle_may_have_the_largest_bots_that_a_tournament_may_allow() -> None:
    assert BUNDLE[1] < bundles.LARGEST_CONTENT


def test_a_check_that_takes_too_long_is_ended(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "_STEPS", 1)
    monkeypatch.setattr(bundles, "monotonic", count(step=1_000).__next__)
    with pytest.raises(DamagedBundleError, match="checking it takes longer than 60 s"):
        Store.read_to_verify(copy)


def test_a_bundle_that_is_cut_anywhere_is_refused(bundle: Path, copy: Path) -> None:
    content = bundle.read_bytes()
    for size in random.Random(1).sample(range(len(content)), 40):
        copy.write_bytes(content[:size])
        with pytest.raises(DamagedBundleError, match="is not a valid bundle: "):
            Store.read_to_verify(copy)


def test_a_bundle_is_read_where_nothing_can_be_written(bundle: Path, copy: Path, run: Run) -> None:
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    copy.chmod(0o400)
    copy.parent.chmod(0o500)
    before = state(copy.parent)
    try:
        assert run("verify", "cup.arena").returncode == 0
        assert state(copy.parent) == before
    finally:
        copy.parent.chmod(0o700)


def test_a_bundle_is_no_database_for_other_commands(copy: Path, run: Run) -> None:
    done = run("leaderboard", "--db", "cup.arena")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: cup.arena is a bundle, not a database; 'arena verify cup.arena' checks it\n"
