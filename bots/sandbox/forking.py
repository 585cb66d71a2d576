"""Quickly forks processes, each alone in its own namespaces. The parent must have a single thread.

Runs inside the zygote, so it imports only the standard library.
"""

from __future__ import annotations

import ctypes
import os
import signal
from typing import Final

from bots.sandbox.lockdown import checked

_CLONE_NEWUSER: Final = 0x10000000
_CLONE_NEWPID: Final = 0x20000000
_FLAGS: Final = _CLONE_NEWUSER | _CLONE_NEWPID | signal.SIGCHLD
_NUMBER: Final = {"x86_64": 56, "aarch64": 220}.get(os.uname().machine)

_clone: Final = ctypes.PyDLL(None, use_errno=True)["syscall"]  # a separate library object, because its calls must keep the GIL
_clone.argtypes = (ctypes.c_long,) * 6
_clone.restype = ctypes.c_long


def fork_alone() -> int:
    """Fork like ``os.fork``, with the child alone in a new user namespace and a new process namespace. Raises OSError if that is refused.

    The child's process limit then counts only its own threads, not other processes of this user, and its pid, 1, does not reveal how many
    processes there were before. The child has all capabilities in its namespace until it calls `lockdown.drop_capabilities`.

    The calling process must have a single thread. Another thread could hold a lock, such as malloc's, and the child would wait for it
    forever.
    """
    if _NUMBER is None:
        raise OSError(f"not supported on {os.uname().machine}")
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
    """Return whether this host lets an ordinary process create namespaces. The calling process must have a single thread."""
    try:
        pid = fork_alone()
    except OSError:
        return False
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True
