"""Which level of isolation a run plays at, and which bots may play at it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bots.host.player_pool import PlayerPool, check_admission, check_clock
from bots.protocol import ClockSpec
from bots.runtime import STANDARD, Runtime
from bots.sandbox.levels import Level
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
    level = _best_level() if wanted == BEST else _parse(wanted)
    if level < least:
        offer = f"the best this machine offers is {level}" if wanted == BEST else f"--isolation {wanted} asks for less"
        raise IsolationError(f"isolation {least} is required, but {offer}; 'arena doctor' says what it needs")
    if wanted != BEST and level > Level.L0 and level > (offered := _best_level()):
        raise IsolationError(f"this machine does not offer isolation {level}; its best is {offered} ('arena doctor' says why)")
    return level


def _best_level() -> Level:
    from bots.sandbox.probe import best_level  # noqa: PLC0415  # a run without isolation needs no sandbox

    return best_level()


def open_player_pool(wanted: str, required: str | None = None, game: Game | None = None, runtime: Runtime = STANDARD) -> PlayerPool:
    """Return the pool for the level chosen by ``choose_level``, the game and the runtime. Raises IsolationError."""
    return PlayerPool(choose_level(wanted, required), game=game, runtime=runtime)


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
