"""What people call games and formats, and a tournament's format as its stored spec has it, which works without its game as well."""

from __future__ import annotations

import json
from functools import lru_cache

from engine.core import EngineError
from engine.registry import find_plugin
from leaderboard.storage.store import StoredTournament


def format_of(tournament: StoredTournament) -> str:
    """Return the name of the tournament's format."""
    return _format_in(tournament.spec)


def game_title(game: str) -> str:
    """Return what people call a game: its title, or its name where it is not installed."""
    try:
        plugin = find_plugin(game)
    except EngineError:
        return game
    member = game.partition(":")[2]
    return f"{plugin.title}: {member}" if member else plugin.title


def format_title(name: str) -> str:
    """Return what people call the format of this name."""
    return "Swiss" if name == "swiss" else name.replace("-", " ")


@lru_cache(maxsize=256)
def _format_in(spec: str) -> str:
    return str(json.loads(spec).get("schedule", {}).get("format", "round-robin"))
