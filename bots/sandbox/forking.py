"""Forks processes that are alone in separate namespaces, as cheaply as a process with one thread can.

Runs inside the zygote, so it imports nothing but the standard library.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, Final

from bots.sandbox.lockdown import checked

_CLONE_NEWUSER: Final = 0x10000000
_CLONE_NEWPID: Final = 0x20000000
_FLAGS: Final = _CLONE_NEWUSER | _CLONE_NEWPID | signal.SIGCHLD
_NUMBER: Final = {"x86_64": 56, "aarch64": 220}.get(os.uname().machine)

_clone: Final = ctypes.PyDLL(None, use_errno=True)["syscall"]  # a separate library object, whose calls keep the GIL
_clone.argtypes = (ctypes.c_long,) * 6
_clone.restype = ctypes.c_long


def fork_alone(*, runs_hooks: bool = True) -> int:
    """Fork as ``os.fork`` does, with the child alone in a user and a process namespace of its own. Raises OSError if that is refused.

    The limit of processes then counts only the child's threads, independent of other processes of this user, and its pid, 1, does not
    reveal the number of earlier processes. The child holds the capabilities of its namespace until `lockdown.drop_capabilities`.

    This requires a process with a single thread: another could hold a lock, of memory for one, which the child would wait for without end.
    Without ``runs_hooks``, Python's hooks for forks don't run, so that the child copies fewer pages, but has to seed `random` itself.
    """
    if _NUMBER is None:
        raise OSError(f"not known on {os.uname().machine}")
    if not runs_hooks:
        return checked(_clone(_NUMBER, _FLAGS, 0, 0, 0, 0))
    ctypes.pythonapi.PyOS_BeforeFork()
    pid = int(_clone(_NUMBER, _FLAGS, 0, 0, 0, 0))
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
        return 0
    error = ctypes.get_errno()
    ctypes.pythonapi.PyOS_AfterFork_Parent()
    ctypes.set_errno(error)
    return checked(pid)


def can_be_alone() -> bool:
    """Return whether this host lets an ordinary process make namespaces. The calling process must have a single thread."""
    try:
        pid = fork_alone()
    except OSError:
        return False
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True


class ForkHooks:
    """Records whether any module outside the standard library registers a hook for forks, until it is closed.

    Hooks of the standard library don't count: they recreate locks that no other thread can hold here, and seed `random`.
    """

    def __init__(self) -> None:
        self.are_needed = False
        self._register: Callable[..., None] = os.register_at_fork
        os.register_at_fork = self._note

    def _note(self, **hooks: Any) -> None:
        # A compiled module registers while importlib loads it.
        who = str(sys._getframe(1).f_globals.get("__name__", "")).partition(".")[0]  # noqa: SLF001  # the caller's module
        if who == "importlib" or who not in sys.stdlib_module_names:
            self.are_needed = True
        self._register(**hooks)

    def close(self) -> None:
        """Stop recording."""
        os.register_at_fork = self._register
