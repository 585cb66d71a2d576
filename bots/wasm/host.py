"""What a module may ask of its host during a turn: fuel, the log, its memory, and positions. `calls` and `wasi` define the calls on it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from threading import local
from typing import Final

from bots.child.invoke import BotFaultError
from bots.wasm import prices
from bots.wasm.native import Machine
from bots.wasm.positions import CallError, Positions
from engine.core import State, View
from engine.records import FaultKind

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
    """One module's host. A call raises CallError, OutOfFuelError or BotFaultError; ``failure`` keeps what one of them raised."""

    def __init__(self, machine: Machine, seed: int, log: Callable[[bytes], None]) -> None:
        self.machine: Final = machine
        self.failure: BaseException | None = None
        self.called = ""
        self.is_limited = False
        self.positions = Positions(_nothing_known)
        self.random: Final = Random(seed)
        self._log = log
        self._logged = 0

    def begin(self, known: Callable[[], View[State]], fuel: int | None) -> None:
        """Begin a turn in which the module has so much fuel, and positions of its own."""
        self.positions = Positions(known)
        self.failure = None
        self._logged = 0
        self.is_limited = fuel is not None
        self.machine.fuel = UNLIMITED if fuel is None else fuel

    def end(self) -> None:
        """End the turn, and forget its positions."""
        self.positions = Positions(_nothing_known)

    def charge(self, units: int) -> None:
        """Take fuel. Raises OutOfFuelError, with none left, if there is less."""
        machine = self.machine
        left = machine.fuel - units
        machine.fuel = max(left, 0)
        if left < 0:
            raise OutOfFuelError

    def left(self) -> int:
        """Return the fuel that is left, `UNLIMITED` where there is no limit."""
        return self.machine.fuel if self.is_limited else UNLIMITED

    def read(self, address: int, size: int) -> bytes:
        """Read from the module's memory, at its price."""
        self._check(address, size)
        self.charge(size * prices.BYTE)
        return self.machine.read(address & _U32, size)

    def write(self, address: int, data: bytes) -> None:
        """Write to the module's memory, at its price."""
        self._check(address, len(data))
        self.charge(len(data) * prices.BYTE)
        self.machine.write(address & _U32, data)

    def log(self, text: bytes) -> None:
        """Write to the author's log. Raises BotFaultError for too much of it in a turn."""
        self._logged += len(text)
        if self._logged > LARGEST_LOG:
            raise BotFaultError(FaultKind.OUTPUT_FLOOD, "it wrote more than 1 MiB to its log in a turn")
        self._log(text)

    def _check(self, address: int, size: int) -> None:
        if not 0 <= size <= LONGEST:
            raise CallError(f"{size:,} is not a length from 0 to {LONGEST:,}")
        try:
            self.machine.check(address & _U32, size)
        except IndexError:
            raise CallError(f"{size:,} bytes at the address {address & _U32:#x} are not within its memory") from None


def _nothing_known() -> View[State]:
    raise CallError("nothing is known yet")


class _Running(local):
    """The host of the module that runs in this thread."""

    host: Host | None = None


_RUNNING: Final = _Running()


def run_for(host: Host | None) -> None:
    """Have calls in this thread be those of that host's module."""
    _RUNNING.host = host


def running() -> Host:
    """Return the host of the module that has called."""
    assert _RUNNING.host is not None
    return _RUNNING.host
