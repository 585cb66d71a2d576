"""What a bot may use, and how the operating system is told. It owns no clocks of a match."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one bot process, kept by the kernel.

    ``memory`` is bytes: of address space (RLIMIT_AS) for Python bots; for commands, whose runtimes reserve far more than they use,
    of writable private memory (RLIMIT_DATA). ``cpu_seconds`` is for the whole life of the process and a backstop: the match's clocks
    are the host's. ``file_bytes`` is the size of the largest file it may write. ``processes`` is how many threads (at L0, processes too) a
    command may have beside its first; Python bots get none.
    """

    memory: int = 512 * MIB
    cpu_seconds: int = 600
    file_bytes: int = 0
    open_files: int = 64
    processes: int = 16
    stack: int = 8 * MIB

    def __post_init__(self) -> None:
        if self.memory < 16 * MIB or self.cpu_seconds < 1 or self.open_files < 8 or self.stack < MIB:
            raise ValueError("a bot needs at least 16 MiB of memory, a second, 8 open files and 1 MiB of stack")
        if self.file_bytes < 0 or self.processes < 0:
            raise ValueError("a limit can't be negative")

    def rlimits(self, *, is_command: bool, tasks_of_user: int) -> Iterator[tuple[int, int]]:
        """The kernel's limits as (resource, value). ``tasks_of_user`` is what RLIMIT_NPROC counts already."""
        yield (resource.RLIMIT_DATA if is_command else resource.RLIMIT_AS), self.memory
        yield resource.RLIMIT_CPU, self.cpu_seconds
        yield resource.RLIMIT_FSIZE, self.file_bytes
        yield resource.RLIMIT_NOFILE, self.open_files
        yield resource.RLIMIT_NPROC, (tasks_of_user + self.processes if is_command else 0)
        yield resource.RLIMIT_STACK, self.stack
        yield resource.RLIMIT_CORE, 0
        yield resource.RLIMIT_MEMLOCK, 0
        for name in ("RLIMIT_MSGQUEUE", "RLIMIT_SIGPENDING"):
            if hasattr(resource, name):  # Linux has them
                yield getattr(resource, name), 0 if name == "RLIMIT_MSGQUEUE" else 64

    def apply(self, *, is_command: bool = False, tasks_of_user: int = 0) -> None:
        """Limit this very process, for good. Raises OSError or ValueError where the kernel refuses."""
        for which, value in self.rlimits(is_command=is_command, tasks_of_user=tasks_of_user):
            _, ceiling = resource.getrlimit(which)
            allowed = value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)
            resource.setrlimit(which, (allowed, allowed))
