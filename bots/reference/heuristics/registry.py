"""Which heuristic goes with which game. It knows nothing of the games themselves."""

from __future__ import annotations

from typing import Any, Final

from bots.reference.heuristics.base import Heuristic
from bots.reference.heuristics.sunda import SundaHeuristic
from bots.reference.heuristics.tongiaki import TongiakiHeuristic
from engine.core import Game

HEURISTICS: Final[dict[str, Heuristic[Any]]] = {"tongiaki": TongiakiHeuristic(), "sunda": SundaHeuristic()}
"""By the game's name; each heuristic takes only states and views of its own game."""


def heuristic_of(game: Game) -> Heuristic[Any]:
    """The heuristic of a game, whatever its options. Raises LookupError for a game that nobody is an expert of."""
    try:
        return HEURISTICS[game.name]
    except KeyError:
        raise LookupError(f"there is no expert of {game.name}, only of {', '.join(HEURISTICS)}") from None
