"""``arena stats --adjusted`` and ``arena compare --adjusted``: results less luck beside the results, and a decision by them."""

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
bots = ["random", "greedy"]

[schedule]
tables = [2]
blocks = 2
"""


@pytest.fixture(autouse=True)
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of its own, and hardly any continuations."""
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("arena.analysis.match_luck.CONTINUATIONS", 2)
    monkeypatch.setattr("arena.cli.run.run.LINE_SECONDS", 0)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_tournament(tmp_path_factory.mktemp("adjusted") / "arena.db", SPEC)


@pytest.fixture
def database(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(played, tmp_path / "arena.db"))


def arena(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="arena")


def test_the_tables_are_beside_the_usual_ones(database: Path, tmp_path: Path) -> None:
    done = arena("stats", "--adjusted", "--section", "standings", "--csv", "csv")
    assert done.exit_code == 0, done.output
    assert "Elo, unadjusted and adjusted" in done.stdout
    assert "Shares of wins over blocks, unadjusted and adjusted" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "4 of 4 matches" in done.stderr
    with (tmp_path / "csv" / "adjusted-pairs.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row["bot"], row["other"], row["players"], row["blocks"]) == ("greedy", "random", "2", "2")
    assert float(row["adjusted"]) != float(row["share"])


@pytest.mark.usefixtures("database")
def test_the_same_figures_as_json() -> None:
    known = json.loads(arena("stats", "--adjusted", "--section", "faults", "--json").stdout)
    assert {line["bot"] for line in known["adjusted-elo"]} == {"random", "greedy"}
    assert known["adjusted-without"] == 0
    assert sum(line["adjusted"] for line in known["adjusted-wins"]) == pytest.approx(1)


def test_a_comparison_decides_by_scores_less_luck() -> None:
    here, few = ("--isolation", "none"), ("--max-blocks", "2")
    done = arena("compare", "greedy", "spoiler", "--game", "tongiaki", "--seed", "7", *few, "--adjusted", "--json", *here)
    assert done.exit_code == 4, done.output
    known = json.loads(done.stdout)
    assert known["adjusted"]
    assert len(known["raw_scores"]) == len(known["scores"]) == 2
    assert known["raw_scores"] != known["scores"]
    assert all(-1 <= score <= 2 for score in known["scores"])
