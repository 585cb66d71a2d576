"""The hosts' API: its names are a promise, its examples play, and it loads nothing before it is used."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import arena
from arena.tournament import runner

PUBLIC = {
    "Comparison",
    "Executor",
    "InlineExecutor",
    "Level",
    "ProcessExecutor",
    "Progress",
    "RayExecutor",
    "Spec",
    "SpecError",
    "Store",
    "Summary",
    "Verification",
    "__version__",
    "compare",
    "load_replay",
    "make_spec",
    "make_ticket",
    "play_match",
    "read_spec",
    "run_tournament",
    "seat_bot",
    "verify",
}
CUP = """
name = "cup"
game = "tongiaki"
bots = ["greedy", "mine.py"]
[schedule]
tables = [2]
"""
HOST = """
import arena
spec = arena.read_spec("cup.toml")
with arena.Store.create("cup.db") as store:
    summary = arena.run_tournament(spec, store=store)
print(summary.stored, arena.verify("cup.db").agrees)
"""


def test_the_names_are_those_promised() -> None:
    assert set(arena.__all__) == PUBLIC
    assert set(dir(arena)) >= PUBLIC
    for name in PUBLIC:
        assert getattr(arena, name).__doc__, name


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'arena' has no attribute 'walk'"):
        arena.walk  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("module", [arena, runner])
def test_the_examples_play(module: object) -> None:
    tried = doctest.testmod(module)  # type: ignore[arg-type]
    assert tried.attempted > 0
    assert tried.failed == 0


def test_importing_it_loads_nothing() -> None:
    show = "import sys, arena; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"engine", "bots", "leaderboard", "pydantic", "sqlalchemy", "ray"}


def test_a_host_runs_a_tournament_in_five_lines(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    (tmp_path / "mine.py").write_text("class Mine:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n")
    done = subprocess.run([sys.executable, "-c", HOST], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "2 True\n"
