"""Which level of isolation a run plays at, and which bots may play at it."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from bots.errors import SandboxError
from bots.host.player_pool import PlayerPool, check_admission, check_clock
from bots.protocol import ClockSpec
from bots.runtime import STANDARD, Runtime
from bots.sandbox import kept_level
from bots.sandbox.levels import Level
from bots.sandbox.probe import best_level
from engine.core import Game
from engine.core.errors import InputError

if TYPE_CHECKING:
    from bots.loader.version import BotVersion

BEST = "best"


class IsolationError(InputError):
    """This machine does not offer the requested isolation; the text says what to do."""


def choose_level(wanted: str, required: str | None = None) -> Level:
    """Return the level that ``wanted`` (``best`` or a level's name) stands for on this machine.

    Raises IsolationError if the machine does not offer it, or if it is less than ``required``.
    """
    least = Level.NONE if required is None else _parse(required)
    level = best_level() if wanted == BEST else _parse(wanted)
    if level < least:
        offer = f"the best this machine offers is {level}" if wanted == BEST else f"--isolation {wanted} asks for less"
        raise IsolationError(f"isolation {least} is required, but {offer}; 'arena doctor' says what it needs")
    if wanted != BEST and level > Level.L0 and level > (offered := best_level()):
        raise IsolationError(f"this machine does not offer isolation {level}; its best is {offered} ('arena doctor' says why)")
    return level


def likely_level(wanted: str) -> Level | None:
    """Return the level that ``choose_level`` will most likely return, without starting a process; None if that can't be said."""
    return Level.L3 if wanted in {BEST, str(Level.L3)} and kept_level.is_kept() else None


def open_player_pool(wanted: str, required: str | None = None, game: Game | None = None, runtime: Runtime = STANDARD) -> PlayerPool:
    """Return the pool for the level chosen by ``choose_level``, the game and the runtime; from any thread. Raises IsolationError.

    The most likely pool is started while the machine is still being probed: both take a sixth of a second, most of it waiting. Where the
    machine is known to offer L3, a process of that pool attacks it instead; if it refuses too little, it has to withstand another attack.
    """
    pool = PlayerPool(Level.L3 if wanted == BEST else _parse(wanted), game=game, runtime=runtime)
    is_weak = False
    try:
        with suppress(SandboxError):  # the machine is then probed
            if pool.level is Level.L3 and _parse(required or "none") <= Level.L3 and kept_level.is_kept():
                if pool.still_holds():
                    return pool
                is_weak = True
                pool.close()
        with ThreadPoolExecutor(1) as executor:
            asking = executor.submit(choose_level, wanted, required)
            with suppress(SandboxError):  # then the level is not offered, or starting the first bot raises the same error
                pool.start_sandbox()
            level = asking.result()
        if is_weak and level is pool.level and not pool.still_holds():
            raise IsolationError(f"this machine offers isolation {level}, but processes for these bots don't refuse all that they should")
    except BaseException:
        pool.close()
        raise
    if level is pool.level:
        return pool
    pool.close()
    return PlayerPool(level, game=game, runtime=runtime)


def _parse(text: str) -> Level:
    try:
        return Level.parse(text)
    except ValueError as error:
        raise IsolationError(f"{error}, and best") from None


def admit(versions: Iterable[BotVersion], level: Level, *, trusted: bool, clock: ClockSpec | None = None) -> None:
    """Raise BotError for the first bot that must not be played at this level, or can't be played with this clock."""
    for version in versions:
        check_admission(version, level, trusted=trusted)
        if clock is not None:
            check_clock(version, clock)
