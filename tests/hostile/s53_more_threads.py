"""Has more threads than it may, or something like a thread that no limit counts, and wakes those of other processes."""

import ctypes
import mmap
import os
import threading
import time

from tests.hostile.harness import attempt

libc = ctypes.CDLL(None, use_errno=True)
CLONE = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
FUTEX = {"x86_64": 202, "aarch64": 98}[os.uname().machine]
VFORK, SIGCHLD, NEWUSER, WAKE = 0x4000 | 0x100, 17, 0x10000000, 1


def call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def clone(flags):
    pid = call(CLONE, flags, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return pid


def wake_others():
    page = mmap.mmap(-1, 4096)
    return call(FUTEX, ctypes.addressof(ctypes.c_char.from_buffer(page)), WAKE, 1, 0, 0, 0)


def too_many():
    for _ in range(3):
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    return "three more"


attempt("a process by clone", lambda: clone(SIGCHLD))
attempt("a process by clone in memory that is shared", lambda: clone(VFORK | SIGCHLD))
attempt("a process in a user namespace", lambda: clone(NEWUSER | SIGCHLD))
attempt("fork", os.fork)
attempt("wake sleepers of other processes", wake_others)
attempt("three threads more", too_many)
attempt("a process by clone from many threads", lambda: clone(SIGCHLD))
