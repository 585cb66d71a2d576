"""Stops a module that runs in the host's own process for too long: its CPU time and its wall time are looked at 20 times a second."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Thread
from time import monotonic, sleep, thread_time
from typing import Any, Final

from bots.child.invoke import BotFaultError
from bots.host.clock import over_cpu, over_wall
from bots.protocol import Clock
from bots.wasm.engine import engine
from bots.wasm.native import Deadline, error_of
from engine.records import FaultKind

_TICK: Final = 0.05
_PATIENCE: Final = 100
"""Ticks without a module after which the thread ends."""


class Watchdog:
    """The limits of one module's turn. Wasmtime counts ticks in its code, and asks again at each."""

    def __init__(self) -> None:
        self._clock = Clock()
        self._late = FaultKind.MOVE_TIMEOUT
        self._began = self._cpu = 0.0

    @contextmanager
    def watching(self, clock: Clock, late: FaultKind) -> Iterator[None]:
        """Hold what runs meanwhile in this thread to the clock; ``late`` is the fault."""
        self._clock, self._late = clock, late
        self._began, self._cpu = monotonic(), thread_time()
        _TICKER.begin()
        try:
            yield
        finally:
            _TICKER.end()

    def callback(self, failed: Callable[[BaseException], None]) -> Any:
        """Return what is called at each tick, in the module's thread; ``failed`` is told why the module has to stop."""

        def ticked(_context: object, _data: object, delta: Any, _kind: object) -> int | None:
            try:
                self._check()
            except BaseException as error:  # noqa: BLE001  # nothing may be raised through the module's frames, not even Ctrl-C
                failed(error)
                return error_of(b"stopped by the host")
            delta[0] = 1
            return None

        return Deadline(ticked)

    def _check(self) -> None:
        cpu, wall = thread_time() - self._cpu, monotonic() - self._began
        if self._clock.seconds is not None and cpu > self._clock.seconds:
            raise BotFaultError(self._late, over_cpu(self._clock, cpu))
        if self._clock.stop is not None and wall > self._clock.stop:
            raise BotFaultError(self._late, over_wall(self._clock.stop))


class _Ticker:
    """A thread that increments the engine's epoch while modules run, and ends when none has run for a while."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self._running = 0
        self._lock = Lock()
        self._thread: Thread | None = None

    def begin(self) -> None:
        """One more module runs."""
        with self._lock:
            self._running += 1
            if self._thread is None:
                self._thread = Thread(target=self._tick, name="wasm-epochs", daemon=True)
                self._thread.start()

    def end(self) -> None:
        """One fewer runs."""
        with self._lock:
            self._running -= 1

    def _tick(self) -> None:
        idle = 0
        while True:
            sleep(_TICK)
            with self._lock:
                idle = 0 if self._running else idle + 1
                if idle == _PATIENCE:
                    self._thread = None
                    return
            if not idle:
                engine().increment_epoch()

    def after_fork(self) -> None:
        """Begin anew: the thread stays with the parent."""
        self._reset()


_TICKER: Final = _Ticker()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_TICKER.after_fork)
