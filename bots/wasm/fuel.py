"""Fuel, in which a module's turn is limited (``ClockSpec.fuel``): what the calls of the host cost. ``bots.clock`` keeps what is left."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from engine.registry import find_plugin

CALL: Final = 20_000
"""Any call: entering and leaving the host. The other prices are added to it."""
BYTE: Final = 10
"""Each byte that the host reads from the module's memory or writes there."""
PART: Final = 15_000
"""Each part of a write and each awaited event, in addition to its bytes."""
PLAYOUT: Final = 60_000
"""Beginning a playout."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What calls cost that depend on the game, in units of fuel: the same on every machine.

    WebAssembly itself takes about one unit an instruction, some 10,000 in a microsecond. These are the times of the calls at that rate,
    rounded up, for positions in the middle of a match while a module holds hundreds of them.
    """

    list: int
    """Listing the legal moves of a position, at the first call that needs them, and again once a move was played there."""
    listed: int
    """Each move listed."""
    parse: int
    """Looking for a move by its notation."""
    text: int
    """Writing a position as text."""
    sample: int
    """Filling in hidden information."""
    copy: int
    """Copying a position."""
    play: int
    """Playing a move."""
    played: int
    """Each move of a playout."""


USUAL: Final = Prices(list=150_000, listed=350, parse=60_000, text=200_000, sample=200_000, copy=200_000, play=60_000, played=150_000)
"""The prices for games whose plug-in has none: those of the most expensive game that comes with this program."""


@cache
def prices_of(game: str) -> Prices:
    """Return the prices of a game."""
    fuel = find_plugin(game).fuel
    return Prices(**fuel) if fuel else USUAL


UNLIMITED: Final = (1 << 63) - 1
"""The fuel of a turn that has no limit."""


class OutOfFuelError(Exception):
    """A call costs more than is left."""
