"""Reaps processes that have ended, kills what is left of their process groups, and removes their files."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import Final


class _Information(ctypes.Structure):
    """``siginfo_t`` of waitid on 64-bit Linux."""

    _fields_ = (("before", ctypes.c_int * 4), ("pid", ctypes.c_int), ("rest", ctypes.c_int * 27))


class ExitRecord(ctypes.Structure):
    """How a process ended: its status from ``wait``, and ``struct rusage``.

    A zygote passes a record on as raw bytes and then wipes it, without creating Python objects from it. Values that a bot can choose, such
    as its exit code and its peak memory, must not stay in memory that later bots inherit.
    """

    _fields_ = (("status", ctypes.c_long), ("times", ctypes.c_long * 4), ("peak", ctypes.c_long), ("rest", ctypes.c_long * 13))

    def figures(self) -> tuple[int, float, int]:
        """Return the status, the CPU seconds and the peak resident memory in bytes. Only the host may call this."""
        seconds, microseconds = self.times[0] + self.times[2], self.times[1] + self.times[3]
        return self.status, seconds + microseconds / 1e6, self.peak * (1 if sys.platform == "darwin" else 1024)

    def wipe(self) -> None:
        """Overwrite the record with zeros."""
        ctypes.memset(ctypes.byref(self), 0, ctypes.sizeof(self))


_libc: Final = ctypes.CDLL(None, use_errno=True)
_NO_STOPS: Final = 1  # SA_NOCLDSTOP


def reap_one(record: ExitRecord) -> int:
    """Reap a child that has ended, kill its process group and fill in ``record``. Return the child's pid, or 0 if none has ended."""
    if sys.platform != "linux":
        return _reap_portably(record)
    information = _Information()
    try:
        if _libc.waitid(os.P_ALL, 0, ctypes.byref(information), os.WEXITED | os.WNOHANG | os.WNOWAIT) < 0 or not information.pid:
            return 0
        pid: int = information.pid
    finally:
        ctypes.memset(ctypes.byref(information), 0, ctypes.sizeof(information))
    kill_group(pid)  # before the wait, so that the pid is not reused yet
    _libc.wait4(pid, ctypes.byref(record), 0, ctypes.byref(record, ExitRecord.times.offset))
    return pid


def _reap_portably(record: ExitRecord) -> int:
    try:
        pid, status, usage = os.wait4(-1, os.WNOHANG)
    except ChildProcessError:
        return 0
    if pid:
        kill_group(pid)
        record.status, record.peak = status, usage.ru_maxrss
        record.times[0], record.times[1] = divmod(int(1e6 * (usage.ru_utime + usage.ru_stime)), 10**6)
    return pid


class _Action(ctypes.Structure):
    """``struct sigaction`` of the C library."""

    _fields_ = (("handler", ctypes.c_void_p), ("mask", ctypes.c_char * 128), ("flags", ctypes.c_int), ("restorer", ctypes.c_void_p))


def ignore_stops() -> None:
    """Make SIGCHLD report only children that have ended, not children that were frozen or thawed. A SIGCHLD handler must be set first."""
    if sys.platform == "linux":
        action = _Action()
        if _libc.sigaction(signal.SIGCHLD, None, ctypes.byref(action)) == 0:
            action.flags |= _NO_STOPS
            _libc.sigaction(signal.SIGCHLD, ctypes.byref(action), None)


def kill_group(leader: int) -> None:
    """Kill whatever is left of a child's process group."""
    if leader:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


def children_of(pid: int) -> set[int]:
    """Return the pids of the children of a single-threaded process, or an empty set if the system doesn't report them."""
    try:
        return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()))
    except OSError:
        return set()  # not Linux, or a kernel built without this file


def remove(folder: str) -> None:
    """Remove a folder and everything in it, whatever the file modes are."""
    for path, _, files in os.walk(folder, topdown=True):
        Path(path).chmod(0o700)
        for name in files:
            Path(path, name).unlink(missing_ok=True)
    for path, _, _ in os.walk(folder, topdown=False):
        Path(path).rmdir()


def watch(pid: int) -> list[int]:
    """Return a list with a pidfd of a process, or an empty list if the system has no pidfds."""
    try:
        return [os.pidfd_open(pid)] if hasattr(os, "pidfd_open") else []
    except OSError:  # a kernel before 5.3
        return []
