"""What a build uses: the memory and the CPU time of a process and all that it has started, as the system tells them."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_USER_TIME = 11
"""The place of the CPU times in /proc/PID/stat, counted from behind the name: own and of reaped children, user and system."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes of private memory, and seconds."""

    memory: int
    cpu_seconds: float


def usage_of(pid: int) -> Usage:
    """Return what the process and its descendants use now; nothing where the system doesn't tell."""
    if sys.platform != "linux":
        return Usage(0, 0.0)
    page, tick = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
    pages = ticks = 0
    for each in _family(pid):
        folder = Path(f"/proc/{each}")
        try:
            resident, shared = map(int, (folder / "statm").read_text(encoding="ascii").split()[1:3])
            times = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except (OSError, ValueError):
            continue  # it has ended
        pages += resident - shared
        ticks += sum(map(int, times[_USER_TIME : _USER_TIME + 4]))
    return Usage(pages * page, ticks / tick)


def _family(pid: int) -> list[int]:
    """Return the process and its descendants, as they are now: any of them may end meanwhile."""
    found = [pid]
    for each in found:
        tasks = Path(f"/proc/{each}/task")
        with suppress(OSError):
            for task in tasks.iterdir():
                with suppress(OSError):
                    found += map(int, (task / "children").read_text(encoding="ascii").split())
    return found
