"""OpenSpiel's list of games against the table of docs/openspiel.md, and some of them against the battery."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.openspiel_games import BEGIN, END, PAGE, checked, names

pytestmark = pytest.mark.slow  # OpenSpiel comes with the extra dev

ROOT = Path(__file__).parents[3]
SOME = (
    *("backgammon", "blotto", "cached_tree", "catch", "connect_four", "dark_hex", "goofspiel", "hex", "kuhn_poker"),
    *("oh_hell", "tiny_bridge_4p"),
)


def rows() -> dict[str, bool]:
    """The names in the table, and whether they keep the laws."""
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    lines = page.partition(BEGIN)[2].partition(END)[0].splitlines()
    cells = [line.split(" | ") for line in lines if line.startswith("| ") and "`" in line]
    return {name: not kind.startswith("| not played") for kind, _, games in cells for name in re.findall(r"`([a-z0-9_]+)", games)}


def test_the_table_has_the_names_that_openspiel_registers() -> None:
    assert sorted(rows()) == names()


def test_most_games_keep_the_laws() -> None:
    assert sum(rows().values()) >= 100


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
def test_what_the_table_says_of_a_game_is_so(name: str) -> None:
    row = checked(name, seconds=250)
    assert (not row.problem) == rows()[name], row.problem
