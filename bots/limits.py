"""Levels of isolation, limits of bot processes, valid names of bots, and the runtime that a competition gives its bots.

Time limits of a match are in ``bots.clock``.
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
"""The limit on the address space of a command (see `Limits`), in bytes. It is large because runtimes reserve far more than they
use. Page tables take a 512th of what they map, so they can't take more than 64 MiB."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one bot process, enforced by the kernel. Sizes are in bytes. A command is a bot that is a program in any language.

    - ``memory``: address space (RLIMIT_AS) of a Python bot; writable private memory (RLIMIT_DATA) of a command, since runtimes reserve more
      address space than they use
    - ``cpu_seconds``: CPU time of the process, in seconds, unless a match sets another limit; the host enforces the clock's limits
    - ``file_bytes``: size of the largest file that the process may write
    - ``processes``: how many threads (at L0, also processes) a command may have in addition to its first thread
    - ``threads``: how many threads a Python bot may have in all
    - ``files``: total size of the files of a command
    - ``addresses``: if set, the limit of address space; ``memory`` then limits only writable private memory
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
        """Return the kernel's limits as (resource, soft, hard), none of them above the limits of this process.

        ``tasks_of_user`` is how many tasks (processes and threads) the user already has. It is ignored for a Python bot with one thread,
        which can never start a second one.
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
        if sys.platform == "darwin":  # defines this limit but does not enforce it
            del wanted[0]
        return tuple((which, *2 * (_at_most(value, resource.getrlimit(which)[1]),)) for which, value in wanted)


def cpu_rlimits(seconds: int) -> tuple[tuple[int, int, int], ...]:
    """Return the kernel's limit of CPU time as one (resource, soft limit, hard limit), or () if ``seconds`` is negative: no limit.

    The kernel sends SIGXCPU at the soft limit and SIGKILL a second later, at the hard limit. SIGKILL does not reveal the cause.
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
    """Permanently limit this process's memory (bytes) and CPU time, and forbid it to write or fork, before it reads a stranger's file."""
    apply_rlimits((*Limits(memory=memory, open_files=32).rlimits(), *cpu_rlimits(cpu_seconds)))


def _at_most(value: int, ceiling: int) -> int:
    return value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)


BOT_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
"""The pattern of valid names of bots."""
PACKAGE_NAME: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
"""The pattern of valid names of packages (PEP 508)."""
DEFAULT_MEMORY: Final = 512 << 20
"""The default memory of a bot, in bytes."""
MODULE_MEMORY: Final = 256 << 20
"""The default memory of a WebAssembly module, in bytes."""
DEFAULT_BUNDLE: Final = 32 << 20
"""The default limit on the total size of a bot's files, in bytes."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """What bots may import and use. ``memory`` and ``bundle`` (the size of all files of a bot) are in bytes; None means the default."""

    packages: tuple[str, ...] = ()
    memory: int | None = None
    bundle: int | None = None
    threads: int = 1

    @property
    def most_memory(self) -> int:
        """The memory that a bot may have, in bytes."""
        return DEFAULT_MEMORY if self.memory is None else self.memory

    @property
    def most_bytes(self) -> int:
        """The largest total size of a bot's files, in bytes."""
        return DEFAULT_BUNDLE if self.bundle is None else self.bundle


STANDARD: Final = Runtime()


def normal_name(package: str) -> str:
    """Return the normalised name of a package (PEP 503)."""
    return re.sub(r"[-_.]+", "-", package).lower()


class Level(IntEnum):
    """How far a bot is isolated from its host (docs/sandbox.md), from lowest to highest."""

    NONE = -1
    """In the host's own process, without any sandbox."""
    L0 = 0
    """A separate process with resource limits only: for bots that you trust."""
    L1 = 1
    """seccomp: the bot can't open or inspect files, create processes or reach the network."""
    L2 = 2
    """seccomp and Landlock: a Python bot can't read any files; a command can read only its own files and the system's libraries."""
    L3 = 3
    """L2 within bubblewrap's namespaces, which contain none of the host's processes and only the files that are needed."""

    def __str__(self) -> str:
        return self.name if self is not Level.NONE else "none"

    @classmethod
    def parse(cls, text: str) -> Level:
        """Return the level named ``none``, ``L0``, ``L1``, ``L2`` or ``L3``, in upper or lower case. Raises ValueError for other names."""
        try:
            return cls[text.upper()]
        except KeyError:
            raise ValueError(f"there is no isolation level '{text:.20}'; the levels are {', '.join(map(str, cls))}") from None


def fitting_name(stem: str) -> str:
    """Return a valid bot name for a file or folder with the stem ``stem``: ``my_bot-1`` for ``my_bot (1)``."""
    if BOT_NAME.fullmatch(stem):
        return stem
    ascii_ = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", ascii_).strip("-._")[:40] or stem
