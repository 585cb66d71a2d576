"""Looks up the heuristic of a game in its plug-in."""

from __future__ import annotations

from typing import Any

from bots.reference.heuristics.base import Heuristic
from engine.core import Game
from engine.plugin import load
from engine.registry import find_plugin


def find_heuristic(game: Game) -> Heuristic[Any] | None:
    """Return the heuristic of a game, which does not depend on the game's options, or None if the game has none."""
    heuristic: Heuristic[Any] | None = load(find_plugin(game.name).heuristic)
    return heuristic


def heuristic_of(game: Game) -> Heuristic[Any]:
    """Return the heuristic of a game, which does not depend on the game's options. Raises LookupError if the game has none."""
    heuristic = find_heuristic(game)
    if heuristic is None:
        raise LookupError(f"there is no expert for {game.name}")
    return heuristic
