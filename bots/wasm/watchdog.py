"""Stops a module that runs in the host's own process for too long: its CPU time is checked ten times a second. A module never waits, so on
an idle machine that equals its wall time.
"""

from __future__ import annotations

import os
from threading import Thread
from time import sleep, thread_time
from typing import Final

from bots.clock import load, over_cpu, over_wall
from bots.errors import BotFaultError
from bots.protocol import Clock
from bots.wasm.engine import engine
from engine.records import FaultKind

_TICK: Final = 0.1
_PATIENCE: Final = 50
"""Ticks without a module after which the thread ends."""


class Watchdog:
    """The limits of one module's turn, checked at each tick of wasmtime's epoch."""

    def __init__(self) -> None:
        self._clock = Clock()
        self._late = FaultKind.MOVE_TIMEOUT
        self._cpu: float | None = None

    def begin(self, clock: Clock, late: FaultKind) -> None:
        """Apply the clock to this thread from now on; ``late`` is the fault."""
        self._clock, self._late = clock, late
        self._cpu = None  # reading the CPU time is slow, so this begins with the first tick
        _TICKER.running.add(self)
        if _TICKER.thread is None:
            _TICKER.start()

    def end(self) -> None:
        """End the turn."""
        _TICKER.running.discard(self)

    def check(self) -> None:
        """Raise BotFaultError if the turn takes too long."""
        limit, stop, now = self._clock.seconds, self._clock.stop, thread_time()
        if self._cpu is None:
            self._cpu = now
        used = now - self._cpu
        if limit is not None and used > limit:
            raise BotFaultError(self._late, over_cpu(self._clock, used))
        if limit is None and stop is not None and used > stop:
            raise over_wall(self._late, stop, f"all of it CPU time; {load()}")


class _Ticker:
    """A thread that increments the engine's epoch while modules run, and ends once none has run for some time."""

    def __init__(self) -> None:
        self.running: set[Watchdog] = set()
        self.thread: Thread | None = None

    def start(self) -> None:
        """Start the thread."""
        self.thread = Thread(target=self._tick, name="wasm-epochs", daemon=True)
        self.thread.start()

    def _tick(self) -> None:
        idle = 0
        while idle < _PATIENCE:
            sleep(_TICK)
            idle = 0 if self.running else idle + 1
            if not idle:
                engine().increment_epoch()
        self.thread = None
        if self.running:  # a module has begun to run in the meantime
            self.start()

    def after_fork(self) -> None:
        """Start over in the child, which does not have the parent's thread."""
        self.running.clear()
        self.thread = None


_TICKER: Final = _Ticker()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_TICKER.after_fork)
