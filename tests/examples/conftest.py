"""The example games, each registered from its folder as an installed package would register it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from engine import registry
from engine.core import Game

FOLDERS = sorted(path.parent for path in (Path(__file__).parents[2] / "examples" / "games").glob("*/pyproject.toml"))


def registration_of(folder: Path) -> registry.Registration:
    """Read what the package registers."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [(name, target)] = project["entry-points"]["tile_arena.games"].items()
    return registry.Registration(name, target, project["name"], project["version"])


@pytest.fixture
def games(monkeypatch: pytest.MonkeyPatch) -> dict[str, Game]:
    """The example games by name; they are forgotten after the test."""
    known = registry._registry()
    monkeypatch.setattr(known, "registrations", dict(known.registrations))
    monkeypatch.setattr(known, "plugins", dict(known.plugins))
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(str(folder))
        registration = registration_of(folder)
        monkeypatch.delitem(sys.modules, registration.target.partition(":")[0], raising=False)
        known.plugins.pop(registration.name, None)
        registry.add_game(registration)
    return {folder.name: registry.find_game(folder.name) for folder in FOLDERS}
