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


TABLE = (ROOT / PAGE).read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
REFUSED = {name for line in TABLE.splitlines() if line.startswith("| `") for name in re.findall(r"`([a-z0-9_]+)", line.split(" | ")[0])}


def test_the_page_counts_the_names_that_openspiel_registers() -> None:
    assert set(names()) >= REFUSED
    assert f"{len(names()) - len(REFUSED)} of the {len(names())} games" in TABLE


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
def test_what_the_table_says_of_a_game_is_so(name: str) -> None:
    row = checked(name, seconds=250)
    assert (not row.problem) == (name not in REFUSED), row.problem
