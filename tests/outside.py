"""Games of packages that are not installed, for tests: their modules lie on the path, and they are registered for one test."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from arena.spec import spec as specs
from engine.core import Game
from engine.registry import Registration, _distribution_of, _registry, find_game

EXAMPLES = Path(__file__).parents[1] / "examples" / "games"


def register(patch: pytest.MonkeyPatch, folder: Path, name: str, module: str, version: str = "1.0") -> Registration:
    """Register the game whose plug-in is ``PLUGIN`` of a module in that folder, until the test is over."""
    registration = Registration(name, f"{module}:PLUGIN", f"tile-arena-{name}", version)
    registry = _registry()
    patch.syspath_prepend(str(folder))
    patch.delitem(sys.modules, module, raising=False)
    patch.setitem(registry.registrations, name, registration)
    patch.setattr(registry, "plugins", {key: value for key, value in registry.plugins.items() if key != name})
    forget()
    return registration


def three_in_a_row(patch: pytest.MonkeyPatch) -> Game:
    """Return the example game, registered from its folder."""
    register(patch, EXAMPLES / "three-in-a-row", "three-in-a-row", "three_in_a_row")
    return find_game("three-in-a-row")


RACE = """
    {top}
    from engine.simple import Chance, Position, simple_game


    class Race(Position):
        steps: int = 0

        def setup(self, options, chance):
            {setup}

        def moves(self):
            {moves}
            return ["one", "two"]

        def play(self, move, chance):
            self.steps += {{"one": 1, "two": 2}}[move]
            if self.steps >= 8:
                self.end([{score} for seat in range(self.players)], "home")
            else:
                self.next()


    PLUGIN = simple_game(Race, "{name}", title="Race", players=(2, 3), options={options})
"""


DEFAULTS = {"top": "", "setup": "pass", "moves": "pass", "score": "int(seat == self.actor)", "options": "{}"}


def write_race(folder: Path, name: str, **parts: str) -> None:
    """Write the module ``NAME_game`` of a small game, with some of its parts written for the test."""
    source = dedent(RACE).format(name=name, **DEFAULTS | parts)
    (folder / f"{name}_game.py").write_text(source, encoding="utf-8")
    forget()


def race(patch: pytest.MonkeyPatch, folder: Path, name: str, *, version: str = "1.0", **parts: str) -> Game:
    """Return a small game for two or three, of a module written for the test."""
    write_race(folder, name, **parts)
    register(patch, folder, name, f"{name}_game", version)
    return find_game(name)


def remove(patch: pytest.MonkeyPatch, name: str) -> None:
    """Take the game away again, as if its package were uninstalled."""
    patch.delitem(_registry().registrations, name)
    forget()


def forget() -> None:
    """Forget what was found of packages."""
    _distribution_of.cache_clear()
    specs._package_of.cache_clear()
    importlib.invalidate_caches()
