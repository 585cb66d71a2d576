"""The sandbox of a worker, which starts zygotes at an isolation level and makes them fork bots."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Final, Self

from bots.errors import SandboxError
from bots.limits import Level, Limits
from bots.sandbox.child import Child
from bots.sandbox.process import pack_command
from bots.sandbox.zygote_host import SandboxConfig, ZygoteHost, start_zygote


class Sandbox:
    """Starts bots at one isolation level, never at a lower one. Its methods may be called from any thread. If the host runs as root, bots
    run as `NOBODY`.

    - ``preload``: modules to import before the first bot. Above L0, Python bots can import only the standard library, the packages of these
      modules, and ``shown``, all from memory; of compiled modules, only those that were imported before the first bot.
    - ``shown``: further top-level modules that Python bots may import
    - ``preparation``: a preloaded function, and the string with which it is called once, before anything is locked down. The function may
      import any installed modules, which Python bots then have in memory.
    - ``loaded``: modules in ``shown`` that are imported before the first bot starts
    - ``core``: the core that bots run on, or None for any
    """

    def __init__(
        self,
        level: Level,
        *,
        limits: Limits | None = None,
        preload: Sequence[str] = (),
        shown: Sequence[str] = (),
        preparation: tuple[str, str] = ("", ""),
        loaded: Sequence[str] = (),
    ) -> None:
        if level is Level.NONE:
            raise ValueError("a bot in the host's own process needs no sandbox")
        self.level = level
        self.core: int | None = None
        self._config = SandboxConfig(level, limits or Limits(), tuple(preload), tuple(shown), *preparation, tuple(loaded))
        self._host: ZygoteHost | None = None
        self._command_host: ZygoteHost | None = None
        """The zygote for commands, and for native code if children are not alone in namespaces, because their thread limits then depend on
        other children."""
        self._children: dict[int, Child] = {}
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the zygote now, so that the first bot doesn't have to wait for it. Raises SandboxError."""
        with self._lock:
            self._living_host()

    def spawn(self, entry: str, payload: bytes, *, cpu_seconds: int | None = None, is_native: bool = False) -> Child:
        """Start a locked-down process that calls the preloaded function ``entry`` (``module:function``) with ``payload``.

        ``cpu_seconds`` overrides the sandbox's own limit of CPU time; -1 means no limit. With ``is_native``, the process has the limits and
        system calls of a command, including threads, to test what a command could do. Raises SandboxError.
        """
        module, _, function = entry.partition(":")
        if not module or not function:
            raise ValueError(f"'{entry}' must have the form module:function")
        return self._spawn(entry, payload, cpu_seconds, is_native=is_native)

    def spawn_command(self, argv: Sequence[str], files: Mapping[str, bytes], *, cpu_seconds: int | None = None) -> Child:
        """Start a locked-down process that executes a command, with its files in a read-only working directory.

        ``argv[0]`` is one of the files or a program on the host's PATH; ``cpu_seconds`` is the same as in `spawn`. Raises SandboxError if
        the command can't be run at this level.
        """
        if self.level is Level.L1:
            raise SandboxError(
                "at L1 a bot that is a program can't be played, since nothing can be executed; use L2 or L3, or L0 if you trust the bot"
            )
        _check_files(files, self._config.limits.files)
        return self._spawn("", pack_command(argv, self._find_program(argv, files), files), cpu_seconds, is_command=True)

    def close(self) -> None:
        """End all bots and zygotes. The sandbox can be used again afterwards."""
        with self._lock:
            for child in list(self._children.values()):
                child.close()
            self._children.clear()
            for host in (self._host, self._command_host):
                if host is not None:
                    host.close()
            self._host = self._command_host = None

    def _spawn(self, entry: str, payload: bytes, cpu_seconds: int | None, *, is_command: bool = False, is_native: bool = False) -> Child:
        with self._lock:
            shares = not is_command and (not is_native or self._living_host().is_alone)
            host = self._living_host() if shares else self._living_command_host()
            number = secrets.randbits(62)  # a random number does not reveal how many bots were started before
            seconds = self._config.limits.cpu_seconds if cpu_seconds is None else cpu_seconds
            child = host.spawn(number, entry, payload, is_command=is_command, is_native=is_native, core=self.core, cpu_seconds=seconds)
            self._children = {each: known for each, known in self._children.items() if not known.is_closed}
            self._children[number] = child
            return child

    def _living_host(self) -> ZygoteHost:
        self._host = host = self._living(self._host, self._config)
        return host

    def _living_command_host(self) -> ZygoteHost:
        config = replace(self._config, shown=(), preparation="", loaded=())
        self._command_host = host = self._living(self._command_host, config)
        return host

    @staticmethod
    def _living(host: ZygoteHost | None, config: SandboxConfig) -> ZygoteHost:
        if host is not None and not host.is_alive():
            host.close()
            host = None
        return host or start_zygote(config)

    def _find_program(self, argv: Sequence[str], files: Mapping[str, bytes]) -> str:
        if not argv or any("\0" in word for word in argv):
            raise SandboxError("a command must name a program and must not contain null characters")
        if str(PurePosixPath(argv[0])) in files:
            return ""
        program = shutil.which(argv[0]) if "/" not in argv[0] else None
        if program is None:
            raise SandboxError(f"the program '{argv[0]:.60}' is neither among the bot's files nor on this host's PATH")
        real = os.path.realpath(program)
        if self.level is Level.L3 and not Path(real).is_relative_to("/usr"):
            raise SandboxError(f"the program {real} is outside /usr, so isolated bots can't see it; install it in /usr")
        return real


def _check_files(files: Mapping[str, bytes], most: int) -> None:
    if sum(map(len, files.values())) > most:
        raise SandboxError(f"a bot's files must not exceed {most / (1 << 20):g} MiB in total")
    for name in files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name or str(path) != name:
            raise SandboxError(f"'{name:.60}' is not a valid path for a bot's file: give a plain path within the bot's folder")


_CORE_NAME: Final = "\0tile-arena-core-{}"


class CoreClaim:
    """A claim to a core, visible to all workers on this machine. The thread is bound to the core until `release`.

    A worker and its bots take turns, and switching between them on one core is faster than waking up a different core.
    """

    def __init__(self, core: int, claim: socket.socket, before: frozenset[int]) -> None:
        self.core: Final = core
        self._claim = claim
        self._before = before

    def release(self) -> None:
        """Let this thread run on any core again, and release the core for other workers. May be called more than once."""
        if self._claim.fileno() >= 0:
            self._claim.close()
            os.sched_setaffinity(0, self._before)


def claim_core() -> CoreClaim | None:
    """Bind this thread to a core that no other worker has claimed. Return None if there is only one core, if no core is free, or if threads
    can't be bound on this system.

    The claim is an abstract socket name (Linux, unix(7)), so it always ends with the process.
    """
    if sys.platform != "linux":
        return None
    allowed = frozenset(os.sched_getaffinity(0))
    if len(allowed) < 2:
        return None
    for core in sorted(allowed, reverse=True):  # machines handle their devices on the first cores
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(_CORE_NAME.format(core))
            os.sched_setaffinity(0, {core})
        except OSError:  # claimed by another worker, or offline by now
            claim.close()
            continue
        return CoreClaim(core, claim, allowed)
    return None
