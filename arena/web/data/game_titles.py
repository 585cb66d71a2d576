"""What people call a game."""

from __future__ import annotations

from engine.core import EngineError
from engine.registry import find_plugin


def game_title(game: str) -> str:
    """Return what people call a game: its title, or its name where it is not installed."""
    try:
        plugin = find_plugin(game)
    except EngineError:
        return game
    member = game.partition(":")[2]
    return f"{plugin.title}: {member}" if member else plugin.title
