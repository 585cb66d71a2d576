"""The host's handle to a bot's process: its pipes, signals, resource usage and exit."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, Self

from bots.clock import Delay, cpu_of
from bots.errors import SandboxError
from bots.sandbox.process import OUT_OF_MEMORY

if TYPE_CHECKING:  # it imports this module
    from bots.sandbox.zygote_host import ZygoteHost

_KILL_SECONDS = 10.0


class ExitKind(StrEnum):
    """How a process ended. Each kind leads to a different fault of its bot."""

    EXITED = "exited"
    """The process returned or called exit; ``number`` is the exit code."""
    SIGNALLED = "signalled"
    """A signal ended the process, as in a crash; ``number`` is the signal."""
    OUT_OF_MEMORY = "out of memory"
    CPU_LIMIT = "CPU limit"
    KILLED = "killed"
    """The system killed the process, as happens when memory runs out."""
    HOST = "host"
    """The process couldn't be locked down and never ran the bot, or the zygote was lost; the bot is not at fault."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended, and the resources it used."""

    kind: ExitKind
    number: int
    cpu_seconds: float
    peak_memory: int | None

    def __str__(self) -> str:
        if self.kind is ExitKind.EXITED:
            return f"ended with exit code {self.number}"
        if self.kind is ExitKind.SIGNALLED:
            name = _signal_name(self.number)
            return f"was ended by signal {name}{_HINTS.get(name, '')}"
        texts = {
            ExitKind.OUT_OF_MEMORY: "ran out of memory",
            ExitKind.CPU_LIMIT: "used up its CPU time",
            ExitKind.KILLED: "was killed by the system, as happens when the machine runs out of memory",
            ExitKind.HOST: "was lost by the host",
        }
        return texts[self.kind]

    @classmethod
    def of_status(cls, status: int, cpu_seconds: float, peak_memory: int | None, cpu_limit: float) -> Exit:
        """Return the `Exit` for a status from ``wait``. SIGXCPU means the CPU limit, and so does SIGKILL after ``cpu_limit`` seconds."""
        number = os.waitstatus_to_exitcode(status)
        if number == OUT_OF_MEMORY:
            kind = ExitKind.OUT_OF_MEMORY
        elif number >= 0:
            kind = ExitKind.EXITED
        else:
            number = -number
            is_over = number == signal.SIGXCPU or (number == signal.SIGKILL and cpu_seconds > cpu_limit)
            kind = ExitKind.CPU_LIMIT if is_over else ExitKind.SIGNALLED
        return cls(kind, number, cpu_seconds, peak_memory)


