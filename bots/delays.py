"""How long processes have run and waited for a processor, so that no bot is blamed for a machine that is busy or stands still."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Final

MOST_WAIT: Final = 20
"""The longest wait for a process that the machine does not let run, as a multiple of its limit by the wall clock."""
_LEAST_WAIT: Final = 0.05
_CPU_CLOCK_OF_A_PROCESS: Final = 2
_BEAT: Final = 0.1
_LATE: Final = 0.3
"""Seconds without a beat after which the whole process must have stood still."""


class RunningTime:
    """A monotonic clock, in seconds, that stands still while this process does: while it, its container or its virtual machine is paused.

    A thread beats ten times a second; while it can't, the clock stops. A bot that stops itself stops no clock of its host.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._thread: Thread | None = None
        self._stood = 0.0
        self.after_fork()

    def after_fork(self) -> None:
        """Begin anew in the child, which has only the thread that forked."""
        self._thread = None
        self._lock = Lock()
        self._beat = -inf

    def now(self) -> float:
        """Return the time."""
        stood, now = self._stood, self._clock()
        if now - self._beat > _LATE or stood != self._stood:  # the thread may have beaten in between
            return self.beat()
        return now - stood

    def beat(self) -> float:
        """Show that the process runs, and return the time."""
        with self._lock:
            now = self._clock()
            if self._thread is None:
                self._start()
            elif now - self._beat > _LATE:
                self._stood += now - self._beat - _BEAT
            self._beat = now
            return now - self._stood

    def _start(self) -> None:
        thread = Thread(target=self._keep_beating, name="running time", daemon=True)
        with suppress(RuntimeError):  # the system has no thread left
            thread.start()
            self._thread = thread

    def _keep_beating(self) -> None:
        while True:
            sleep(_BEAT)
            self.beat()


_RUNNING_TIME: Final = RunningTime()
running_time: Final = _RUNNING_TIME.now
"""Return the time of the clock of this process."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_RUNNING_TIME.after_fork)


def cpu_of(process: int) -> float | None:
    """Return the CPU time of a process, including ended threads; None if it has been waited for, or the system can't tell."""
    with suppress(OSError, AttributeError):  # Windows has no such clocks
        return time.clock_gettime((~process << 3) | _CPU_CLOCK_OF_A_PROCESS)
    return None


def run_delay(process: int) -> float | None:
    """Return how long a process was ready to run but did not, in seconds from an arbitrary zero; None where that is not known.

    This is the time of the thread that waited longest, less the CPU time of the process's other threads, since it may have waited for them:
    so no process can raise it by itself.
    """
    with suppress(OSError), os.scandir(f"/proc/{process}/task") as threads:
        ran_or_waited = [sum(_schedstat(f"{thread.path}/schedstat")) for thread in threads]
        if ran_or_waited and (cpu := cpu_of(process)) is not None:
            return max(ran_or_waited) - cpu
    return None


def run_delay_of_this_thread() -> float:
    """Return how long the calling thread has waited for a processor; 0 where that is not known. It takes microseconds."""
    return _schedstat("/proc/thread-self/schedstat")[1]


def _schedstat(path: str) -> tuple[float, float]:
    """Return how long a thread has run, and how long it has waited to run."""
    with suppress(OSError, ValueError):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            ran, waited, _ = os.read(descriptor, 100).split()
        finally:
            os.close(descriptor)
        return int(ran) / 1e9, int(waited) / 1e9
    return 0.0, 0.0


class Delay:
    """How long a process has been kept from running since this object was made."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._before = run_delay(process)

    def seconds(self) -> float:
        """Return the delay so far, 0 where it is not known."""
        now = run_delay(self._process)
        return 0.0 if now is None or self._before is None else max(0.0, now - self._before)


class Patience:
    """How long to wait for a process: ``seconds`` of `running_time`, not counting the time for which it was ``delayed``.

    It ends after ``MOST_WAIT`` times ``seconds`` in any case; then it ``is_machines_fault``.
    """

    def __init__(self, seconds: float, delayed: Callable[[], float]) -> None:
        self._seconds = seconds
        self._delayed = delayed
        self._began = running_time()
        self._until = self._began + seconds
        self.is_machines_fault = False

    def left(self) -> float:
        """Return the seconds left to wait, 0 if the wait is over."""
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
    """Return a phrase: how much of the wall time was CPU time, how long the process waited for a processor, and the load."""
    computed = "" if cpu is None else f"{cpu:.2f} s of it CPU time, "
    return f"{computed}not counting {delayed:.2f} s of waiting for a processor; {load()}"


def load() -> str:
    """Return the load of the machine as part of a sentence."""
    with suppress(OSError, AttributeError):  # Windows
        return f"the machine had a load of {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"
    return "the load of the machine is not known"
