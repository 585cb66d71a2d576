"""How long a process has waited for a processor, as the kernel counts it: so a bot is not blamed for a busy machine."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def run_delay(process: str) -> float:
    """Seconds that the threads of a process, or of ``thread-self``, were ready to run and did not: those of the thread that waited longest.

    0 where the system does not tell, as for a process that has ended.
    """
    folder = Path("/proc", process)
    longest = 0
    with suppress(OSError):
        for path in sorted(folder.glob("task/*/schedstat")) or [folder / "schedstat"]:
            with suppress(OSError, ValueError, IndexError):
                longest = max(longest, int(path.read_text(encoding="ascii").split()[1]))
    return longest / 1e9
