"""Traces the host, its parent and the bot it plays against, and reads their memory."""

import ctypes
import os

from tests.hostile.harness import TARGETS, attempt

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
PROCESS_VM_READV, PROCESS_VM_WRITEV, PIDFD_GETFD = 310, 311, 438
libc = ctypes.CDLL(None, use_errno=True)


def call(*arguments: object) -> int:
    result = libc.syscall(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


room = ctypes.create_string_buffer(8)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(room), 8)
for name in ("host", "sibling"):
    pid = int(TARGETS[name])
    attempt(f"seize the {name}", lambda pid=pid: call(101, PTRACE_SEIZE, pid, None, None))
    attempt(f"attach to the {name}", lambda pid=pid: call(101, PTRACE_ATTACH, pid, None, None))
    attempt(f"read the {name}", lambda pid=pid: call(PROCESS_VM_READV, pid, vector, 1, vector, 1, 0))
    attempt(f"write the {name}", lambda pid=pid: call(PROCESS_VM_WRITEV, pid, vector, 1, vector, 1, 0))
    attempt(f"take a descriptor of the {name}", lambda pid=pid: call(PIDFD_GETFD, os.pidfd_open(pid), 0, 0))
