"""Which reference bots play which games."""

from __future__ import annotations

from typing import Any, Final

from bots.errors import BotError
from bots.host.player_pool import is_reference
from bots.loader.loading import REFERENCE_BOTS, load, resolve
from bots.loader.version import BotVersion
from engine.core import Game
from engine.registry import GameError, find_plugin, game_names

_TRIES_NOTHING: Final = "random"
"""The only reference bot that takes no samples of what its view hides."""


def plays(bot: str, game: str) -> bool:
    """Return whether a reference bot plays a game: one that needs the game's heuristic plays only games with one. Raises GameError."""
    return not _needs_heuristic(resolve(bot)) or find_plugin(game).heuristic is not None


def games_of(bot: str) -> tuple[str, ...]:
    """Return the names of the games (or families) that a reference bot plays, without those that can't be imported."""
    found = []
    for game in game_names():
        try:
            if plays(bot, game):
                found.append(game)
        except GameError:
            continue
    return tuple(found)


def check_plays(version: BotVersion, game: Game) -> None:
    """Raise BotError, which says what to take instead, for a reference bot that can't play the game."""
    facts: Any = game  # a class that is not compiled may state its facts on the class
    if is_reference(version) and not facts.can_sample and version.digest != resolve(_TRIES_NOTHING).digest:
        raise BotError(
            f"'{version.name}' tries moves on positions drawn at random from what it may know, but {game.name} can't be sampled; of the "
            f"reference bots only {_TRIES_NOTHING} plays it"
        )
    if is_reference(version) and _needs_heuristic(version) and find_plugin(game.name).heuristic is None:
        others = [bot for bot in REFERENCE_BOTS if plays(bot, game.name)]
        raise BotError(
            f"'{version.name}' can't play {game.name}, which has no heuristic to play by; {', '.join(others[:-1])} and {others[-1]} can"
        )


def _needs_heuristic(version: BotVersion) -> bool:
    return bool(getattr(load(version), "needs_heuristic", False))
