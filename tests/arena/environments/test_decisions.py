"""Decisions of stored matches as data: what is in the files and their cards, and how mistakes are told."""

import json
import shutil
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from arena.cli.app import app
from arena.environments.game_adapter import find_encoder
from engine.registry import find_game
from engine.replay.format import read_replay
from engine.replay.verifier import walk
from leaderboard.storage.store import Store

SPEC = """
name = "cup"
game = "{game}"
seed = 7
bots = ["random", "greedy"]
[schedule]
tables = [2]
blocks = 1
"""


def run(*given: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(each) for each in given])
    return done.exit_code, " ".join(done.output.split())


def played(folder: Path, spec: str) -> Path:
    (folder / "cup.toml").write_text(spec)
    db = folder / "cup.db"
    code, said = run("run", folder / "cup.toml", "--db", db, "--executor", "inline", "--isolation", "none")
    assert code == 0, said
    return db


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of Tongiaki, for what is the same in every game."""
    return played(tmp_path_factory.mktemp("tongiaki"), SPEC.format(game="tongiaki"))


@pytest.fixture(scope="module", params=["tongiaki", "sunda"])
def cup(request: pytest.FixtureRequest, db: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    if request.param == "tongiaki":
        return "tongiaki", db
    options = '[options]\nlevel = 1\nmode = "simultaneous"\n'
    return request.param, played(tmp_path_factory.mktemp(request.param), SPEC.format(game=request.param) + options)


def test_each_decision_has_what_its_seat_saw_and_what_it_did(cup: tuple[str, Path], tmp_path: Path) -> None:
    game, db = cup
    out = tmp_path / "cup.parquet"
    assert run("export", "--db", db, "--decisions", out, "--rows")[0] == 0
    table: Any = parquet.read_table(out)
    with Store.read(str(db)) as store:
        stored = store.matches(set(table["match"].to_pylist()))
        replays = {match: read_replay(store.replay(match)) for match in stored}
    assert table.num_rows == sum(len(replay.decisions) for replay in replays.values())
    number = 0
    for match in dict.fromkeys(table["match"].to_pylist()):
        replay = replays[match]
        encoder = find_encoder(find_game(game, replay.options), 2)
        for decision, (state, _) in zip(replay.decisions, walk(replay), strict=False):
            row = {name: table[name][number].as_py() for name in table.column_names if not name.startswith("observation")}
            assert (row["seat"], row["move"], row["legal"]) == tuple(decision)
            assert str(state.list_moves()[row["action"]]) == decision.move
            assert row["bot"] == replay.names[decision.seat]
            assert (row["rank"], row["score"]) == (replay.ranks[decision.seat], replay.scores[decision.seat])
            if number % 29 == 0:
                seen = encoder.unpack(encoder.pack(state, decision.seat))
                for name, array in seen.items():
                    assert table[f"observation_{name}"][number].values.to_numpy().tolist() == array.ravel().tolist()
                rows = encoder.rows(state.view(decision.seat), list(state.list_moves()))
                assert table["observation_moves"][number].values.to_numpy().tobytes() == rows.tobytes()
            number += 1
    assert number == table.num_rows


def test_both_formats_say_the_same(cup: tuple[str, Path], tmp_path: Path) -> None:
    _, db = cup
    match = json.loads(run("matches", "--db", db, "--json")[1])[0]["id"]
    for ending in ("parquet", "jsonl"):
        code, said = run("export", "--db", db, "--decisions", tmp_path / f"one.{ending}", "--match", match, "--rows")
        assert (code, "of 1 match of" in said) == (0, True)
    assert "Arrays are flat lists of numbers in C order" in (tmp_path / "one.parquet.md").read_text()
    assert "Arrays are nested lists of numbers;" in (tmp_path / "one.jsonl.md").read_text()
    lines = (tmp_path / "one.jsonl").read_text().splitlines()
    table: Any = parquet.read_table(tmp_path / "one.parquet")
    assert set(table["match"].to_pylist()) == {match}
    assert len(lines) == table.num_rows
    for number in range(0, len(lines), 17):
        line = json.loads(lines[number])
        assert list(line) == table.column_names
        for name, value in line.items():
            stored = table[name][number].as_py()
            assert (np.ravel(value).tolist() if name.startswith("observation") else value) == stored


def test_a_card_says_where_the_decisions_come_from(cup: tuple[str, Path], tmp_path: Path) -> None:
    game, db = cup
    out = tmp_path / "cup.parquet"
    assert "cup.parquet.md says what is in it" in run("export", "--db", db, "--decisions", out)[1]
    card = (tmp_path / "cup.parquet.md").read_text()
    table: Any = parquet.read_table(out)
    metadata = parquet.read_metadata(out).metadata
    assert metadata[b"card"].decode() == card
    assert metadata[b"digest"].decode() in card
    assert f"- game: {game}" in card
    assert f"- decisions: {table.num_rows}\n" in card
    for bot, number in Counter(table["bot"].to_pylist()).items():
        assert any(line.startswith(f"| {bot} |") and line.endswith(f"| {number} |") for line in card.splitlines())
    for name in table.column_names:
        assert f"| `{name}` |" in card


HOSTILE = (
    "<script>alert(1)</script>",
    "a|b\n# heading\n| x |",
    "\u202eevil\x1b[31m" + "A" * 10_000,
    "[a](javascript:1) ![](http://b) `c` 🐙",
)


@pytest.mark.parametrize("name", HOSTILE, ids=["html", "rows", "long", "links"])
def test_names_that_strangers_wrote_are_no_markup_in_a_card_or_a_leaderboard(name: str, db: Path, tmp_path: Path) -> None:
    shutil.copy(db, tmp_path / "cup.db")
    with closing(sqlite3.connect(tmp_path / "cup.db")) as connection, connection:
        connection.execute("update bot set name = ? where name = 'greedy'", [name])
        connection.execute("update tournament set name = ?", [name])
    assert run("export", "--db", tmp_path / "cup.db", "--decisions", tmp_path / "cup.jsonl")[0] == 0
    card = (tmp_path / "cup.jsonl.md").read_text()
    table = CliRunner().invoke(app, ["leaderboard", "--db", str(tmp_path / "cup.db"), "--markdown"]).stdout
    assert [line[:2] for line in card.splitlines()[-4:]] == ["| ", "|-", "| ", "| "]
    assert [line[:2] for line in table.splitlines()[:4]] == ["| "] * 4
    for text in (card, table):
        assert not any(mark in text for mark in ("<script", "](", "`c`", "://", "\n# heading", "A" * 400))
        assert all(character.isprintable() or character == "\n" for character in text)


@pytest.mark.slow  # plays at every size
def test_tables_of_different_sizes_share_a_file(tmp_path: Path) -> None:
    db = played(tmp_path, SPEC.format(game="tongiaki").replace("[2]", "[2, 3]").replace('"greedy"', '"greedy", "spoiler"'))
    assert run("export", "--db", db, "--decisions", tmp_path / "cup.parquet", "--rows")[0] == 0
    table: Any = parquet.read_table(tmp_path / "cup.parquet")
    sizes = {
        (players, len(ships)) for players, ships in zip(table["players"].to_pylist(), table["observation_ships"].to_pylist(), strict=True)
    }
    assert sizes == {(2, 94), (3, 141)}
    card = (tmp_path / "cup.parquet.md").read_text()
    assert "of shape (47, 3) with 3 players or (47, 2) with 2 players" in card
    assert "of shape (legal, 25) with 3 players or (legal, 19) with 2 players" in card


def test_moves_of_a_substitute_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("class Broken:\n    def choose(self, view, clock):\n        raise KeyError\n")
    db = played(tmp_path, SPEC.format(game="tongiaki").replace('"greedy"', '"broken.py"'))
    assert run("export", "--db", db, "--decisions", tmp_path / "cup.parquet")[0] == 0
    table: Any = parquet.read_table(tmp_path / "cup.parquet")
    substituted = set(zip(table["bot"].to_pylist(), table["by_substitute"].to_pylist(), strict=True))
    assert ("broken", True) in substituted
    assert ("random", True) not in substituted


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--decisions", "cup.csv"), "has to end with .parquet or .jsonl"),
        (("--decisions", "old.jsonl"), "old.jsonl already exists"),
        (("--decisions", "told.jsonl"), "told.jsonl.md, where the card would go, already exists"),
        (("--decisions", "new.jsonl", "--tournament", "cap"), "there is no tournament 'cap'"),
        (("--decisions", "new.jsonl", "--match", "zzz"), "zzz"),
        (("--seals", "s", "--rows"), "--rows is for decisions; give --decisions FILE, too"),
        (("--rows",), "--rows is for decisions; give --decisions FILE, too"),
        (("--seals", "s", "--match", "abc"), "--match is for decisions"),
        (("--decisions", "new.jsonl", "--seals", "s"), "say what to export: one of"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.jsonl").touch()
    Path("told.jsonl.md").touch()
    code, output = run("export", "--db", db, *given)
    assert (code, said in output) == (2, True), output
    assert not Path("new.jsonl").exists()


def test_a_missing_package_is_named_and_no_file_is_left(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, said = run("export", "--db", db, "--decisions", tmp_path / "cup.parquet")
    assert code == 2
    assert "needs pyarrow" in said
    assert "pip install 'tile-arena[data]'" in said
    assert not list(tmp_path.iterdir())
