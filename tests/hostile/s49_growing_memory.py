"""Maps memory that no limit counts, or that comes out of what the machine has only once."""

import ctypes
import os

from tests.hostile.harness import attempt

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
KINDS = {"GROWSDOWN": 0x100, "LOCKED": 0x2000, "POPULATE": 0x8000, "HUGETLB": 0x40000}


def mapped(flags: int, size: int = 1 << 21) -> int:
    found = libc.mmap(None, ctypes.c_size_t(size), 3, 0x22 | flags, -1, ctypes.c_long(0))
    if found in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return found


def grow_by_mprotect() -> int:
    place = ctypes.c_void_p(mapped(0))
    if libc.mprotect(place, ctypes.c_size_t(4096), 3 | 0x01000000) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return 0


for name, flag in KINDS.items():
    attempt(f"MAP_{name}", lambda flag=flag: mapped(flag))
attempt("PROT_GROWSDOWN", grow_by_mprotect)
attempt("40 GiB of addresses", lambda: mapped(0x4000, 40 << 30))
