"""``arena rate`` as a program: Elo as a table and as JSON, forfeits, one sentence for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from arena.cli.app import app

SMALL = ("--matches", "16", "--isolation", "none")
FIRST = """
class First:
    def choose(self, view, clock):
        return view.legal_moves[0]
"""
FAILING = FIRST.replace("return view.legal_moves[0]", "raise ValueError('no')")


@pytest.fixture(autouse=True)
def bots(here: Path) -> None:
    (here / "first.py").write_text(FIRST)
    (here / "failing.py").write_text(FAILING)


def rate(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["rate", "--game", "tongiaki", *arguments], prog_name="arena")


def test_a_table_has_the_bot_among_the_reference_bots() -> None:
    result = rate("first.py", *SMALL)
    assert result.exit_code == 0, result.output
    title, heading, *rows = result.stdout.splitlines()
    assert title.startswith("first@")
    assert title.endswith(": tongiaki, 2 players, 16 matches")
    assert "Elo" in heading
    assert {row.split()[2] for row in rows} == {"first", "random", "greedy", "spoiler", "expert", "learned"}
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_json_has_every_figure_and_forfeits_lose() -> None:
    data = json.loads(rate("failing.py", "--json", *SMALL).stdout)
    assert data["interval"][0] < data["elo"] < data["interval"][1]
    assert (data["players"], data["matches"], data["forfeits"]) == (2, 16, 8)
    assert {each["bot"]: each["elo"] for each in data["standings"]}["random"] == 1000
