"""What has moved, a module or a name in one, is told by its new name when it is imported by its old one."""

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
NAMES: dict[str, str] = {old: new for module in MODULES for old, new in module.MOVED_NAMES.items()}


@pytest.mark.parametrize("old", MOVED)
def test_an_old_name_tells_the_new_one_which_is_there(old: str) -> None:
    with pytest.raises(ImportError, match=rf"^{old} is now {MOVED[old]}$"):
        importlib.import_module(old)
    assert importlib.util.find_spec(MOVED[old]) is not None


@pytest.mark.parametrize("old", NAMES)
def test_a_name_in_a_module_that_has_become_a_package_tells_the_new_one(old: str) -> None:
    package, _, name = old.rpartition(".")
    with pytest.raises(ImportError, match=rf"^{old} is now {NAMES[old]}$"):
        exec(f"from {package} import {name}", {})  # noqa: S102  # the statement is what is tried
    place, _, new = NAMES[old].rpartition(".")
    assert hasattr(importlib.import_module(place), new)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("from arena.spec import make_spec", "arena.spec is now arena.tournament.spec"),
        ("from arena import spec", "arena.spec is now arena.tournament.spec"),
        ("import bots.wire", "bots.wire is now bots.messages"),
        ("import engine.games", "engine.games is now engine.registry"),
        ("import leaderboard.store", "leaderboard.store is now leaderboard.storage.store"),
        ("from arena.tournament import run_tournament", "arena.tournament.run_tournament is now arena.run_tournament"),
        ("from engine.replay import walk, state_at", "engine.replay.walk is now engine.walk"),
    ],
)
def test_the_first_line_of_a_program_is_told_so_too(line: str, told: str) -> None:
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == f"ImportError: {told}"


def test_a_name_that_never_was_is_what_it_always_was() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'arena\.nonsense'$"):
        importlib.import_module("arena.nonsense")


def test_a_package_says_as_always_that_it_has_no_such_name() -> None:
    with pytest.raises(ImportError, match=r"^cannot import name 'nonsense' from 'arena\.tournament'"):
        exec("from arena.tournament import nonsense", {})  # noqa: S102  # the statement is what is tried
