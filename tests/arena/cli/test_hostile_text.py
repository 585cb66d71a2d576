"""Whatever strangers have put into a database or a replay, no command prints a character that a terminal would obey."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import sys
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text
from sqlalchemy import String
from sqlmodel import AutoString, SQLModel
from typer.testing import CliRunner

from arena.cli.app import app
from arena.cli.output import Screen, console
from leaderboard.storage.store import Store
from tests.arena.verification.evidence import make_database

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\r\b\u202e\u2066\u200b\u2028\u2029\ufeff[bold]"


COLUMNS = sorted(
    (table.name, column.name)
    for table in SQLModel.metadata.sorted_tables
    for column in table.columns
    if isinstance(column.type, String | AutoString)
)


def unfit(text: str) -> set[str]:
    """The characters that should not have been printed."""
    return {character for character in text if not character.isprintable() and character not in "\n\t"}


def run(*arguments: str | Path) -> str:
    """All that the command printed, whatever came of it."""
    done = CliRunner(env={"COLUMNS": "400"}).invoke(app, [str(each) for each in arguments])
    trace = "" if done.exception is None or isinstance(done.exception, SystemExit) else repr(done.exception)
    return done.stdout + done.stderr + trace


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A database with something in every table, and the id of a match in which a bot failed."""
    folder = tmp_path_factory.mktemp("hostile")
    path, _ = make_database(folder)
    with closing(sqlite3.connect(path)) as connection, connection:
        match, seat = connection.execute("select match_id, seat from seat where fault is not null").fetchone()
        kept = zlib.compress(json.dumps({"log": f"first{HOSTILE}\nsecond", "messages": [f"> {HOSTILE}"]}).encode())
        connection.execute("delete from seat_log where match_id = ? and seat = ?", (match, seat))
        connection.execute("insert into seat_log (match_id, seat, kept) values (?, ?, ?)", (match, seat, kept))
    shutil.copy(path, folder / "whole.db")
    return folder / "whole.db", match


def commands(path: Path, match: str) -> list[list[str | Path]]:
    """Everything that shows what a database holds."""
    named: list[list[str | Path]] = [
        ["leaderboard"],
        ["leaderboard", "--csv"],
        ["leaderboard", "--markdown"],
        ["leaderboard", "--json"],
        ["leaderboard", "--tournament", "nothing"],
        ["stats"],
        ["matches"],
        ["matches", "--bot", "nothing"],
        ["matches", "--json"],
        ["faults"],
        ["log", match, "0"],
        ["log", match, "1"],
        ["log", match, "9"],
        ["status"],
        ["bots"],
        ["bots", "list"],
        ["bots", "list", "walker"],
        ["people", "list"],
        ["replay", match],
        ["replay", match, "--html", "-"],
    ]
    return [[*each, "--db", path] for each in named]


def spoiled(whole: Path, folder: Path, columns: list[tuple[str, str]]) -> Path:
    """A copy of the database with hostile text in all rows of these columns."""
    path = Path(shutil.copy(whole, folder / "foreign.db"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("pragma foreign_keys = off")
        for table, column in columns:
            connection.execute(f"update {table} set {column} = {column} || ?", (HOSTILE,))  # noqa: S608  # our own tables
    return path


@pytest.mark.slow
@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_no_text_of_a_database_reaches_the_terminal_as_it_is(made: tuple[Path, str], tmp_path: Path, table: str, column: str) -> None:
    whole, match = made
    path = spoiled(whole, tmp_path, [(table, column)])

    printed = {" ".join(map(str, each)): unfit(run(*each)) for each in commands(path, match)}

    assert {command: found for command, found in printed.items() if found} == {}


@pytest.mark.slow
@pytest.mark.parametrize("table", sorted({table for table, _ in COLUMNS}))
def test_nor_does_it_when_it_is_verified_or_exported(made: tuple[Path, str], tmp_path: Path, table: str) -> None:
    path = spoiled(made[0], tmp_path, [each for each in COLUMNS if each[0] == table])

    commands: list[list[str | Path]] = [["verify", path], ["export", "--db", path, "--seals", "/dev/null"]]
    for arguments in commands:
        assert unfit(run(*arguments)) == set(), arguments


def test_each_line_of_a_log_is_shown_and_nothing_of_it_is_obeyed(made: tuple[Path, str]) -> None:
    whole, match = made
    with closing(sqlite3.connect(whole)) as connection:
        seat = connection.execute("select seat from seat where match_id = ? and fault is not null", (match,)).fetchone()[0]
    said = run("log", match, str(seat), "--db", whole)

    assert "first\\x1b]0;owned\\x07\\x1b[2J" in said
    assert "\nsecond\n" in said
    assert unfit(said) == set()


def test_no_text_is_taken_for_markup_or_an_emoji(capsys: pytest.CaptureFixture[str]) -> None:
    texts = ["[/nothing]", "[link=https://evil.example]name[/link]", ":smile:"]
    table = Table("match")
    for text in texts:
        table.add_row(text)
        console().print(text)
    console().print(table)
    printed = capsys.readouterr().out
    assert [printed.count(text) for text in texts] == [2, 2, 2]


def replay_of(made: tuple[Path, str]) -> dict[str, object]:
    """The replay of a match with a forfeit."""
    whole, match = made
    with Store.read(whole) as store:
        data: dict[str, object] = json.loads(store.replay(match))
    return data


ANY = st.text(st.characters(exclude_categories=["L", "N", "P"]), max_size=8).map(lambda text: f"x\x1b[31m{text}")


@pytest.mark.slow
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=ANY, key=st.sampled_from(["game", "names", "end", "forfeits", "chance", "options", "decisions", "format", "key"]))
def test_no_text_of_a_replay_reaches_the_terminal_as_it_is(made: tuple[Path, str], text: str, key: str) -> None:
    data = replay_of(made)
    changes: dict[str, dict[str, object]] = {
        "names": {"names": [text] * 2},
        "forfeits": {"forfeits": [[0, 0, text]]},
        "chance": {"chance": [[0, text]]},
        "options": {"options": {text: text}},
        "decisions": {"decisions": [[0, text, 5]]},
        "key": {text: 1},
    }
    data |= changes.get(key, {key: text})
    file = made[0].with_name("foreign.json")
    file.write_text(json.dumps(data))

    words: list[list[str]] = [[], ["--html", "-"], ["--at", "3"]]
    for arguments in (["replay", "verify", str(file)], *(["replay", str(file), *more] for more in words)):
        assert unfit(run(*arguments)) == set(), arguments


@pytest.mark.parametrize("name", [HOSTILE, "half \udcff"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    file = tmp_path / f"{name}.json"
    file.write_text("{}")
    for words in ("replay", "replay verify", "verify", "leaderboard --db", "run"):
        arguments = [*words.split(), str(file)]
        said = run(*arguments)
        assert "error: " in said
        assert unfit(said) == set(), arguments


def test_only_colours_reach_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR")
    screen = Screen(file=sys.stdout, force_terminal=True, color_system="standard", width=300, highlight=False)
    table = Table()
    table.add_column(Text(HOSTILE))
    table.add_row(Text(HOSTILE, style="red"))
    screen.print(table)
    screen.print(HOSTILE, markup=False)

    said = capsys.readouterr().out

    assert "\x1b[31m" in said
    assert unfit(re.sub(r"\x1b\[[0-9;]*m", "", said)) == set()
