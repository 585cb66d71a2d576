"""Keeps bits in the page cache for a later match, or reads what an earlier one has left there."""

import ctypes
import ctypes.util
import mmap
import os
import sys
import sysconfig

from tests.hostile.harness import attempt

libc = ctypes.CDLL(None, use_errno=True)
FILES = [os.__file__, sys.executable or "/usr/bin/env", os.path.join(sysconfig.get_path("stdlib"), "this.py"), "/usr/lib/os-release"]
ADVICE = {"WILLNEED": 3, "SEQUENTIAL": 2, "REMOVE": 9, "COLD": 20, "PAGEOUT": 21, "POPULATE_READ": 22, "COLLAPSE": 25, "HUGEPAGE": 14}


def check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def opened() -> int:
    for path in FILES:
        try:
            return os.open(path, os.O_RDONLY)
        except OSError as error:
            last = error
    raise last


address = ctypes.cast(libc.getpid, ctypes.c_void_p).value & -mmap.PAGESIZE
page, size, seen = ctypes.c_void_p(address), ctypes.c_size_t(mmap.PAGESIZE), ctypes.create_string_buffer(64)

attempt("open a file", opened)
attempt("list a folder", lambda: os.listdir("/usr/lib"))
attempt("drop a file's pages", lambda: os.posix_fadvise(opened(), 0, 0, os.POSIX_FADV_DONTNEED))
attempt("drop a pipe's pages", lambda: check(libc.posix_fadvise(0, 0, 0, 4) and -1))
attempt("ask whether a page is there", lambda: os.preadv(opened(), [bytearray(1)], 0, os.RWF_NOWAIT))
attempt("ask it of a mapped page", lambda: check(libc.mincore(page, size, seen)))
attempt("ask it of all pages", lambda: check(libc.syscall(451, opened(), seen, seen, 0)))
attempt("count major faults", lambda: check(libc.getrusage(0, ctypes.create_string_buffer(256))))
attempt("read ahead", lambda: check(libc.readahead(opened(), ctypes.c_long(0), size)))
for name, number in ADVICE.items():
    attempt(f"madvise {name}", lambda number=number: check(libc.madvise(page, size, number)))
