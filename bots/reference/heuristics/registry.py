"""The heuristic of each game, by the game's name."""

from __future__ import annotations

from typing import Any, Final

from bots.reference.heuristics.base import Heuristic
from bots.reference.heuristics.sunda import SundaHeuristic
from bots.reference.heuristics.tongiaki import TongiakiHeuristic
from engine.core import Game

HEURISTICS: Final[dict[str, Heuristic[Any]]] = {"tongiaki": TongiakiHeuristic(), "sunda": SundaHeuristic()}
"""Each takes only states and views of its own game."""


def heuristic_of(game: Game) -> Heuristic[Any]:
    """Return the heuristic of a game, whatever its options. Raises LookupError for a game without one."""
    try:
        return HEURISTICS[game.name]
    except KeyError:
        raise LookupError(f"there is no expert of {game.name}, only of {', '.join(HEURISTICS)}") from None
