"""Bots before they play: their names at a table, and whether they can be started.

This module does not import the database, so that a single match starts quickly; ``bot_resolution`` finds bots.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from typing import Any, Final

from bots.errors import BotError, BotFaultError
from bots.host.player_pool import PlayerPool, is_reference
from bots.loader.loading import resolve
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.loader.version import BotVersion, load
from bots.protocol import ClockSpec, MatchInfo
from engine.core import Game
from engine.core.observer import Chronicle
from engine.registry import GameError, find_plugin, game_names

_TRIES_NOTHING: Final = "random"
"""The only reference bot that never samples the hidden part of its view."""


def plays(bot: str, game: str) -> bool:
    """Return whether a reference bot plays a game: some need the game's heuristic, which not every game has. Raises GameError."""
    return not _needs_heuristic(resolve(bot)) or find_plugin(game).heuristic is not None


def games_of(bot: str) -> tuple[str, ...]:
    """Return the names of the games (or families) that a reference bot plays, without those that can't be imported."""
    names = []
    for game in game_names():
        try:
            if plays(bot, game):
                names.append(game)
        except GameError:
            continue
    return tuple(names)


def check_plays(version: BotVersion, game: Game) -> None:
    """Raise BotError, which names alternatives, for a reference bot that can't play the game."""
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


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, with #1, #2, ... appended to those that occur more than once."""
    return tuple(name if names.count(name) == 1 else f"{name}#{names[: place + 1].count(name)}" for place, name in enumerate(names))


def rehearse(versions: Iterable[BotVersion], game: Game, pool: PlayerPool) -> None:
    """Start each bot once, at the level at which it will play, so that a bot that can't be created is reported before the first match.

    Raises BotError for a bot that does not import or whose constructor raises; other faults are left to the match. Raises SandboxError for
    a game that can't be played at that level. Bots that come with the project or were checked on submission are not started again, but a
    reference bot that can't play the game raises BotError.
    """
    pool.check_game(game)
    facts: Any = game
    state = game.new(facts.min_players, 0)
    for version in versions:
        check_plays(version, game)
        if is_reference(version) or version.is_submitted:
            continue
        player = pool.seat(version)
        try:
            with redirect_stdout(sys.stderr):  # output of a bot is not a result
                player.start(MatchInfo(game, state.players, 0, 0, ClockSpec(start=3.0, slack=1.0)), Chronicle(state))
        except BotFaultError as error:
            if error.is_unloadable:
                raise BotError(error.detail, error.traceback) from None
        finally:
            player.close()
