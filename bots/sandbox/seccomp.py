"""The system calls that bots may make, compiled by libseccomp into filters for the kernel. `lockdown` loads them.

libseccomp is called with ctypes, since the Python package `pyseccomp` has had no release since 2021 (docs/adr/).
"""

from __future__ import annotations

import ctypes
import errno
import os
from enum import StrEnum
from typing import Final

_ALLOW: Final = 0x7FFF0000
_ERRNO: Final = 0x00050000
_KILL_PROCESS: Final = 0x80000000
_NOTIFY: Final = 0x7FC00000
_ATTRIBUTE_BAD_ARCHITECTURE: Final = 2
_ATTRIBUTE_OPTIMIZE: Final = 8
_BINARY_TREE: Final = 2
_LESS_OR_EQUAL: Final = 3
_EQUAL: Final = 4
_MASKED_EQUAL: Final = 7


class Profile(StrEnum):
    """What kind of process a filter is for."""

    PYTHON = "python"
    """A Python bot in a jail, which may open the few devices there."""
    PYTHON_WITHOUT_FILES = "python-without-files"
    """A Python bot that may not open any files."""
    NOTIFY = "notify"
    """A second filter for a command, besides ``COMMAND``. A listener decides about calls that create pipes; all others are allowed."""
    COMMAND = "command"
    """A command, which is executed with the filter in place and may have threads."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_COMPUTING: Final = _words("""
    brk close close_range dup dup2 dup3 exit exit_group getcwd getegid geteuid getgid getgroups getitimer getpgrp getpid getppid
    getrandom getresgid getresuid getrlimit gettid gettimeofday getuid lseek mremap munmap nanosleep pause poll ppoll pread64 preadv
    pselect6 pwrite64 pwritev read readv restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend
    rt_sigtimedwait select sched_yield set_robust_list set_tid_address setitimer alarm sigaltstack time times uname write writev _llseek
    ppoll_time64 pselect6_time64 ugetrlimit
""")
"""Calls that reveal nothing about the machine or other processes. They don't include sysinfo (memory and processes of the whole machine) or
getrusage (its major faults reveal which pages of a file were cached)."""
_OPENING: Final = _words("open openat")
_LOOKING: Final = _words("access faccessat faccessat2 fstat getdents getdents64 lstat newfstatat readlink readlinkat stat statx chdir")
_OF_COMMANDS: Final = _words("""
    arch_prctl epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execve pipe pipe2 sched_getparam
    sched_getscheduler sched_get_priority_max sched_get_priority_min
