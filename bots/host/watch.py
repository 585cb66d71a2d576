"""Watches a bot's process while the host waits for its answer: its CPU time, its memory, and how long the machine keeps it from running."""

from __future__ import annotations

from typing import Final

from bots.child.invoke import BotFaultError
from bots.host.clock import over_cpu
from bots.host.delays import Delay, where_it_went
from bots.protocol import Clock
from bots.sandbox.child import Child
from engine.records import FaultKind

_MEMORY_SECONDS: Final = 0.1
"""How often, in seconds, to check the memory of a process that the kernel alone can't limit."""
_LEAST_WAIT: Final = 0.005
_NOTICED: Final = 0.05
"""Seconds after which it is watched how long a bot waits for a processor. Most have answered by then, since asking takes time."""
_FOREVER: Final = 3600.0


class Watch:
    """Watches one request to one process; a `Channel` calls `check` before each wait. It costs nothing if the bot answers quickly."""

    def __init__(self, child: Child, clock: Clock, late: FaultKind, cpu_before: float, *, is_command: bool) -> None:
        self._child = child
        self._clock = clock
        self._late = late
        self._before = cpu_before
        self._is_command = is_command
        self._is_first = True
        self._delay: Delay | None = None

    def check(self) -> float:
        """Return the seconds until the next check. Raises BotFaultError if the bot has used too much."""
        limit = self._clock.seconds
        if self._is_first:
            self._is_first = False
            return _NOTICED if limit is None else min(_NOTICED, limit)
        if self._delay is None:
            self._delay = self._child.delay()
        if self._is_command and (held := self._child.excess_memory()) is not None:
            raise BotFaultError(FaultKind.MEMORY, f"it holds {held >> 20} MiB of memory, page tables included, which is more than it may")
        if limit is None:
            return _MEMORY_SECONDS if self._is_command else _FOREVER
        used = self._child.cpu_seconds() - self._before
        if used > limit:
            raise BotFaultError(self._late, over_cpu(self._clock, used))
        wait = max(_LEAST_WAIT, limit - used)
        return min(wait, _MEMORY_SECONDS) if self._is_command else wait

    def delayed(self) -> float:
        """Return how long the bot has waited for a processor meanwhile."""
        return self._delay.seconds() if self._delay is not None else 0.0

    def __str__(self) -> str:
        return where_it_went(self._child.cpu_seconds() - self._before, self.delayed())