class Child:
    """The process of a bot. ``stdin_fd``, ``stdout_fd`` and ``stderr_fd`` are the host's ends of its pipes, which don't block.

    ``pid`` is for messages only. The process is identified by a pidfd, since pids can be reused.
    """

    def __init__(
        self, zygote: ZygoteHost, number: int, pid: int, pidfd: int | None, pipes: tuple[int, int, int], memory_limit: int
    ) -> None:
        self._zygote = zygote
        self._is_stopped = False
        self._closing = Lock()
        self.memory_limit = memory_limit
        self._number = number
        self._pidfd = pidfd
        self._exit: Exit | None = None
        self._poll = select.poll()
        if pidfd is not None:
            self._poll.register(pidfd, select.POLLIN)
        self.is_closed = False
        self.pid = pid if pidfd is None else _pid_of(pidfd)
        self.stdin_fd, self.stdout_fd, self.stderr_fd = pipes

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Child {self.pid}, {self._exit or 'running'}>"

    def wait(self, seconds: float) -> Exit | None:
        """Wait until the process and its descendants are gone, and return how it ended, or None if that takes longer than ``seconds``."""
        if self._exit is None:
            ended = self._zygote.exit_of(self._number, seconds)
            is_ours = self._is_stopped and ended is not None and ended.kind is ExitKind.KILLED
            self._exit = replace(ended, kind=ExitKind.SIGNALLED) if is_ours and ended is not None else ended
        return self._exit

    def exit_reason(self) -> Exit | None:
        """Return how the process ended, or None if it is still running."""
        return self.wait(0)

    def stop(self) -> None:
        """Kill the process without waiting for its end. This is the only method that may be called from another thread."""
        with self._closing:  # otherwise the descriptor's number might have been reused
            if self._exit is None and not self.is_closed:
                self._is_stopped = True
                self._send(signal.SIGKILL)

    def kill(self) -> Exit:
        """Kill the process and its descendants, and wait until they are gone. Raises SandboxError if that takes over ten seconds."""
        if self._exit is None:
            self.stop()
            if self.wait(_KILL_SECONDS) is None:
                raise SandboxError(f"process {self.pid} was killed but has not ended; check the machine (a hanging disk?)")
        assert self._exit is not None
        return self._exit

    def close(self) -> None:
        """Kill the process and close the pipes. May be called more than once."""
        if self.is_closed:
            return
        try:
            self.kill()
        finally:
            with self._closing:
                self.is_closed = True
                for descriptor in (self.stdin_fd, self.stdout_fd, self.stderr_fd, self._pidfd):
                    if descriptor is not None and descriptor >= 0:
                        os.close(descriptor)
                self._pidfd = None

    def close_stdin(self) -> None:
        """Close the process's standard input, so that it reads an end of file."""
        if self.stdin_fd >= 0 and not self.is_closed:
            os.close(self.stdin_fd)
            self.stdin_fd = -1

    def freeze(self) -> None:
        """Suspend the process, so that it uses no CPU time between decisions. Processes that a command forked at L0 are not suspended."""
        self._send(signal.SIGSTOP)

    def thaw(self) -> None:
        """Resume the process after `freeze`."""
        self._send(signal.SIGCONT)

    def cpu_seconds(self) -> float:
        """Return the CPU time that the process has used so far, or 0 if the system can't tell."""
        if self._exit is None:
            spent = cpu_of(self.pid)
            if spent is not None and not self._is_over():  # the pid is not reused until the process has been waited for
                return spent
        ended = self.wait(_KILL_SECONDS if self._is_over() else 0)
        return ended.cpu_seconds if ended is not None else 0.0

    def peak_memory(self) -> int | None:
        """Return the peak resident memory in bytes, including pages shared with the zygote, or None if unknown."""
        if self.exit_reason() is None:
            for held in _status_of(self.pid, ("VmHWM",)):
                return held
        ended = self.exit_reason()
        return ended.peak_memory if ended is not None else None

    def excess_memory(self) -> int | None:
        """Return the memory of the process in bytes, including page tables, if it exceeds the limit, or else None. This is for processes
        whose memory the kernel can't limit completely."""
        held = sum(_status_of(self.pid, ("RssAnon", "RssShmem", "VmSwap", "VmPTE")))
        return held if held > self.memory_limit else None

    def is_large(self, ended: Exit) -> bool:
        """Return whether the process's peak memory was more than half of its limit."""
        return ended.peak_memory is not None and ended.peak_memory > self.memory_limit // 2

    def delay(self) -> Delay:
        """Return a `Delay` that measures how long the process waits for a processor from now on."""
        return Delay(self.pid)

    def _is_over(self) -> bool:
        if self._exit is not None:
            return True
        if self._pidfd is None:
            return self.exit_reason() is not None
        return bool(self._poll.poll(0))

    def _send(self, which: signal.Signals) -> None:
        try:
            if self._pidfd is not None:
                signal.pidfd_send_signal(self._pidfd, which)
            elif self.exit_reason() is None:
                os.kill(self.pid, which)
        except ProcessLookupError:  # contextlib.suppress would take longer than the signal
            return


def _pid_of(pidfd: int) -> int:
    """Return the pid in this process's namespace, or -1 if the process has ended."""
    with contextlib.suppress(OSError):
        file = os.open(f"/proc/self/fdinfo/{pidfd}", os.O_RDONLY | os.O_CLOEXEC)
        try:
            _, _, rest = os.read(file, 4096).partition(b"\nPid:")
        finally:
            os.close(file)
        return int(rest.split(maxsplit=1)[0]) if rest else -1
    return -1


def _status_of(pid: int, fields: Sequence[str]) -> list[int]:
    """Return these fields of /proc/PID/status in bytes. The list is empty if the process has ended or the system has no such fields."""
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace").splitlines()
        return [int(line.split()[1]) * 1024 for line in lines if line.partition(":")[0] in fields]
    return []


_HINTS: Final[dict[str, str]] = {
    "SIGSEGV": ": it accessed invalid memory, usually in a C library; 'python -X faulthandler' on your own machine shows where",
    "SIGABRT": ": it aborted, as C libraries do when something is wrong; its log may say what",
    "SIGFPE": ": it divided by zero, usually in a C library",
    "SIGILL": ": it was built for a different processor",
    "SIGSYS": ": it made a system call that bots must not make",
}
"""Explanations of signals for authors of bots."""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
