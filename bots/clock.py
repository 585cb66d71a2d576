"""The time and fuel of a seat, and how long processes have run and waited for a processor.

A ``Timekeeper`` tracks what one seat has used in a match and what it may still use. It is given durations and reads no clock itself. Time
in which the machine was busy or suspended is not charged to a bot.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Final

from bots.errors import BotFaultError
from bots.protocol import Clock, ClockMode, ClockSpec
from engine.records import FaultKind

MOST_WAIT: Final = 20
"""The longest wait for a process that is starved of CPU, as a multiple of its wall-clock limit."""
_LEAST_WAIT: Final = 0.05
_CPU_CLOCK_OF_A_PROCESS: Final = 2
_BEAT: Final = 0.1
_LATE: Final = 0.3
"""Seconds without a heartbeat after which the whole process is taken to have been suspended."""


class RunningTime:
    """A monotonic clock, in seconds, that stops while this process, its container or its virtual machine is suspended.

    A thread sends ten heartbeats a second; while it can't, the clock stops. A bot that suspends itself does not stop the host's clock.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._thread: Thread | None = None
        self._calls: list[Callable[[], object]] = []
        self._stood = 0.0
        self.after_fork()

    def after_fork(self) -> None:
        """Reset the clock in a forked child, where the heartbeat thread no longer exists."""
        self._thread = None
        self._calls = []
        self._lock = Lock()
        self._beat = -inf

    def now(self) -> float:
        """Return the current time of this clock."""
        stood, now = self._stood, self._clock()
        if now - self._beat > _LATE or stood != self._stood:  # a heartbeat may have come in between
            return self.beat()
        return now - stood

    def beat(self) -> float:
        """Record a heartbeat, which shows that the process is running, and return the time."""
        with self._lock:
            now = self._clock()
            if self._thread is None:
                self._start()
            elif now - self._beat > _LATE:
                self._stood += now - self._beat - _BEAT
            self._beat = now
            return now - self._stood

    @contextmanager
    def calling(self, function: Callable[[], object]) -> Iterator[None]:
        """Call ``function`` at each heartbeat while the ``with`` block runs. It must return at once and must not raise."""
        self.beat()
        self._calls.append(function)
        try:
            yield
        finally:
            self._calls.remove(function)

    def _start(self) -> None:
        thread = Thread(target=self._keep_beating, name="running time", daemon=True)
        with suppress(RuntimeError):  # the system has no thread left
            thread.start()
            self._thread = thread

    def _keep_beating(self) -> None:
        while True:
            sleep(_BEAT)
            self.beat()
            for function in tuple(self._calls):
                function()


_RUNNING_TIME: Final = RunningTime()
running_time: Final = _RUNNING_TIME.now
"""Returns the time of this process's clock; see `RunningTime.now`."""
calling: Final = _RUNNING_TIME.calling
"""Calls a function at each heartbeat of this process's clock; see `RunningTime.calling`."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_RUNNING_TIME.after_fork)


def cpu_of(process: int) -> float | None:
    """Return the CPU seconds of a process, including its ended threads, or None if it has been reaped or the system can't tell."""
    with suppress(OSError, AttributeError):  # Windows has no such clocks
        return time.clock_gettime((~process << 3) | _CPU_CLOCK_OF_A_PROCESS)
    return None


def run_delay(process: int) -> float | None:
    """Return how many seconds a process has waited for a processor, counted from an arbitrary zero, or None if unknown.

    The result is the largest sum of a thread's CPU time and waiting time, minus the CPU time of the whole process. Waiting while
    another thread of the process runs does not raise it, so a process can't raise it by itself.
    """
    with suppress(OSError), os.scandir(f"/proc/{process}/task") as threads:
        ran_or_waited = [sum(_schedstat(f"{thread.path}/schedstat")) for thread in threads]
        if ran_or_waited and (cpu := cpu_of(process)) is not None:
            return max(ran_or_waited) - cpu
    return None


def run_delay_of_this_thread() -> float:
    """Return how many seconds the calling thread has waited for a processor, or 0 if unknown. The call takes microseconds."""
    return _schedstat("/proc/thread-self/schedstat")[1]


def _schedstat(path: str) -> tuple[float, float]:
    """Return how long a thread has run and how long it has waited to run, in seconds."""
    with suppress(OSError, ValueError):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            ran, waited, _ = os.read(descriptor, 100).split()
        finally:
            os.close(descriptor)
        return int(ran) / 1e9, int(waited) / 1e9
    return 0.0, 0.0


