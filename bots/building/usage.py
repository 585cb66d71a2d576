"""The usage and output of a build: memory and CPU time of all its processes, and its log, bounded and without control characters."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.text import plain_lines

_USER_TIME: Final = 11
"""The fields of the CPU times in /proc/PID/stat, counted after the name: own and of reaped children, each user and system."""
_BUSY: Final = "RD"
"""The states of a thread that is running or ready to run, or waits for a disk."""
_HEAD: Final = 24 << 10
_TAIL: Final = 8 << 10
_CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes of private memory, seconds, and whether a thread runs, waits for a processor, or waits for a disk."""

    memory: int
    cpu_seconds: float
    is_busy: bool


def usage_of(pid: int) -> Usage:
    """Return the present usage of the process and its descendants; zero where the system doesn't report it."""
    if sys.platform != "linux":
        return Usage(0, 0.0, is_busy=True)
    page, tick = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
    pages = ticks = 0
    is_busy = False
    for each in _family(pid):
        folder = Path(f"/proc/{each}")
        try:
            resident, shared = map(int, (folder / "statm").read_text(encoding="ascii").split()[1:3])
            times = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except (OSError, ValueError):
            continue  # it has ended
        pages += resident - shared
        ticks += sum(map(int, times[_USER_TIME : _USER_TIME + 4]))
        is_busy = is_busy or any(state in _BUSY for state in _states(folder))
    return Usage(pages * page, ticks / tick, is_busy)


def _states(process: Path) -> Iterator[str]:
    """Yield the states of a process's threads, as in proc_pid_stat(5)."""
    with suppress(OSError):
        for thread in (process / "task").iterdir():
            with suppress(OSError):
                yield (thread / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2][1:2]


def _family(pid: int) -> list[int]:
    """Return the process and its present descendants; any of them may end at any time."""
    family = [pid]
    for each in family:
        tasks = Path(f"/proc/{each}/task")
        with suppress(OSError):
            for task in tasks.iterdir():
                with suppress(OSError):
                    family += map(int, (task / "children").read_text(encoding="ascii").split())
    return family


class Log:
    """Collects the output of a build; keeps its beginning, where the first errors are, and its end."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._head = bytearray()
        self._tail = bytearray()

    @property
    def is_over(self) -> bool:
        """Whether more has been written than a build may."""
        return self._size > self._most

    def read(self, descriptor: int) -> bool:
        """Read the available bytes of a non-blocking pipe, up to the limit; return False at its end."""
        while not self.is_over:
            try:
                piece = os.read(descriptor, _CHUNK)
            except BlockingIOError:
                return True
            if not piece:
                return False
            self._size += len(piece)
            room = _HEAD - len(self._head)
            self._head += piece[:room]
            self._tail = (self._tail + piece[max(room, 0) :])[-_TAIL:]
        return True

    @property
    def text(self) -> str:
        """What was kept."""
        left_out = self._size - len(self._head) - len(self._tail)
        between = f"\n... {left_out} bytes are left out ...\n".encode() if left_out else b""
        return plain_lines(bytes(self._head + between + self._tail).decode(errors="replace")).strip("\n")
