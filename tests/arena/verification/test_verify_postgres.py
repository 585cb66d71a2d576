"""A league on a PostgreSQL server is verified and exported as one in a file is."""

from __future__ import annotations

import io
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from sqlmodel import SQLModel

import leaderboard.storage.server_tables  # noqa: F401  # so that all tables are there
from arena.verification.exporter import Exporter
from leaderboard.storage.store import Store
from tests.arena.verification.evidence import disagreements, fill_database, verify
from tests.arena.verification.test_verify import KEYS, NAMED
from tests.postgres import Server

Run = Callable[..., "subprocess.CompletedProcess[str]"]
REFERENCES = {f"{table.name}.{key.parent.name}" for table in SQLModel.metadata.sorted_tables for key in table.foreign_keys}
PLAIN = sorted(set(NAMED) - KEYS - REFERENCES - {"match.id", "person.id", "void.link"})  # a later link means that it is not sealed yet
"""Columns that are neither keys nor references: those a server keeps whole by itself."""


def test_an_edited_value_is_found_and_named_on_a_server_too(tmp_path: Path, postgres: Server) -> None:
    place = postgres.new_database()
    summaries = fill_database(tmp_path, place)
    verdicts, general = verify(place)
    assert (general, [each.disagreements for each in verdicts]) == ([], [[], []])
    assert [each.results for each in verdicts] == [each.results_digest for each in summaries]
    found = re.search(r"/(test\d+)\?", place)
    assert found is not None
    edited = 0
    for column in PLAIN:
        table, name = column.split(".")
        if not postgres.execute(f'SELECT 1 FROM "{table}" WHERE "{name}" IS NOT NULL LIMIT 1', found[1]):  # noqa: S608  # our own tables
            continue  # there is no value to edit
        edited += 1
        edit_one(postgres, found[1], column)
        told = disagreements(place)
        assert any(re.search(NAMED[column].replace("{id}", r"\w+"), each) for each in told), (column, told)
        put_back(postgres, found[1], column)
    assert edited > 25
    assert disagreements(place) == []


def edit_one(postgres: Server, database: str, column: str) -> None:
    """Change the column in one row, and keep what was there."""
    table, name = column.split(".")
    changes = {"BLOB": "'\\x00'", "VARCHAR": f"\"{name}\" || '0'", "DATETIME": f"\"{name}\" + interval '1 second'"}
    change = changes.get(str(SQLModel.metadata.tables[table].c[name].type), f'"{name}" + 1')
    if column == "seat.fault":
        change = "'illegal'"
    where = f'ctid = (SELECT max(ctid) FROM "{table}" WHERE "{name}" IS NOT NULL)'  # noqa: S608  # our own tables
    postgres.execute(f'CREATE TABLE kept AS SELECT * FROM "{table}"', database)  # noqa: S608
    postgres.execute(f'UPDATE "{table}" SET "{name}" = {change} WHERE {where}', database)  # noqa: S608


def put_back(postgres: Server, database: str, column: str) -> None:
    """Undo that."""
    table, name = column.split(".")
    others = [other.name for other in SQLModel.metadata.tables[table].columns if other.name != name]
    where = " AND ".join(f'"{table}"."{other}" IS NOT DISTINCT FROM kept."{other}"' for other in others)
    postgres.execute(f'UPDATE "{table}" SET "{name}" = kept."{name}" FROM kept WHERE {where}', database)  # noqa: S608
    postgres.execute("DROP TABLE kept", database)


def test_it_is_verified_and_exported_by_its_address_and_gives_the_bundle_of_a_file(tmp_path: Path, postgres: Server, run: Run) -> None:
    place = postgres.new_database()
    fill_database(tmp_path, place)
    done = run("verify", place, "--tournament", "cup")
    assert (done.returncode, done.stderr) == (0, "")
    assert "cup: 6 of 6 matches" in done.stdout
    done = run("export", place, "--tournament", "cup", "--bundle", "cup.zip")
    assert (done.returncode, done.stderr) == (0, "")
    fill_database(tmp_path, tmp_path / "league.db")
    out = io.BytesIO()
    with Store.read(tmp_path / "league.db") as store:
        tournament = store.tournament("cup")
        assert tournament is not None
        Exporter(store, tournament).write_bundle(out)
    (tmp_path / "file.zip").write_bytes(out.getvalue())
    told = [run("verify", name) for name in ("cup.zip", "file.zip")]  # seals bear times, so the bytes are others
    assert [each.returncode for each in told] == [0, 0]
    lines = [[line for line in each.stdout.splitlines() if not line.startswith("seal ")] for each in told]
    assert lines[0] == lines[1]
