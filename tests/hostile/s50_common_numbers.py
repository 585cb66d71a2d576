"""Reads, and moves, what the kernel counts for the whole machine: memory, inodes, CPU clocks, sleepers on a page."""

import ctypes
import mmap
import os
import time

from tests.hostile.harness import TARGETS, attempt

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


address = ctypes.cast(libc.getpid, ctypes.c_void_p).value & -mmap.PAGESIZE
attempt("memory and processes of the machine", lambda: check(libc.sysinfo(ctypes.create_string_buffer(256))))
attempt("the inode of a pipe", lambda: os.fstat(0).st_ino)
attempt("the inode of a new pipe", os.pipe)
attempt("another process's CPU clock", lambda: time.clock_gettime((~int(TARGETS["sibling"]) << 3) | 2))
attempt("the parent's CPU clock", lambda: time.clock_gettime((~os.getppid() << 3) | 2))
attempt("another process's session", lambda: os.getsid(int(TARGETS["sibling"])))
attempt("sleepers on a shared page", lambda: check(libc.syscall(202, ctypes.c_void_p(address), 1, 1, None, None, 0)))
attempt("all processors' barriers", lambda: check(libc.syscall(324, 1, 0, 0)))
