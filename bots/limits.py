"""How bots run and are called: the runtime that a competition gives them, levels of isolation, limits of their processes, and names.

The clocks of a match are kept by ``bots.clock``.
"""

from __future__ import annotations

import re
import resource
import sys
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
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


BOT_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
"""The names that bots may have."""
PACKAGE_NAME: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
"""The name of a package (PEP 508)."""
DEFAULT_MEMORY: Final = 512 << 20
"""The default bytes of memory of a bot."""
MODULE_MEMORY: Final = 256 << 20
"""The default bytes of memory of a WebAssembly module."""
DEFAULT_BUNDLE: Final = 32 << 20
"""The default limit on the bytes of a bot's files together."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """The runtime of bots. ``memory`` and ``bundle`` are bytes, None for the defaults; ``threads`` is for Python bots."""

    packages: tuple[str, ...] = ()
    memory: int | None = None
    bundle: int | None = None
    threads: int = 1

    @property
    def most_memory(self) -> int:
        """How many bytes of memory a bot may have."""
        return DEFAULT_MEMORY if self.memory is None else self.memory

    @property
    def most_bytes(self) -> int:
        """How many bytes a bot's files may have together."""
        return DEFAULT_BUNDLE if self.bundle is None else self.bundle


STANDARD: Final = Runtime()


def normal_name(package: str) -> str:
    """Return the normalised name of a package (PEP 503)."""
    return re.sub(r"[-_.]+", "-", package).lower()


class Level(IntEnum):
    """The levels of isolation of a bot from its host, from none to the best possible (docs/sandbox.md)."""

    NONE = -1
    """In the host's own process, without any sandbox."""
    L0 = 0
    """Only a separate process with limits: for bots that you trust."""
    L1 = 1
    """seccomp: no file can be opened or inspected, no process made, no network reached."""
    L2 = 2
    """seccomp and Landlock: a Python bot can read no files, a command only its own files and the system's libraries."""
    L3 = 3
    """As L2, within namespaces made by bubblewrap, which contain none of the host's processes and only the files that are needed."""

    def __str__(self) -> str:
        return self.name if self is not Level.NONE else "none"

    @classmethod
    def parse(cls, text: str) -> Level:
        """Return the level of that name: ``none``, ``L0``, ``L1``, ``L2`` or ``L3``, in upper or lower case. Raises ValueError."""
        try:
            return cls[text.upper()]
        except KeyError:
            raise ValueError(f"there is no isolation level '{text:.20}'; the levels are {', '.join(map(str, cls))}") from None


def fitting_name(stem: str) -> str:
    """Return the name of the bot in a file or folder of that name: the same, as far as bots may have it (``my_bot (1)``: ``my_bot-1``)."""
    if BOT_NAME.fullmatch(stem):
        return stem
    ascii_ = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", ascii_).strip("-._")[:40] or stem
