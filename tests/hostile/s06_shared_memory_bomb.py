"""Takes memory that is shared, or a file in memory, which simple limits don't count."""

import mmap
import os

from tests.hostile.harness import attempt

GIB = 1 << 30


def shared() -> int:
    hoard = []
    for _ in range(2 * 16):
        block = mmap.mmap(-1, GIB // 16)
        block[0] = 1
        hoard.append(block)
    return len(hoard)


def file_in_memory() -> int:
    return os.ftruncate(os.memfd_create("hoard"), 2 * GIB) or 2 * GIB


attempt("2 GiB of shared memory", shared)
attempt("a file of 2 GiB in memory", file_in_memory)
