"""Looks up the value function of a game in its plug-in."""

from __future__ import annotations

from bots.reference.valuation.base import ValueFunction
from engine.core import Game
from engine.plugin import load
from engine.registry import find_plugin


def find_value(game: Game) -> ValueFunction | None:
    """Return a game's value function, or None if the game has none. It is the same for all options."""
    value: ValueFunction | None = load(find_plugin(game.name).value)
    return value
