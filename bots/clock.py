"""One seat's time and fuel in a match: what it may use next, and when it used too much. It gets durations and reads no clock itself."""

from __future__ import annotations

import math
from typing import Final

from bots.delays import load, where_it_went
from bots.errors import BotFaultError
from bots.protocol import Clock, ClockMode, ClockSpec
from engine.records import FaultKind

_LEAST_STOP: Final = 1.0
"""The least that the host waits, in seconds, however short the limit: a busy machine may keep a bot from running for this long."""


FINISH_FUEL: Final = 1_000_000_000
"""The fuel for ``finish``, in matches where fuel is counted."""

_MOST_DECISIONS: Final = 1000
"""More decisions than a seat ever makes in a match."""


def cpu_backstop(spec: ClockSpec) -> int | None:
    """Return the CPU seconds at which the kernel stops a bot, more than it can use within its limits; None without a limit."""
    if spec.start is None or (spec.bank is None and spec.move is None):
        return None
    decisions = spec.bank if spec.bank is not None else _MOST_DECISIONS * (spec.move or 0.0)
    return math.ceil(spec.start + decisions) + 1


class Timekeeper:
    """One seat's time, by the limits of ``ClockSpec``."""

    def __init__(self, spec: ClockSpec) -> None:
        self._spec = spec
        self._bank = spec.bank
        self._strikes = spec.strikes
        self._wall_bank = spec.wall_bank
        self._bank_fuel = spec.bank_fuel
        self._next: Clock | None = None
        """The last result of `for_decision`, while it is valid."""

    def for_start(self) -> Clock:
        """Return the bot's limits until it is ready."""
        return Clock(seconds=self._spec.start, stop=self._stop(self._spec.start), fuel=self._spec.start_fuel)

    def for_decision(self) -> Clock:
        """Return the bot's limits for its next decision."""
        if self._next is None:
            self._next = self._for_next()
        return self._next

    def _for_next(self) -> Clock:
        spec = self._spec
        seconds = spec.move
        if self._bank is not None:
            seconds = self._bank if seconds is None else min(seconds, self._bank)
        strikes = self._strikes if spec.mode is ClockMode.CLOCK and seconds is not None else None
        return Clock(seconds, spec.nodes, self._bank, self._stop(seconds), strikes, self._fuel())

    def _fuel(self) -> int | None:
        limits = [each for each in (self._spec.move_fuel, self._bank_fuel) if each is not None]
        return min(limits, default=None)

    def _stop(self, seconds: float | None) -> float:
        if seconds is None or self._spec.mode is not ClockMode.CLOCK:
            return self._spec.wall
        return max(_LEAST_STOP, self._spec.slack * seconds)

    def charge_idle(self, seconds: float, kind: FaultKind) -> None:
        """Charge wall time in which the bot did not compute. Raises BotFaultError once its ``wall_bank`` is used up."""
        if self._wall_bank is None:
            return
        self._wall_bank -= max(0.0, seconds)
        if self._wall_bank < 0:
            raise BotFaultError(
                kind,
                f"it let {self._spec.wall_bank:g} s pass by the wall clock in this match without computing or waiting for a processor, "
                f"which is all it had; {load()}",
            )

    def charge_start(self, cpu: float, fuel: int = 0) -> None:
        """Charge the CPU time and the fuel until the bot was ready. Raises BotFaultError if that was too much."""
        if self._spec.start_fuel is not None and fuel > self._spec.start_fuel:
            raise BotFaultError(FaultKind.INIT_TIMEOUT, over_start_fuel(self._spec.start_fuel))
        if self._spec.start is not None and cpu > self._spec.start:
            raise BotFaultError(
                FaultKind.INIT_TIMEOUT, f"it took {cpu:.2f} s of CPU time to get ready; the limit is {self._spec.start:g} s"
            )

    def charge(self, clock: Clock, wall: float, cpu: float, fuel: int = 0, delayed: float = 0.0) -> None:
        """Charge a decision under ``clock``; for ``delayed`` seconds of it, the bot or its host waited for a processor.

        Raises BotFaultError if it took too long, or too much fuel.
        """
        if self._bank_fuel is not None:
            self._bank_fuel = max(0, self._bank_fuel - fuel)
            self._next = None
        if clock.fuel is not None and fuel > clock.fuel:
            raise BotFaultError(FaultKind.MOVE_TIMEOUT, over_fuel(clock.fuel, self._spec.move_fuel))
        if self._bank is not None:
            self._bank = max(0.0, self._bank - cpu)
            self._next = None
        if clock.seconds is None:
            return
        if cpu > clock.seconds:
            raise BotFaultError(FaultKind.MOVE_TIMEOUT, over_cpu(clock, cpu))
        if clock.strikes is not None and wall - delayed > clock.seconds:
            if self._strikes == 0:
                raise BotFaultError(
                    FaultKind.MOVE_TIMEOUT,
                    f"it took {wall - delayed:.2f} s by the wall clock for a decision, of {clock.seconds:.3g} s, and that was let pass "
                    f"{self._spec.strikes} times before; {where_it_went(cpu, delayed)}",
                )
            self._strikes -= 1
            self._next = None


def over_cpu(clock: Clock, cpu: float) -> str:
    """Return the sentence for a decision that took too much CPU time."""
    whose = "what was left of its bank" if clock.seconds == clock.bank else "the limit"
    return f"it used {cpu:.2f} s of CPU time for a decision; {whose} is {clock.seconds:.3g} s"


def over_start_fuel(limit: int) -> str:
    """Return the sentence for a bot that used up its fuel before it was ready."""
    return f"it used all its fuel to get ready, {limit:,} units"


def over_fuel(limit: int, most: int | None) -> str:
    """Return the sentence for a decision that used up its fuel, ``limit``, which is the rest of a bank if it is below ``most``."""
    bank = ", which was all that was left of its bank" if most is not None and limit < most else ""
    return f"it used all its fuel for a decision, {limit:,} units{bank}"


def check_nodes(clock: Clock, nodes: int | None) -> None:
    """Check the number of positions that a bot reports. Raises BotFaultError if it is over the limit."""
    if clock.nodes is not None and nodes is not None and nodes > clock.nodes:
        raise BotFaultError(FaultKind.MOVE_TIMEOUT, f"it looked at {nodes} positions; the limit is {clock.nodes}")


def over_wall(kind: FaultKind, seconds: float, where: str) -> BotFaultError:
    """Return the fault of a bot that is stopped by the wall clock; ``where`` says where the time went."""
    return BotFaultError(kind, f"it had not answered after {seconds:.3g} s by the wall clock, {where}", is_over_wall=True)
