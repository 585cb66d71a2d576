"""The host's side of a module during a turn: fuel, the log, the module's memory, and positions. `calls` and `wasi` define its calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from threading import local
from typing import Final

from bots.errors import BotFaultError
from bots.wasm.native import Machine
from bots.wasm.positions import CallError, Positions
from engine.core import State, View
from engine.records import FaultKind
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
LONGEST: Final = 64 << 10
"""The most bytes that one call may read or write."""
LARGEST_LOG: Final = 1 << 20
"""The most bytes that a module may log in a turn."""
_U32: Final = 0xFFFFFFFF


class OutOfFuelError(Exception):
    """A call costs more than is left."""


class Host:
    """One module's host. A call raises CallError, OutOfFuelError or BotFaultError; ``failure`` keeps such an exception. The cost of calls
    is added up separately from that of the module's own instructions, which is faster. ``limit`` is for both together.
    """

    def __init__(self, machine: Machine, seed: int, log: Callable[[bytes], None]) -> None:
        self.machine: Final = machine
        self.failure: BaseException | None = None
        self.called = ""
        self.limit = UNLIMITED
        self.spent = 0
        self._known: Callable[[], View[State]] = _nothing_known
        self._positions: Positions | None = None
        self._seed: Final = seed
        self._random: Random | None = None
        self.time = 0
        """The last reading of the clock, in nanoseconds; it is unrelated to real time."""
        self._log = log
        self._logged = 0

    def begin(self, known: Callable[[], View[State]], fuel: int | None) -> None:
        """Begin a turn with this fuel, and without positions."""
        self._known = known
        self._logged = self.spent = 0
        self.limit = limit = UNLIMITED if fuel is None else fuel
        self.machine.set_fuel(limit)

    def end(self) -> int:
        """End the turn, forget its positions, and return the fuel it used, which may be more than the limit."""
        self._positions = None
        return self.limit - self.machine.fuel() + self.spent

    @property
    def positions(self) -> Positions:
        """The positions of this turn."""
        if self._positions is None:
            self._positions = Positions(self._known)
        return self._positions

    @property
    def prices(self) -> Prices:
        """What calls cost in this game."""
        return prices_of(self.positions.view.game.name)

    @property
    def random(self) -> Random:
        """The stream of random numbers of the match."""
        if self._random is None:
            self._random = Random(self._seed)
        return self._random

    def charge(self, units: int) -> None:
        """Take fuel. Raises OutOfFuelError if calls alone have used more than the module has."""
        self.spent += units
        if self.spent > self.limit:
            raise OutOfFuelError

    def left(self) -> int:
        """Return the fuel that is left, `UNLIMITED` where there is no limit."""
        return UNLIMITED if self.limit == UNLIMITED else max(0, self.machine.fuel() - self.spent)

    def read(self, address: int, size: int) -> bytes:
        """Read from the module's memory, at its price."""
        self._check(size)
        try:
            return self.machine.read(address & _U32, size)
        except IndexError:
            raise _outside(address, size) from None

    def write(self, address: int, data: bytes) -> None:
        """Write to the module's memory, at its price."""
        self._check(len(data))
        try:
            self.machine.write(address & _U32, data)
        except IndexError:
            raise _outside(address, len(data)) from None

    def log(self, text: bytes) -> None:
        """Write to the author's log. Raises BotFaultError if this is too much in a turn."""
        self._logged += len(text)
        if self._logged > LARGEST_LOG:
            raise BotFaultError(FaultKind.OUTPUT_FLOOD, "it wrote more than 1 MiB to its log in a turn")
        self._log(text)

    def _check(self, size: int) -> None:
        if not 0 <= size <= LONGEST:
            raise CallError(f"{size:,} is not a length from 0 to {LONGEST:,}")
        self.charge(size * BYTE)


def _outside(address: int, size: int) -> CallError:
    return CallError(f"{size:,} bytes at the address {address & _U32:#x} are not within its memory")


def _nothing_known() -> View[State]:
    raise CallError("no position is known yet")


class _Running(local):
    """The host of the module that runs in this thread."""

    host: Host | None = None


_RUNNING: Final = _Running()


def run_for(host: Host | None) -> None:
    """Attribute the calls in this thread to the module of that host."""
    _RUNNING.host = host


def running() -> Host:
    """Return the host of the module that has called."""
    assert _RUNNING.host is not None
    return _RUNNING.host
