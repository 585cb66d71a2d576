"""Bots before they play: their names at a table, and whether they can be started.

It imports no database, so that a single match starts at once; ``bot_resolution`` finds bots.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from typing import Any

from arena.entries.fitness import check_plays
from bots.errors import BotError, BotFaultError
from bots.host.player_pool import PlayerPool, is_reference
from bots.loader.version import BotVersion
from bots.protocol import ClockSpec, MatchInfo
from engine.core import Game
from engine.core.observer import Chronicle


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, with #1, #2, ... after each of those that occur more than once."""
    return tuple(name if names.count(name) == 1 else f"{name}#{names[: place + 1].count(name)}" for place, name in enumerate(names))


def rehearse(versions: Iterable[BotVersion], game: Game, pool: PlayerPool) -> None:
    """Start each bot once, where it is going to play, so that a bot that can't be made is reported before anything is played.

    Raises BotError for a bot that does not import, or whose constructor raises; any other fault is left to the match. Raises SandboxError
    for a game that can't be played there. Bots that come with the project, or were checked when they were submitted, are not tried again;
    of the former, one that can't play the game is a BotError.
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
            with redirect_stdout(sys.stderr):  # what a bot prints is no result
                player.start(MatchInfo(game, state.players, 0, 0, ClockSpec(start=3.0, slack=1.0)), Chronicle(state))
        except BotFaultError as error:
            if error.is_unloadable:
                raise BotError(error.detail, error.traceback) from None
        finally:
            player.close()
