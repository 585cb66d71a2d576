"""Every command that prints a table of a database, in terminals of 80 and 120 columns, with names of every kind."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from arena.cli.app import app
from benchmarks.web_data import CUP, HOSTILE, HUNDRED, LONGEST, RUNNING, SOLO, SUNDA, SWISS, make_database

COMMANDS = (
    *(("leaderboard", each) for each in (HUNDRED, SWISS, CUP, SOLO)),
    ("stats", SUNDA),
    ("matches", SUNDA),
    ("matches", HUNDRED),
    ("faults", SUNDA),
    ("status", RUNNING),
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every kind of tournament, in which bots have names that a stranger's database may hold."""
    path = tmp_path_factory.mktemp("widths") / "names.db"
    make_database(path, bots=10)
    with closing(sqlite3.connect(path)) as connection, connection:
        for bot, name in enumerate(HOSTILE, start=3):
            connection.execute("update bot set name = ? where id = ? and length(name) < 40", (name, bot))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 120])
def test_no_line_of_a_table_is_longer_and_no_number_is_cut(db: Path, width: int) -> None:
    shown = ""
    for command, tournament in COMMANDS:
        done = CliRunner(env={"COLUMNS": str(width)}).invoke(app, [command, "--tournament", tournament, "--db", str(db)])
        assert done.exit_code == 0, done.output
        lines = [line for line in done.stdout.splitlines() if not is_prose(line)]
        assert [line for line in lines if cell_len(line) > width] == [], (command, tournament)
        assert [line for line in lines if re.search(r"(^| )-?\d[\d.,]*…", line)] == [], (command, tournament)
        shown += done.stdout
    assert LONGEST[:5] in shown
    assert "🦜" in shown


def is_prose(line: str) -> bool:
    """Whether it is a sentence, which the terminal may break wherever it likes."""
    return line.endswith((".", ":")) or "'arena " in line or "arena " in line.rsplit(": ", maxsplit=1)[-1][:6]
