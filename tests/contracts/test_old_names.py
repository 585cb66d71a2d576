"""A module that has moved is named by its new name when it is imported by its old one."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
from types import ModuleType

import pytest

import arena.moved
import bots.moved
import engine.moved
import leaderboard.moved

MODULES: list[ModuleType] = [arena.moved, bots.moved, engine.moved, leaderboard.moved]
MOVED: dict[str, str] = {old: new for module in MODULES for old, new in module.MOVED.items()}


@pytest.mark.parametrize("old", MOVED)
def test_an_old_name_tells_the_new_one_which_is_there(old: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=rf"^{old} is now {MOVED[old]}$"):
        importlib.import_module(old)
    assert importlib.util.find_spec(MOVED[old]) is not None


@pytest.mark.parametrize(
    "line", ["from arena.spec import make_spec", "import bots.wire", "import engine.games", "import leaderboard.store"]
)
def test_the_first_line_of_a_program_is_told_so_too(line: str) -> None:
    old = line.split()[1]
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == f"ModuleNotFoundError: {old} is now {MOVED[old]}"


def test_a_name_that_never_was_is_what_it_always_was() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'arena\.nonsense'$"):
        importlib.import_module("arena.nonsense")
