"""STAND-IN until the branch `sandbox` is merged: level L0 only, a plain child process with rlimits. Drop this commit then."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from pathlib import Path
from types import TracebackType
from typing import Self

_RUN = """
import importlib, os, sys
size = int.from_bytes(os.read(0, 8), "big")
payload = b""
while len(payload) < size:
    payload += os.read(0, size - len(payload))
module, _, function = sys.argv[1].partition(":")
getattr(importlib.import_module(module), function)(payload)
"""


class Level(IntEnum):
    """How well a bot is locked in."""

    NONE = -1
    L0 = 0
    L1 = 1
    L2 = 2
    L3 = 3

    def __str__(self) -> str:
        return self.name if self is not Level.NONE else "none"

    @classmethod
    def parse(cls, text: str) -> Level:
        """The level of that name. Raises ValueError."""
        try:
            return cls[text.upper()]
        except KeyError:
            raise ValueError(f"there is no isolation level '{text:.20}'; there is {', '.join(map(str, cls))}") from None


class ExitKind(StrEnum):
    """How a process ended."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    OUT_OF_MEMORY = "out of memory"
    CPU_LIMIT = "CPU limit"
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended, and what it had used."""

    kind: ExitKind
    number: int

    def __str__(self) -> str:
        if self.kind is ExitKind.EXITED:
            return f"ended with exit code {self.number}"
        return f"was ended by signal {signal.Signals(self.number).name}"


class SandboxError(Exception):
    """The sandbox can't be started, or has broken: no bot's fault."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot's process may use at most."""

    memory: int = 512 * 1024 * 1024
    cpu: int = 3600
    file_size: int = 0
    processes: int | None = None


def best_level() -> Level:
    """The best level this machine offers."""
    return Level.L0


class Sandbox:
    """Starts bots' processes at one level."""

    def __init__(self, level: Level, *, limits: Limits | None = None, preload: Sequence[str] = ()) -> None:
        self.level = level
        self.limits = limits or Limits()
        self._folders: list[tempfile.TemporaryDirectory[str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End what it holds."""
        for folder in self._folders:
            folder.cleanup()

    def spawn(self, entry: str, payload: bytes) -> Child:
        """A child that calls the function ``module:function`` with the payload."""
        child = self._start([sys.executable, "-c", _RUN, entry], None, resource.RLIMIT_AS)
        os.set_blocking(child.stdin_fd, True)
        os.write(child.stdin_fd, len(payload).to_bytes(8, "big"))
        view = memoryview(payload)
        while view:
            view = view[os.write(child.stdin_fd, view) :]
        os.set_blocking(child.stdin_fd, False)
        return child

    def spawn_command(self, argv: Sequence[str], files: Mapping[str, bytes]) -> Child:
        """A child that runs a command in a folder with these files."""
        folder = tempfile.TemporaryDirectory(prefix="bot-")
        self._folders.append(folder)
        for name, data in files.items():
            path = Path(folder.name, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(0o700)
        return self._start(list(argv), folder.name, resource.RLIMIT_DATA)

    def _start(self, argv: list[str], folder: str | None, memory: int) -> Child:
        limits = self.limits

        def limit() -> None:
            resource.setrlimit(memory, (limits.memory, limits.memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        try:
            process = subprocess.Popen(  # noqa: S603  # running a bot is the point
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                bufsize=0,
                start_new_session=True,
                preexec_fn=limit,  # noqa: PLW1509  # the caller has no threads
            )
        except OSError as error:
            raise SandboxError(f"{argv[0]} can't be started: {error.strerror}") from None
        return Child(process)


class Child:
    """A bot's process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self.pid = process.pid
        self.stdin_fd = process.stdin.fileno()
        self.stdout_fd = process.stdout.fileno()
        self.stderr_fd = process.stderr.fileno()
        for fd in (self.stdin_fd, self.stdout_fd, self.stderr_fd):
            os.set_blocking(fd, False)
        self._cpu = 0.0
        self._peak = 0

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def kill(self) -> None:
        """End the process and all it has started; may be called more than once."""
        if self._process.stdin is None or self._process.stdin.closed:
            return
        self.cpu_seconds()
        self.peak_memory()
        self._signal(signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()

    def cpu_seconds(self) -> float:
        """The CPU time used so far."""
        with contextlib.suppress(OSError):
            self._cpu = time.clock_gettime((~self.pid << 3) | 2)
        return self._cpu

    def peak_memory(self) -> int:
        """The most memory it has had, in bytes."""
        with contextlib.suppress(OSError, IndexError):
            status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
            self._peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
        return self._peak

    def exit_reason(self) -> Exit | None:
        """How it ended; None while it runs."""
        code = self._process.poll()
        if code is None:
            return None
        return Exit(ExitKind.SIGNALLED, -code) if code < 0 else Exit(ExitKind.EXITED, code)

    def close(self) -> None:
        """Kill it and let go of the pipes."""
        self.kill()

    def freeze(self) -> None:
        """Stop it for now."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)
