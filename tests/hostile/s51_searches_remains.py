"""Searches its memory for what the zygote has heard of bots that ended before: exit codes, CPU time, how much memory they took."""

import ctypes
import re
from collections.abc import Iterator

from tests.hostile.harness import attempt

PAGE = 4096
REACH = 32 << 20
PROCMASK = 14
TOLD = re.compile(rb'"status": \d+, "cpu"|"peak": \d')
libc = ctypes.CDLL(None, use_errno=True)


def is_readable(page: int) -> bool:
    """Whether something is there: the kernel reads a mask of signals before it refuses what is to be done with it."""
    libc.syscall(PROCMASK, ctypes.c_long(99), ctypes.c_void_p(page), None, ctypes.c_long(8))
    return ctypes.get_errno() != 14  # EFAULT


def pages() -> Iterator[int]:
    """Around the heap of the C library, and around what Python has made last."""
    libc.sbrk.restype = ctypes.c_void_p
    for place in (libc.sbrk(ctypes.c_long(0)) - REACH // 2, id(object())):
        start = (place & -PAGE) - REACH
        for page in range(start, start + 2 * REACH, PAGE):
            if is_readable(page):
                yield page


def scan() -> bytes:
    seen = 0
    for page in pages():
        seen += 1
        if found := TOLD.search(ctypes.string_at(page, PAGE)):
            return found[0]
    raise OSError(f"not found in {seen} pages")


attempt("find what is told of a dead bot", scan)
