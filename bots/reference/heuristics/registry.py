"""Which sense goes with which game. It knows nothing of the games themselves."""

from __future__ import annotations

from typing import Any, Final

from bots.reference.heuristics.base import Sense
from bots.reference.heuristics.sunda import SundaSense
from bots.reference.heuristics.tongiaki import TongiakiSense
from engine.core import Game

SENSES: Final[dict[str, Sense[Any]]] = {"tongiaki": TongiakiSense(), "sunda": SundaSense()}
"""By the game's name; each sense takes only states and views of its own game."""


def sense_of(game: Game) -> Sense[Any]:
    """The sense of a game, whatever its options. Raises LookupError for a game that nobody is an expert of."""
    try:
        return SENSES[game.name]
    except KeyError:
        raise LookupError(f"there is no expert of {game.name}, only of {', '.join(SENSES)}") from None
