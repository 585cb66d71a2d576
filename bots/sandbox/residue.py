"""Attacks on state that the kernel keeps or shares, by which one bot could leave information for another. Runs inside a bot's process.

As in `exploit_checks`, each attack returns what it obtained, or raises the OSError by which it was refused. None has a lasting effect.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from bots.sandbox.landlock import checked

Targets: TypeAlias = Mapping[str, str]

_MIB: Final = 1 << 20
_CACHESTAT: Final = 451
_FUTEX: Final = {"x86_64": 202, "aarch64": 98}
_FUTEX_WAKE: Final = 1
_PAGEOUT: Final = 21
_GROWSDOWN: Final = 0x122  # and private, anonymous
_READ_PRIVATE: Final = 0x4022  # anonymous, without a reservation
_GUARD: Final = 1 << 30
_MOST_THREADS: Final = 200
_FEW_THREADS: Final = 4
_SECONDS: Final = 30.0


def cached(_targets: Targets) -> str:
    """Pass bits through the page cache: write them by dropping pages, read them by querying which pages are cached."""
    libc = ctypes.CDLL(None, use_errno=True)
    page = _page_of(libc)
    seen = ctypes.create_string_buffer(1)
    deeds: tuple[Callable[[], object], ...] = (
        lambda: checked(libc.mincore(page, ctypes.c_size_t(mmap.PAGESIZE), seen)),
        lambda: checked(libc.madvise(page, ctypes.c_size_t(mmap.PAGESIZE), _PAGEOUT)),
        lambda: os.posix_fadvise(os.open(ctypes.__file__, os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED),
        lambda: os.preadv(os.open(ctypes.__file__, os.O_RDONLY), [bytearray(1)], 0, os.RWF_NOWAIT),
        lambda: checked(libc.syscall(_CACHESTAT, os.open(ctypes.__file__, os.O_RDONLY), (ctypes.c_uint64 * 2)(), seen, 0)),
    )
    return first_of(deeds, "the page cache answered")


def grows(_targets: Targets) -> str:
    """Map memory whose growth no limit counts."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    address = libc.mmap(None, ctypes.c_size_t(_MIB), 3, _GROWSDOWN, -1, ctypes.c_long(0))
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return "it was mapped"


def wakes(_targets: Targets) -> str:
    """Signal another process through a page that both have mapped, by how many threads wait on it."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = _FUTEX.get(os.uname().machine)
    if number is None:
        raise OSError("not tried on this architecture")
    checked(libc.syscall(number, _page_of(libc), _FUTEX_WAKE, 1, None, None, 0))
    return "the kernel looked for sleepers"


def machine(_targets: Targets) -> str:
    """Read the memory and the processes of the whole machine, which another bot can change."""
    libc = ctypes.CDLL(None, use_errno=True)
    checked(libc.sysinfo(ctypes.create_string_buffer(256)))
    return "sysinfo answered"


def clocks(targets: Targets) -> str:
    """Read the CPU clock of another process."""
    spent = time.clock_gettime((~int(targets["decoy"]) << 3) | 2)
    return f"it has used {spent:.3f} s"


def numbers(_targets: Targets) -> str:
    """Read a number from a counter of the whole machine, which reveals how often it was used."""
    return f"the inode of a pipe is {os.fstat(0).st_ino}"


def _page_of(libc: ctypes.CDLL) -> ctypes.c_void_p:
    """Return a page of the C library, which all processes have mapped."""
    address = ctypes.cast(libc.getpid, ctypes.c_void_p).value or 0
    return ctypes.c_void_p(address & -mmap.PAGESIZE)


def first_of(deeds: Iterable[Callable[[], object]], got: str) -> str:
    """Try ``deeds`` in turn, and return ``got`` at the first success. Raises the last refusal."""
    failure = OSError("nothing was tried")
    for deed in deeds:
        try:
            deed()
        except OSError as error:
            failure = error
        else:
            return got
    raise failure


def play(payload: bytes) -> None:
    """Play one part of an attack by several bots, with a command's limits: write its result, a number, then wait for the end of input."""
    parts: Mapping[str, Callable[[], int]] = {"hog": _take_threads, "peer": _have_threads, "burner": _burn, "mapper": _map}
    os.write(1, b"%d\n" % parts[payload.decode()]())
    while os.read(0, 1 << 16):
        pass


def _take_threads() -> int:
    """Start as many threads as possible, and return their number."""
    for number in range(_MOST_THREADS):
        try:
            threading.Thread(target=time.sleep, args=(_SECONDS,), daemon=True).start()
        except RuntimeError:
            return number
    return _MOST_THREADS


def _have_threads() -> int:
    """Start the few threads that any runtime needs, and return how many there are."""
    for number in range(_FEW_THREADS):
        try:
            threading.Thread(target=time.sleep, args=(_SECONDS,), daemon=True).start()
        except RuntimeError:
            return number
    return _FEW_THREADS


def _burn() -> int:
    """Start a thread that uses as much CPU time as it can."""
    threading.Thread(target=_spin, daemon=True).start()
    return 1


def _spin() -> None:
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end:
        pass


def _map() -> int:
    """Return how many GiB of addresses can be mapped, up to 256; their page tables would take a 512th of that."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    for number in range(256):
        if libc.mmap(None, ctypes.c_size_t(_GUARD), 1, _READ_PRIVATE, -1, ctypes.c_long(0)) in (None, ctypes.c_void_p(-1).value):
            return number
    return 256
