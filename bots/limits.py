"""The resource limits of a bot process, and how they are set in the kernel. The clocks of a match are kept by ``bots.clock``."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MIB: Final = 1 << 20
ADDRESSES_OF_COMMANDS: Final = 32 << 30
"""Bytes of address space of a command. Runtimes reserve far more than they use; but a page table costs a 512th of what it maps, so this
also bounds the memory that the kernel spends on page tables, to 64 MiB."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one bot process, enforced by the kernel.

    ``memory`` is bytes: of address space (RLIMIT_AS) for Python bots; for commands, whose runtimes reserve far more than they use, of
    writable private memory (RLIMIT_DATA). ``cpu_seconds`` is for the whole life of a process unless its order names another value, and a
    backstop: the host keeps the clocks of the match. ``file_bytes`` is the size of the largest file it may write. ``processes`` is how many
    threads (at L0, processes too) a command may have beside its first; a Python bot may have ``threads`` in all. ``files`` is bytes of all
    files that a command brings. ``addresses``, if set, is the limit of address space in place of ``memory``, which is then that of writable
    private memory alone, for runtimes that reserve more than they use.
    """

    memory: int = 512 * MIB
    cpu_seconds: int = 600
    file_bytes: int = 0
    open_files: int = 64
    processes: int = 16
    stack: int = 8 * MIB
    threads: int = 1
    files: int = 64 * MIB
    addresses: int = 0

    def __post_init__(self) -> None:
        if self.memory < 16 * MIB or self.cpu_seconds < 1 or self.open_files < 8 or self.stack < MIB:
            raise ValueError("a bot needs at least 16 MiB of memory, a second, 8 open files and 1 MiB of stack")
        if self.file_bytes < 0 or self.processes < 0 or self.files < 0:
            raise ValueError("a limit can't be negative")
        if self.threads < 1:
            raise ValueError("a bot needs at least one thread")

    def rlimits(self, *, is_command: bool = False, tasks_of_user: int = 0) -> tuple[tuple[int, int, int], ...]:
        """Return the kernel's limits as (resource, soft, hard), none above those of this process.

        A Python bot limited to a single thread can't start another, whatever else runs as its user. ``tasks_of_user`` is the number that
        RLIMIT_NPROC already counts.
        """
        threads = tasks_of_user + self.threads - 1 if self.threads > 1 else 0
        wanted = [
            (resource.RLIMIT_AS, ADDRESSES_OF_COMMANDS if is_command else self.addresses or self.memory),
            (resource.RLIMIT_DATA, self.memory),
            (resource.RLIMIT_FSIZE, self.file_bytes),
            (resource.RLIMIT_NOFILE, self.open_files),
            (resource.RLIMIT_NPROC, tasks_of_user + self.processes if is_command else threads),
            (resource.RLIMIT_STACK, self.stack),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_MEMLOCK, 0),
        ]
        if sys.platform == "linux":
            wanted += [(resource.RLIMIT_MSGQUEUE, 0), (resource.RLIMIT_SIGPENDING, 64)]
        if sys.platform == "darwin":  # it names this limit but does not have it
            del wanted[0]
        return tuple((which, *2 * (_at_most(value, resource.getrlimit(which)[1]),)) for which, value in wanted)


def cpu_rlimits(seconds: int) -> tuple[tuple[int, int, int], ...]:
    """Return the kernel's limit of CPU time; none for -1. It is apart from the others since it follows the clock of the match.

    The kernel sends SIGXCPU at the soft limit, and a second later, at the hard one, SIGKILL, which does not tell the cause.
    """
    if seconds < 0:
        return ()
    ceiling = resource.getrlimit(resource.RLIMIT_CPU)[1]
    return ((resource.RLIMIT_CPU, _at_most(seconds, ceiling), _at_most(seconds + 1, ceiling)),)


def apply_rlimits(limits: Iterable[tuple[int, int, int]]) -> None:
    """Limit this process permanently. Raises OSError or ValueError if the kernel refuses."""
    for which, soft, hard in limits:
        resource.setrlimit(which, (soft, hard))


def limit_reading(memory: int, cpu_seconds: int) -> None:
    """Limit this process permanently to what reading a stranger's file needs: memory and time, no other process, nothing to write."""
    apply_rlimits((*Limits(memory=memory, open_files=32).rlimits(), *cpu_rlimits(cpu_seconds)))


def _at_most(value: int, ceiling: int) -> int:
    return value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)
