"""Processes and folders that are over: finding, waiting for, ending and removing them. It knows no bots."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
from pathlib import Path


def bury_one() -> tuple[int, int, resource.struct_rusage] | None:
    """Wait for a child that has ended, and kill its group: its number, status and usage. None if none has ended."""
    try:
        if not hasattr(os, "waitid"):  # macOS
            found, status, usage = os.wait4(-1, os.WNOHANG)
            kill_group(found)
            return (found, status, usage) if found else None
        peeked = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if peeked is None:
            return None
        kill_group(peeked.si_pid)  # before it is waited for, so that the number is still its own
        return os.wait4(peeked.si_pid, 0)
    except ChildProcessError:
        return None


def kill_group(leader: int) -> None:
    """Kill whatever is left of a child's process group."""
    if leader:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


def children_of(pid: int) -> set[int]:
    """The children of a process with one thread; none where the system doesn't tell."""
    try:
        return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()))
    except OSError:
        return set()  # not Linux, or built without it


def remove(folder: str) -> None:
    """Remove a folder and what is in it, bottom up, whatever its modes."""
    for path, _, files in os.walk(folder, topdown=True):
        Path(path).chmod(0o700)
        for name in files:
            Path(path, name).unlink(missing_ok=True)
    for path, _, _ in os.walk(folder, topdown=False):
        Path(path).rmdir()


def watch(pid: int) -> list[int]:
    """A descriptor that stands for a process, where the system has such."""
    try:
        return [os.pidfd_open(pid)] if hasattr(os, "pidfd_open") else []
    except OSError:  # a kernel before 5.3
        return []
