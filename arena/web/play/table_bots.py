"""Helpers for the bots at a table: a stand-in for seats without a bot, the bot that gives hints, and the memory that bots need."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from arena.bots import check_plays, find_bot
from arena.web.settings import MIB
from bots.clock import Timekeeper
from bots.errors import BotError
from bots.host.player_pool import Player, PlayerPool, is_reference
from bots.loader.version import BotVersion
from bots.protocol import Clock, ClockSpec, MatchEnd, MatchInfo
from engine.core import EngineError, Game, Move, State, View
from engine.core.observer import Chronicle

_HINT_BOTS: Final = ("expert", "mcts", "flat", "greedy")
"""The bots that can give hints; the first one that plays the game does."""
_HINT_CLOCK: Final = ClockSpec(start=10.0, move=2.0)
_POOL_MEMORY: Final = 64 * MIB
"""The bytes of memory that a table's sandbox uses in addition to its bots."""
_REFERENCE_MEMORY: Final = 128 * MIB
"""The bytes of memory that a reference bot uses, with the search tree built in five seconds."""


class Unasked(Player):
    """The player of a seat whose moves don't come from a bot: a person's seat, or the seat of a bot that has failed."""

    is_timed = False

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Do nothing."""

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Raise RuntimeError."""
        raise RuntimeError("this seat is not asked")

    def finish(self, end: MatchEnd) -> None:
        """Do nothing."""

    def cpu_seconds(self) -> float:
        """Return 0."""
        return 0.0


@lru_cache(64)
def hint_bot_of(game: Game) -> BotVersion | None:
    """Return the first of ``_HINT_BOTS`` that plays the game, or None if only ``random`` does."""
    for name in _HINT_BOTS:
        try:
            version = find_bot(name, None, in_process=False)
            check_plays(version, game)
        except (BotError, EngineError):
            continue
        return version
    return None


def hint_of(version: BotVersion, pool: PlayerPool, game: Game, players: int, view: View[State], chronicle: Chronicle) -> Move:
    """Start the bot in a new process, and return the move that it plays in the view's seat. Raises BotFaultError and sandbox errors."""
    player = pool.seat(version)
    try:
        player.start(MatchInfo(game, players, view.seat, secrets.randbits(63), _HINT_CLOCK), chronicle)
        return player.choose(view, Timekeeper(_HINT_CLOCK).for_decision())
    finally:
        player.stop()
        player.close()


def memory_of(versions: Iterable[BotVersion], most: int, *, hints: bool) -> int:
    """Return the most bytes of memory that a table's bots may use: ``most`` for each submitted bot, far less for each reference bot.

    ``hints`` is whether another reference bot gives hints.
    """
    are_reference = [is_reference(version) for version in versions] + [True] * hints
    needs = [_REFERENCE_MEMORY if each else most for each in are_reference]
    return _POOL_MEMORY + sum(needs) if needs else 0


def machine_memory() -> int:
    """Return how many bytes of memory this machine has, or this process's control group if that has less."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except OSError:
        return physical
    return min(physical, int(limit)) if limit.isdecimal() else physical
