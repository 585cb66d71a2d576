"""Hints: what a strong reference bot would play from what a seat knows."""

from __future__ import annotations

import secrets
from functools import lru_cache
from typing import Final

from arena.entries.bot_resolution import find_bot
from arena.entries.preflight import check_plays
from bots.host.clock import Timekeeper
from bots.host.player_pool import PlayerPool
from bots.loader.version import BotError, BotVersion
from bots.protocol import ClockSpec, MatchInfo
from engine.core import EngineError, Game, Move, State, View
from engine.core.observer import Chronicle

_ADVISERS: Final = ("expert", "mcts", "flat", "greedy")
"""Strongest first. One that plays at random gives no advice."""
CLOCK: Final = ClockSpec(start=10.0, move=2.0)


@lru_cache(64)
def adviser_of(game: Game) -> BotVersion | None:
    """Return the strongest reference bot that plays the game, None if there is none but ``random``."""
    for name in _ADVISERS:
        try:
            version = find_bot(name, None, in_process=False)
            check_plays(version, game)
        except (BotError, EngineError):
            continue
        return version
    return None


class Adviser:
    """Asks a reference bot, in a process of the table's sandbox, which ends with its answer."""

    def __init__(self, pool: PlayerPool, version: BotVersion, game: Game, players: int) -> None:
        self._pool = pool
        self._version = version
        self._game = game
        self._players = players

    def advise(self, view: View[State], chronicle: Chronicle) -> Move:
        """Return what the bot plays as the seat of the view. Raises BotFaultError, and whatever a sandbox raises."""
        player = self._pool.seat(self._version)
        try:
            player.start(MatchInfo(self._game, self._players, view.seat, secrets.randbits(63), CLOCK), chronicle)
            return player.choose(view, Timekeeper(CLOCK).for_decision())
        finally:
            player.stop()
            player.close()
