"""Watches a bot's process while the host waits for its answer: its CPU time, its memory, and whether the machine lets it run."""

from __future__ import annotations

from time import monotonic
from typing import Final

from bots.child.invoke import BotFaultError
from bots.host.clock import over_cpu
from bots.protocol import Clock
from bots.sandbox import Child
from engine.records import FaultKind

_MEMORY_SECONDS: Final = 0.1
"""How often, in seconds, to check the memory of a process that the kernel alone can't limit."""
_LEAST_WAIT: Final = 0.005
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
        self._since: tuple[float, float, float] | None = None

    def check(self) -> float:
        """Return the seconds until the next check. Raises BotFaultError if the bot has used too much."""
        limit = self._clock.seconds
        if self._is_first:
            self._is_first = False
            wait = _FOREVER if limit is None else limit
            return min(wait, _MEMORY_SECONDS) if self._is_command else wait
        if self._since is None:
            self._since = monotonic(), self._child.cpu_seconds(), self._child.starved_seconds()
        if self._is_command and (held := self._child.excess_memory()) is not None:
            raise BotFaultError(FaultKind.MEMORY, f"it holds {held >> 20} MiB of memory, page tables included, which is more than it may")
        if limit is None:
            return _MEMORY_SECONDS if self._is_command else _FOREVER
        used = self._child.cpu_seconds() - self._before
        if used > limit:
            raise BotFaultError(self._late, over_cpu(self._clock, used))
        wait = max(_LEAST_WAIT, limit - used)
        return min(wait, _MEMORY_SECONDS) if self._is_command else wait

    def is_starved(self) -> bool:
        """Return whether it is late because the machine did not let it run: it waited for a processor more than half of the time.

        The CPU time that it used meanwhile is subtracted, since its threads may have waited for each other.
        """
        if self._since is None:
            return False
        began, cpu, starved = self._since
        waited = self._child.starved_seconds() - starved - (self._child.cpu_seconds() - cpu)
        return waited > (monotonic() - began) / 2
