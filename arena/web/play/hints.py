"""Hints: the move of a strong reference bot, given only what a seat knows."""

from __future__ import annotations

import secrets
from functools import lru_cache
from typing import Final

from arena.entries.bot_resolution import find_bot
from arena.entries.preflight import check_plays
from bots.clock import Timekeeper
from bots.errors import BotError
from bots.host.player_pool import PlayerPool
from bots.loader.version import BotVersion
from bots.protocol import ClockSpec, MatchInfo
from engine.core import EngineError, Game, Move, State, View
from engine.core.observer import Chronicle

_HINT_BOTS: Final = ("expert", "mcts", "flat", "greedy")
"""The bots that give hints, strongest first. A bot that plays at random gives none."""
CLOCK: Final = ClockSpec(start=10.0, move=2.0)


@lru_cache(64)
def hint_bot_of(game: Game) -> BotVersion | None:
    """Return the strongest reference bot that plays the game, or None if only ``random`` does."""
    for name in _HINT_BOTS:
        try:
            version = find_bot(name, None, in_process=False)
            check_plays(version, game)
        except (BotError, EngineError):
            continue
        return version
    return None


def hint_of(version: BotVersion, pool: PlayerPool, game: Game, players: int, view: View[State], chronicle: Chronicle) -> Move:
    """Return the bot's move as the seat of the view, from a process of the pool that ends with it. Raises BotFaultError, and errors of the
    sandbox.
    """
    player = pool.seat(version)
    try:
        player.start(MatchInfo(game, players, view.seat, secrets.randbits(63), CLOCK), chronicle)
        return player.choose(view, Timekeeper(CLOCK).for_decision())
    finally:
        player.stop()
        player.close()
