"""Locks a process down before it runs a stranger's code: the process permanently gives up root, its rights and most system calls.

Runs inside the zygote and its children, so it imports only the standard library. The host decides what is allowed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

# Landlock, through its three system calls, restricts a process's access to the file system, TCP and signals. The `landlock` package on PyPI
# supports neither network nor signals. Constants are from the kernel's userspace-api/landlock.rst; system call numbers are the same on
# every architecture (since Linux 5.13).
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
    """Return the kernel's version of Landlock, or 0 if it has none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _CREATE_VERSION)))


class Ruleset:
    """Landlock rules that forbid everything except what `allow` permits. A ruleset holds a file descriptor until it is closed."""

    def __init__(self) -> None:
        version = abi()
        if not version:
            raise OSError("the kernel has no Landlock")
        self._files = _ALL_OF_FILES[min(version, max(_ALL_OF_FILES))]
        attributes = _RulesetAttributes(self._files, _ALL_OF_TCP if version >= 4 else 0, _ALL_SCOPES if version >= 6 else 0)
        size = 8 if version < 4 else 16 if version < 6 else 24
        self.fd = checked(libc.syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), 0))

    def allow(self, path: str, rights: int) -> None:
        """Allow ``rights`` on a file or on everything in a directory. A path that can't be opened is ignored. Raises OSError."""
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
        """Permanently restrict this thread and everything that it starts from now on. Requires PR_SET_NO_NEW_PRIVS. Raises OSError."""
        checked(libc.syscall(_RESTRICT_SELF, self.fd, 0))

    def close(self) -> None:
        """Close the descriptor. Restricted threads stay restricted."""
        os.close(self.fd)


def checked(result: int, what: str = "") -> int:
    """Return the result of a C library function. Raises OSError, with ``what`` before the message, if the result is negative."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, what + os.strerror(number))
    return result


JAIL: Final = "/jail"
"""The directory inside the namespaces that Python bots see as their root directory. It contains only a few devices."""
DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
"""Devices that store no data."""

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_SECCOMP: Final = 22
_PR_SET_CHILD_SUBREAPER: Final = 36
_PR_SET_NO_NEW_PRIVS: Final = 38
_SECCOMP_MODE_FILTER: Final = 2
_SIZE_OF_INSTRUCTION: Final = 8
_CLONE_THREAD: Final = 0x00010000
_CAPSET: Final = {"x86_64": 126, "aarch64": 91}
_SECCOMP: Final = {"x86_64": 317, "aarch64": 277}
_NEW_LISTENER: Final = 8
_CAPABILITIES_VERSION_3: Final = 0x20080522

_IS_LINUX: Final = sys.platform == "linux"
libc.prctl.argtypes = (ctypes.c_int, *4 * (ctypes.c_ulong,))

# Structures that a child passes to the kernel are created once, in the zygote, since creating them in each child would copy memory pages.
_MACHINE: Final = os.uname().machine
_NO_CAPABILITIES: Final = ((ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION_3, 0), (ctypes.c_uint32 * 6)())


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


class Filter:
    """A seccomp filter in the form that the kernel loads."""

    def __init__(self, program: bytes) -> None:
        self._instructions = ctypes.create_string_buffer(program, len(program))
        self._program = _Program(len(program) // _SIZE_OF_INSTRUCTION, ctypes.cast(self._instructions, ctypes.c_void_p))
        self._address = ctypes.addressof(self._program)

    def load(self) -> None:
        """Load the filter into this thread, permanently. Raises OSError."""
        checked(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, self._address, 0, 0), "seccomp: ")

    def load_with_listener(self) -> int:
        """Load this filter, which reports calls to a listener before they run, and return the listener's descriptor. Raises OSError."""
        number = ctypes.c_long(_SECCOMP[_MACHINE])
        arguments = (ctypes.c_long(1), ctypes.c_long(_NEW_LISTENER), ctypes.c_void_p(self._address))
        return checked(libc.syscall(number, *arguments), "seccomp: ")


def _prctl(option: int, value: int) -> None:
    checked(libc.prctl(option, value, 0, 0, 0), f"prctl {option}: ")


def bind(core: int) -> None:
    """Bind this process to a core if that is permitted. Do nothing for -1."""
    if core >= 0:
        with suppress(OSError, AttributeError):  # macOS has no such call
            os.sched_setaffinity(0, {core})


def drop_to(user: int) -> None:
    """If this process is root, permanently become user and group number ``user``. Raises OSError if that is refused or could be undone."""
    if os.geteuid() != 0:
        return
    if not hasattr(os, "setresuid"):
        raise PermissionError("root can't be given up permanently on this system, and bots never run as root")
    try:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    except OSError as error:
        raise PermissionError(f"root can't become user {user} on this system ({error.strerror}), and bots never run as root") from None
    if 0 in os.getresuid() or 0 in os.getresgid():
        raise PermissionError("still root after giving it up")


def close_to_others() -> None:
    """Forbid gaining privileges with exec, and forbid core dumps, ptrace and access to /proc/PID/mem by processes of the same user."""
    if _IS_LINUX:
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
        _prctl(_PR_SET_DUMPABLE, 0)


def adopt_orphans() -> None:
    """Become the parent of processes orphaned by this process's children, where the system supports that."""
    if _IS_LINUX:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with(parent: int) -> None:
    """Make this process end when its parent ends. The parent must have a single thread, since the kernel watches the thread that forked.

    ``parent`` is the parent's pid, or 0 in a process created by `forking.fork_alone`, which can't see its parent.
    """
    if _IS_LINUX:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def has_one_thread() -> bool:
    """Return whether this process has a single thread, using a system call that fails in a process with several threads."""
    return not _IS_LINUX or libc.unshare(_CLONE_THREAD) == 0


def drop_capabilities() -> None:
    """Drop the capabilities that this process got from `forking.fork_alone`. Raises OSError."""
    checked(libc.syscall(_CAPSET[_MACHINE], *_NO_CAPABILITIES), "capset: ")


def rules_for_python() -> Ruleset:
    """Return rules that allow access to harmless devices but to no files, since the modules of a Python bot are in memory."""
    rules = Ruleset()
    _allow_devices(rules)
    return rules


def rules_for_command(own: str, program: str, loaders: Iterable[str], readable: Iterable[str]) -> Ruleset:
    """Return rules that allow running ``program`` with its loader, and reading its ``own`` folder and the ``readable`` paths."""
    rules = Ruleset()
    rules.allow(own, READ_FILE | READ_DIR)
    for path in readable:
        rules.allow(path, READ_FILE | READ_DIR)
    for path in (program, *loaders):
        rules.allow(path, READ_FILE | EXECUTE)
    _allow_devices(rules)
    return rules


def _allow_devices(rules: Ruleset) -> None:
    for path in DEVICES:
        rules.allow(path, READ_FILE | WRITE_FILE if path == "/dev/null" else READ_FILE)
