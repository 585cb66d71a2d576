"""Display names of games, formats and places."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Final

from engine.core import EngineError
from engine.registry import find_plugin
from engine.render.drawing import drawer_of
from leaderboard.storage.store import StoredTournament

_ORDINALS: Final = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def ending_phrase(ending: str, game: str) -> str:
    """Return why a match ended as a phrase of its game, or the stored word if there is none."""
    try:
        return drawer_of(game).endings.get(ending, ending)
    except EngineError:
        return ending


def format_of(tournament: StoredTournament) -> str:
    """Return the name of the tournament's format from its stored spec, so that its game need not be installed."""
    return _format_in(tournament.spec)


def game_title(game: str) -> str:
    """Return the display name of a game: its title, or its name if it is not installed."""
    try:
        plugin = find_plugin(game)
    except EngineError:
        return game
    member = game.partition(":")[2]
    return f"{plugin.title}: {member}" if member else plugin.title


def format_title(name: str) -> str:
    """Return the display name of a format."""
    return "Swiss" if name == "swiss" else name.replace("-", " ")


@lru_cache(maxsize=256)
def _format_in(spec: str) -> str:
    return str(json.loads(spec).get("schedule", {}).get("format", "round-robin"))


def ordinal(number: int) -> str:
    """Return "first" for 1, "22nd" for 22."""
    if number < len(_ORDINALS):
        return _ORDINALS[number]
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
