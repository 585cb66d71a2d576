"""The host's side of a module: its fuel, log, memory and positions. The calls to the host are defined in `calls` and `wasi`."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from threading import local
from typing import Final

from bots.errors import BotFaultError
from bots.wasm.fuel import BYTE, UNLIMITED, OutOfFuelError, Prices, prices_of
from bots.wasm.native import Machine
from bots.wasm.positions import CallError, Positions
from engine.core import State, View
from engine.records import FaultKind

LONGEST: Final = 64 << 10
"""The most bytes that one call may read or write."""
LARGEST_LOG: Final = 1 << 20
"""The most bytes that a module may log in one turn."""
_U32: Final = 0xFFFFFFFF


class Host:
    """The host of one module. Calls may raise CallError, OutOfFuelError or BotFaultError; the exception is kept in ``failure``.

    For speed, the fuel for calls (``spent``) and the fuel for the module's own instructions are counted separately. ``limit`` is for both.
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
        """The last reading of the module's clock, in nanoseconds; it is unrelated to real time."""
        self._log = log
        self._logged = 0

    def begin(self, known: Callable[[], View[State]], fuel: int | None) -> None:
        """Start a turn with this fuel (None for no limit). ``known`` returns the seat's view."""
        self._known = known
        self._logged = self.spent = 0
        self.limit = limit = UNLIMITED if fuel is None else fuel
        self.machine.set_fuel(limit)

    def end(self) -> int:
        """End the turn, drop its positions, and return the fuel it used, which may exceed the limit."""
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
        """The prices of calls in this game."""
        return prices_of(self.positions.view.game.name)

    @property
    def random(self) -> Random:
        """The module's random numbers in this match."""
        if self._random is None:
            self._random = Random(self._seed)
        return self._random

    def charge(self, units: int) -> None:
        """Charge fuel for a call. Raises OutOfFuelError if the calls alone have used more than the limit."""
        self.spent += units
        if self.spent > self.limit:
            raise OutOfFuelError

    def left(self) -> int:
        """Return the fuel that is left, or `UNLIMITED` if there is no limit."""
        return UNLIMITED if self.limit == UNLIMITED else max(0, self.machine.fuel() - self.spent)

    def read(self, address: int, size: int) -> bytes:
        """Read from the module's memory and charge for it."""
        self._check(size)
        try:
            return self.machine.read(address & _U32, size)
        except IndexError:
            raise _outside(address, size) from None

    def write(self, address: int, data: bytes) -> None:
        """Write to the module's memory and charge for it."""
        self._check(len(data))
        try:
            self.machine.write(address & _U32, data)
        except IndexError:
            raise _outside(address, len(data)) from None

    def log(self, text: bytes) -> None:
        """Write to the author's log. Raises BotFaultError if the module logs too much in a turn."""
        self._logged += len(text)
        if self._logged > LARGEST_LOG:
            raise BotFaultError(FaultKind.OUTPUT_FLOOD, "it wrote more than 1 MiB to its log in a turn")
        self._log(text)

    def _check(self, size: int) -> None:
        if not 0 <= size <= LONGEST:
            raise CallError(f"a length must be from 0 to {LONGEST:,}, not {size:,}")
        self.charge(size * BYTE)


def _outside(address: int, size: int) -> CallError:
    return CallError(f"{size:,} bytes at the address {address & _U32:#x} are outside its memory")


def _nothing_known() -> View[State]:
    raise CallError("no position is known yet")


class _Running(local):
    """The host of the module that is running in this thread."""

    host: Host | None = None


_RUNNING: Final = _Running()


def run_for(host: Host | None) -> None:
    """Set the host that answers the calls of the module that runs in this thread."""
    _RUNNING.host = host


def running() -> Host:
    """Return the host of the module that is running in this thread."""
    assert _RUNNING.host is not None
    return _RUNNING.host
