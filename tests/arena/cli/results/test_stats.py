"""``arena stats``, from a tournament that was played."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from arena.cli.app import app
from tests.arena.running import play_tournament

SPEC = """
name = "trial"
game = "tongiaki"
seed = 3
bots = ["random", "greedy", { name = "a-name-that-is-as-long-as-may-be", source = "random" }]

[schedule]
tables = [2, 3]
blocks = 2
seats = "rotations"
"""

SECTIONS = ["standings", "head-to-head", "seats", "play", "faults"]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a whole tournament."""
    return play_tournament(tmp_path_factory.mktemp("stats") / "played.db", SPEC)


def arena(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, prog_name="arena")


@pytest.fixture
def played(database: Path, tmp_path: Path) -> None:
    """That database as ``arena.db``."""
    shutil.copy(database, tmp_path / "arena.db")


def test_the_tables_fit_80_columns_and_name_every_bot(played: None) -> None:
    done = arena("stats")
    assert done.exit_code == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "trial (tongiaki): 18 matches, 8 complete blocks" in done.stdout
    for words in (
        "Standings",
        "ranks by Elo",
        "Head to head",
        "Seats",
        "Play",
        "No bot has failed",
        "rating",
        "Elo",
        "greedy",
    ):
        assert words in done.stdout


def test_json_has_the_sections_asked_for_with_their_numbers(played: None) -> None:
    done = arena("stats", "--json")
    data = json.loads(done.stdout)
    assert [key for key in data if key in SECTIONS] == SECTIONS
    assert data["blocks"] == {"complete": 8, "incomplete": 0}
    assert data["matches"] == {"played": 18, "total": 18, "left_out": 0}
    assert data["standings"][0]["bot"] == "greedy"
    for line in data["standings"]:
        assert line["best_rank"] <= line["rank"] <= line["worst_rank"]
        assert line["low"] <= line["elo"] <= line["high"]
        assert (line["blocks"], line["matches"]) == (6, 14)
    some = json.loads(arena("stats", "--json", "--section", "seats", "--section", "faults").stdout)
    assert [key for key in some if key in SECTIONS] == ["seats", "faults"]
    assert [(line["players"], line["seat"]) for line in some["seats"]] == [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]


def test_csv_has_a_file_for_each_section(played: None, tmp_path: Path) -> None:
    done = arena("stats", "--csv", "out/tables")
    assert done.exit_code == 0, done.stderr
    folder = tmp_path / "out" / "tables"
    assert sorted(file.name for file in folder.iterdir()) == sorted(f"{section}.csv" for section in SECTIONS)
    rows = {section: list(csv.DictReader((folder / f"{section}.csv").read_text().splitlines())) for section in SECTIONS}
    assert {section: len(rows[section]) for section in SECTIONS} == {
        "standings": 3,
        "head-to-head": 3,
        "seats": 5,
        "play": 3,
        "faults": 3,
    }
    assert {row["crash"] for row in rows["faults"]} == {"0"}


SOLO = (
    'name = "solo"\ngame = "sunda"\noptions = { level = 0 }\nseed = 1\nbots = ["random", "greedy"]\n[schedule]\ntables = [1]\nblocks = 2\n'
)
