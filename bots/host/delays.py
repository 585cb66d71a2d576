"""How long a process has waited for a processor, as the kernel counts it, so that no bot is blamed for a busy machine."""

from __future__ import annotations

import os
from contextlib import suppress


def run_delay(process: int) -> float:
    """Return the seconds that a process was ready to run but did not, those of the thread that waited longest.

    0 where the system does not tell, as for a process that has ended.
    """
    with suppress(OSError), os.scandir(f"/proc/{process}/task") as threads:
        return max((_waited(f"{thread.path}/schedstat") for thread in threads), default=0.0)
    return 0.0


def run_delay_of_this_thread() -> float:
    """Return the same for the calling thread; it takes microseconds."""
    return _waited("/proc/thread-self/schedstat")


def _waited(path: str) -> float:
    with suppress(OSError, ValueError, IndexError):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return int(os.read(descriptor, 100).split()[1]) / 1e9
        finally:
            os.close(descriptor)
    return 0.0