class Delay:
    """How long a process has waited for a processor since this object was created."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._before = run_delay(process)

    def seconds(self) -> float:
        """Return the delay so far, or 0 if it is unknown."""
        now = run_delay(self._process)
        return 0.0 if now is None or self._before is None else max(0.0, now - self._before)


class Patience:
    """How long to wait for a process: ``seconds`` of `running_time`, extended by the time that ``delayed`` returns.

    The wait never exceeds ``MOST_WAIT`` times ``seconds``; if it reaches this limit, ``is_machines_fault`` is set.
    """

    def __init__(self, seconds: float, delayed: Callable[[], float]) -> None:
        self._seconds = seconds
        self._delayed = delayed
        self._began = running_time()
        self._until = self._began + seconds
        self.is_machines_fault = False

    def left(self) -> float:
        """Return the seconds left to wait, or 0 if the wait is over."""
        now = running_time()
        if now < self._until:
            return self._until - now
        passed, allowed = now - self._began, self._seconds + self._delayed()
        if passed >= allowed:
            return 0.0
        if passed >= MOST_WAIT * self._seconds:
            self.is_machines_fault = True
            return 0.0
        self._until = now + max(_LEAST_WAIT, min(allowed, MOST_WAIT * self._seconds) - passed)
        return self._until - now

    def give(self, seconds: float) -> None:
        """Extend the wait by ``seconds``."""
        self._seconds += seconds

    def passed(self) -> float:
        """Return the seconds waited so far."""
        return running_time() - self._began


def where_it_went(cpu: float | None, delayed: float) -> str:
    """Return a clause that states the CPU time of a process, its waiting time for a processor, and the load of the machine."""
    computed = "" if cpu is None else f"used {cpu:.2f} s of CPU time, and "
    return f"it {computed}waited {delayed:.2f} s for a processor (not counted); {load()}"


def load() -> str:
    """Return a phrase that states the load of the machine."""
    with suppress(OSError, AttributeError):  # Windows
        return f"the machine had a load of {os.getloadavg()[0]:.0f} (cores: {os.cpu_count()})"
    return "the load of the machine is not known"


_LEAST_STOP: Final = 1.0
"""The shortest time that the host waits, in seconds, even if the limit is shorter: a busy machine may delay a bot for this long."""


FINISH_FUEL: Final = 1_000_000_000
"""The fuel for ``finish`` in matches with the clock mode ``fuel``."""

_MOST_DECISIONS: Final = 1000
"""A number of decisions that no seat ever reaches in a match."""


def cpu_backstop(spec: ClockSpec) -> int | None:
    """Return the CPU seconds at which the kernel stops a bot (more than the clock allows), or None if the clock does not limit CPU time."""
    if spec.start is None or (spec.bank is None and spec.move is None):
        return None
    decisions = spec.bank if spec.bank is not None else _MOST_DECISIONS * (spec.move or 0.0)
    return math.ceil(spec.start + decisions) + 1


class Timekeeper:
    """Tracks the time and fuel of one seat against the limits of a ``ClockSpec``."""

    def __init__(self, spec: ClockSpec) -> None:
        self._spec = spec
        self._bank = spec.bank
        self._strikes = spec.strikes
        self._wall_bank = spec.wall_bank
        self._bank_fuel = spec.bank_fuel
        self._next: Clock | None = None
        """The last result of `for_decision`, while it is valid."""

    def for_start(self) -> Clock:
        """Return the bot's limits for getting ready."""
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
        """Charge wall time in which the bot neither computed nor waited for a processor. Raises BotFaultError when ``wall_bank`` is used
        up."""
        if self._wall_bank is None:
            return
        self._wall_bank -= max(0.0, seconds)
        if self._wall_bank < 0:
            raise BotFaultError(
                kind,
                f"it was idle (neither computing nor waiting for a processor) for more than the {self._spec.wall_bank:g} s of wall time "
                f"that 'wall_bank' allows in a match; {load()}",
            )

    def charge_start(self, cpu: float, fuel: int = 0) -> None:
        """Charge the CPU time and the fuel that the bot used to get ready. Raises BotFaultError if it used too much."""
        if self._spec.start_fuel is not None and fuel > self._spec.start_fuel:
            raise BotFaultError(FaultKind.INIT_TIMEOUT, over_start_fuel(self._spec.start_fuel))
        if self._spec.start is not None and cpu > self._spec.start:
            raise BotFaultError(
                FaultKind.INIT_TIMEOUT, f"it took {cpu:.2f} s of CPU time to get ready; the limit is {self._spec.start:g} s"
            )

    def charge(self, clock: Clock, wall: float, cpu: float, fuel: int = 0, delayed: float = 0.0) -> None:
        """Charge a decision that was limited by ``clock``; ``delayed`` is how long the bot or its host waited for a processor meanwhile.

        Raises BotFaultError if the decision took too long or used too much fuel.
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
                    f"it took {wall - delayed:.2f} s of wall time for a decision with a limit of {clock.seconds:.3g} s, and had no strikes "
                    f"left (of {self._spec.strikes}); {where_it_went(cpu, delayed)}",
                )
            self._strikes -= 1
            self._next = None


def over_cpu(clock: Clock, cpu: float) -> str:
    """Return the message for a decision that took too much CPU time."""
    whose = "the rest of its bank was" if clock.seconds == clock.bank else "the limit is"
    return f"it used {cpu:.2f} s of CPU time for a decision; {whose} {clock.seconds:.3g} s"


def over_start_fuel(limit: int) -> str:
    """Return the message for a bot that used up its fuel before it was ready."""
    return f"it used all of its {limit:,} units of fuel before it was ready"


def over_fuel(limit: int, most: int | None) -> str:
    """Return the message for a decision that used up its ``limit`` of fuel. A limit below ``most`` is what was left in the bank."""
    bank = " (the rest of its bank)" if most is not None and limit < most else ""
    return f"it used all of its {limit:,} units of fuel for a decision{bank}"


def check_nodes(clock: Clock, nodes: int | None) -> None:
    """Raise BotFaultError if the number of positions that a bot reports exceeds its limit."""
    if clock.nodes is not None and nodes is not None and nodes > clock.nodes:
        raise BotFaultError(FaultKind.MOVE_TIMEOUT, f"it looked at {nodes} positions; the limit is {clock.nodes}")


def over_wall(kind: FaultKind, seconds: float, where: str) -> BotFaultError:
    """Return the fault of a bot that exceeded its wall-clock limit; ``where`` says where the time went (`where_it_went`)."""
    return BotFaultError(kind, f"it had not answered after {seconds:.3g} s by the wall clock; {where}", is_over_wall=True)
