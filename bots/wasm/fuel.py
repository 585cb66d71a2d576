"""The prices of a module's calls to the host, in units of fuel. Each turn has limited fuel (`ClockSpec`); ``bots.clock`` tracks it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from engine.registry import find_plugin

CALL: Final = 20_000
"""The price of any call, for entering and leaving the host. All other prices are added to it."""
BYTE: Final = 10
"""The price of each byte that the host reads from the module's memory or writes to it."""
PART: Final = 15_000
"""The price of each buffer in ``fd_write`` and of each event in ``poll_oneoff``, in addition to the price of the bytes."""
PLAYOUT: Final = 60_000
"""The price of starting a playout."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of calls in one game, in units of fuel. They are the same on every machine.

    A WebAssembly instruction takes about one unit of fuel, and about 10,000 instructions take a microsecond. Each price is the time of the
    call, converted at that rate and rounded up. Times were measured in the middle of a match, while a module held hundreds of positions.
    """

    list: int
    """Listing the legal moves of a position, when a call first needs them after the position was created or changed."""
    listed: int
    """The price of each listed move, in addition to ``list``."""
    parse: int
    """Finding a move by its notation."""
    text: int
    """Writing a position as text."""
    sample: int
    """Creating a sample, with hidden information filled in."""
    copy: int
    """Copying a position."""
    play: int
    """Playing a move."""
    played: int
    """Choosing and playing one move of a playout."""


USUAL: Final = Prices(list=150_000, listed=350, parse=60_000, text=200_000, sample=200_000, copy=200_000, play=60_000, played=150_000)
"""The prices for games whose plug-in defines none, taken from the most expensive game that comes with this program."""


@cache
def prices_of(game: str) -> Prices:
    """Return the prices of calls in a game."""
    fuel = find_plugin(game).fuel
    return Prices(**fuel) if fuel else USUAL


UNLIMITED: Final = (1 << 63) - 1
"""The fuel of a turn without a limit."""


class OutOfFuelError(Exception):
    """A call costs more fuel than is left."""