""")
_ASKED_ABOUT: Final = ("pipe", "pipe2")
_NARROW: Final = {
    "sched_getaffinity": ((0, 0),),  # only of the calling process
    "getpgid": ((0, 0),),
    "getsid": ((0, 0),),
    "prlimit64": ((0, 0), (2, 0)),  # only of the calling process, and only for reading
    "preadv2": ((5, 0),),  # without RWF_NOWAIT, which reveals what is in the page cache
    "pwritev2": ((5, 0),),
}
"""Calls that are allowed only if these arguments have these values."""
_CLONE_THREAD: Final = 0x00010000
_HIGHEST_CLOCK: Final = 11
_OF_CLOCKS: Final = _words("clock_getres clock_gettime clock_nanosleep clock_gettime64 clock_nanosleep_time64")
"""Calls that are allowed for the system's clocks. Higher clock numbers are the CPU clocks of arbitrary processes."""
_KINDS_OF_MAPPING: Final = 0x23  # MAP_SHARED, MAP_PRIVATE, MAP_ANONYMOUS
_NEVER_MAPPED: Final = 0x100 | 0x2000 | 0x8000 | 0x10000 | 0x40000 | 0x80000
"""Forbidden flags: MAP_GROWSDOWN (can grow beyond all limits), MAP_LOCKED, MAP_POPULATE, MAP_NONBLOCK, MAP_HUGETLB (shared pool),
MAP_SYNC."""
_PRIVATE: Final = (0x02, 0x22)
_SHARED_AND_ANONYMOUS: Final = 0x21
_PROT_GROWS: Final = 0x03000000  # PROT_GROWSDOWN, PROT_GROWSUP
_ADVICE: Final = (0, 4, 8, 10, 11, 15, 16, 17, 18, 19)
"""The allowed values for madvise, which allocators use on their own memory: NORMAL, DONTNEED, FREE, and the values for forks, dumps and
small pages. Values that load, drop or demote cached pages of a file, and HUGEPAGE, which merges pages, are not allowed."""
_FUTEX_PRIVATE: Final = 0x80
_FUTEX_COMMAND: Final = 0xFF
_SHARED_WAITS: Final = (0, 9)
"""FUTEX_WAIT and FUTEX_WAIT_BITSET, used to wait for the end of a thread. Waking threads on pages shared by processes is forbidden."""
_MEMBARRIERS: Final = (0, 8, 16, 32, 64)  # only for this process
_TERMINAL_IOCTLS: Final = (0x5401, 0x5413, 0x541B)  # TCGETS and TIOCGWINSZ (isatty and others), FIONREAD
_CLOSE_ON_EXEC_IOCTLS: Final = (0x5450, 0x5451, 0x5421)  # FIONCLEX, FIOCLEX, FIONBIO
_FCNTLS: Final = (0, 1, 2, 3, 4, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC: no locks, leases, owners


class _Comparison(ctypes.Structure):
    _fields_ = (("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.argtypes = (ctypes.c_uint32,)
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_release.argtypes = (ctypes.c_void_p,)
    library.seccomp_release.restype = None
    library.seccomp_attr_set.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32)
    library.seccomp_syscall_resolve_name.argtypes = (ctypes.c_char_p,)
    library.seccomp_rule_add_array.argtypes = (
        ctypes.c_void_p,
        ctypes.c_uint32,
        ctypes.c_int,
        ctypes.c_uint,
        ctypes.POINTER(_Comparison),
    )
    library.seccomp_export_bpf.argtypes = (ctypes.c_void_p, ctypes.c_int)
    return library


def is_available() -> bool:
    """Return whether libseccomp can be loaded."""
    try:
        _library()
    except OSError:
        return False
    return True


class _Filter:
    """Builds a filter. By default, calls without a rule fail with ENOSYS. Calls for a different architecture end the process."""

    def __init__(self, default: int = _ERRNO | errno.ENOSYS) -> None:
        self._library = _library()
        self._context = self._library.seccomp_init(default)
        if not self._context:
            raise OSError("libseccomp can't create a filter")
        _checked(self._library.seccomp_attr_set(self._context, _ATTRIBUTE_BAD_ARCHITECTURE, _KILL_PROCESS))
        # While loading a filter, the kernel runs it for every system call, so bots start faster with a tree. Old versions don't have it.
        self._library.seccomp_attr_set(self._context, _ATTRIBUTE_OPTIMIZE, _BINARY_TREE)

    def rule(self, name: str, action: int, *comparisons: tuple[int, int, int, int]) -> None:
        """Add a rule. System calls that this architecture or libseccomp doesn't know are skipped, since the default applies to them."""
        number = self._library.seccomp_syscall_resolve_name(name.encode())
        if number < 0:  # unknown, or a pseudo number for a call of a different architecture
            return
        array = (_Comparison * max(1, len(comparisons)))(*(_Comparison(*each) for each in comparisons))
        _checked(self._library.seccomp_rule_add_array(self._context, action, number, len(comparisons), array))

    def export(self) -> bytes:
        with os.fdopen(os.memfd_create("filter"), "w+b") as file:
            _checked(self._library.seccomp_export_bpf(self._context, file.fileno()))
            self._library.seccomp_release(self._context)
            file.seek(0)
            return file.read()


def compile_filter(profile: Profile, *, has_threads: bool = False) -> bytes:
    """Return the BPF program (an array of ``struct sock_filter``) for a profile. Raises OSError if libseccomp is missing.

    With ``has_threads``, a Python bot may start threads; a command always may.
    """
    if profile is Profile.NOTIFY:
        making = _Filter(_ALLOW)
        for name in _ASKED_ABOUT:
            making.rule(name, _NOTIFY)
        return making.export()
    making = _Filter()
    for name in _COMPUTING:
        making.rule(name, _ALLOW)
    for name, arguments in _NARROW.items():
        making.rule(name, _ALLOW, *((argument, _EQUAL, value, 0) for argument, value in arguments))
    for name in _OF_CLOCKS:
        making.rule(name, _ALLOW, (0, _LESS_OR_EQUAL, _HIGHEST_CLOCK, 0))
    for number in _TERMINAL_IOCTLS + _CLOSE_ON_EXEC_IOCTLS:
        making.rule("ioctl", _ALLOW, (1, _EQUAL, number, 0))
    for number in _FCNTLS:
        making.rule("fcntl", _ALLOW, (1, _EQUAL, number, 0))
        making.rule("fcntl64", _ALLOW, (1, _EQUAL, number, 0))
    _add_memory(making, profile)
    _add_files(making, profile)
    if profile is Profile.COMMAND:
        _add_command(making)
    if profile is Profile.COMMAND or has_threads:
        _add_threads(making)
    return making.export()


def _add_memory(making: _Filter, profile: Profile) -> None:
    # A command's memory is limited by RLIMIT_DATA, which does not count shared memory, so a command must not have shared memory.
    kinds = _PRIVATE if profile is Profile.COMMAND else (*_PRIVATE, _SHARED_AND_ANONYMOUS)
    for name in ("mmap", "mmap2"):
        for kind in kinds:
            making.rule(name, _ALLOW, (3, _MASKED_EQUAL, _KINDS_OF_MAPPING | _NEVER_MAPPED, kind))
    making.rule("mprotect", _ALLOW, (2, _MASKED_EQUAL, _PROT_GROWS, 0))
    for advice in _ADVICE:
        making.rule("madvise", _ALLOW, (2, _EQUAL, advice, 0))
    for name in ("futex", "futex_time64"):
        making.rule(name, _ALLOW, (1, _MASKED_EQUAL, _FUTEX_PRIVATE, _FUTEX_PRIVATE))


def _add_files(making: _Filter, profile: Profile) -> None:
    """Add the rules for files. Forbidden calls fail with EACCES, which Python's importer takes for a missing file; ENOSYS would break it.

    Python bots must not inspect any files, not even their own pipes: the inode numbers come from a counter of the whole machine.
    """
    for name in _OPENING:
        making.rule(name, _ERRNO | errno.EACCES if profile is Profile.PYTHON_WITHOUT_FILES else _ALLOW)
    for name in _LOOKING:
        making.rule(name, _ALLOW if profile is Profile.COMMAND else _ERRNO | errno.EACCES)


def _add_command(making: _Filter) -> None:
    for name in _OF_COMMANDS:
        making.rule(name, _ALLOW)
    for number in _MEMBARRIERS:
        making.rule("membarrier", _ALLOW, (0, _EQUAL, number, 0))


def _add_threads(making: _Filter) -> None:
    making.rule("clone", _ALLOW, (0, _MASKED_EQUAL, _CLONE_THREAD, _CLONE_THREAD))
    for name in ("futex", "futex_time64"):
        for command in _SHARED_WAITS:
            making.rule(name, _ALLOW, (1, _MASKED_EQUAL, _FUTEX_COMMAND, command))


def _checked(result: int) -> None:
    if result < 0:
        raise OSError(-result, os.strerror(-result))
