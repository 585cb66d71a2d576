"""Landlock by its three system calls: limits on what a process may reach in the file system, by TCP, and by signals.

`lockdown` builds the rules with it. The `landlock` package on PyPI supports neither network nor signals; the numbers are those of the
kernel's userspace-api/landlock.rst.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from typing import Final

# The numbers of the system calls are the same on every architecture since Linux 5.13.
_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_CREATE_VERSION: Final = 1
_RULE_PATH_BENEATH: Final = 1

EXECUTE: Final = 1 << 0
WRITE_FILE: Final = 1 << 1
READ_FILE: Final = 1 << 2
READ_DIR: Final = 1 << 3
_OF_A_FILE: Final = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14 | 1 << 15

_ALL_OF_FILES: Final = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_ALL_OF_TCP: Final = 0b11
_ALL_SCOPES: Final = 0b11  # abstract unix sockets and signals

libc: Final = ctypes.CDLL(None, use_errno=True)


class _RulesetAttributes(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def abi() -> int:
    """Return the kernel's version of Landlock, 0 if it has none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _CREATE_VERSION)))


class Ruleset:
    """Forbids everything that the kernel can forbid, except accesses allowed here. Holds a descriptor until it is closed."""

    def __init__(self) -> None:
        version = abi()
        if not version:
            raise OSError("the kernel has no Landlock")
        self._files = _ALL_OF_FILES[min(version, max(_ALL_OF_FILES))]
        attributes = _RulesetAttributes(self._files, _ALL_OF_TCP if version >= 4 else 0, _ALL_SCOPES if version >= 6 else 0)
        size = 8 if version < 4 else 16 if version < 6 else 24
        self.fd = checked(libc.syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), 0))

    def allow(self, path: str, rights: int) -> None:
        """Allow ``rights`` on a file, or on everything in a directory; a missing path allows nothing. Raises OSError."""
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return
        try:
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                rights &= _OF_A_FILE
            rule = _PathBeneath(rights & self._files, fd)
            if rule.allowed:
                checked(libc.syscall(_ADD_RULE, self.fd, _RULE_PATH_BENEATH, ctypes.byref(rule), 0))
        finally:
            os.close(fd)

    def restrict_self(self) -> None:
        """Restrict this thread, and all it starts from now on, permanently. Needs PR_SET_NO_NEW_PRIVS. Raises OSError."""
        checked(libc.syscall(_RESTRICT_SELF, self.fd, 0))

    def close(self) -> None:
        """Close the descriptor; restricted threads stay restricted."""
        os.close(self.fd)


def checked(result: int, what: str = "") -> int:
    """Return the result of a C library function. Raises OSError if it is negative, saying ``what`` failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, what + os.strerror(number))
    return result
