"""Which system calls a bot may make, compiled by libseccomp into the filter that the kernel runs. Loading it is `lockdown`'s.

libseccomp is called by ctypes: its Python package `pyseccomp` has had no release since 2021 (docs/adr/).
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
_ATTRIBUTE_BAD_ARCHITECTURE: Final = 2
_ATTRIBUTE_OPTIMIZE: Final = 8
_BINARY_TREE: Final = 2
_EQUAL: Final = 4
_MASKED_EQUAL: Final = 7


class Profile(StrEnum):
    """For whom a filter is."""

    PYTHON = "python"
    """A Python bot that may open what Landlock lets it."""
    PYTHON_WITHOUT_FILES = "python-without-files"
    """A Python bot that may open and look at nothing."""
    COMMAND = "command"
    """A program in another language: it is exec'd under the filter, and may have threads."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_COMPUTING: Final = _words("""
    brk clock_getres clock_gettime clock_nanosleep close close_range dup dup2 dup3 exit exit_group fcntl futex getcwd getegid geteuid getgid
    getgroups getitimer getpgid getpgrp getpid getppid getrandom getresgid getresuid getrlimit getrusage getsid gettid
    gettimeofday getuid ioctl lseek madvise membarrier mmap mprotect mremap munmap nanosleep pause pipe pipe2 poll ppoll pread64 preadv
    preadv2 pselect6 pwrite64 pwritev pwritev2 read readv restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn
    rt_sigsuspend rt_sigtimedwait select sched_yield set_robust_list set_tid_address setitimer alarm sigaltstack sysinfo time times uname
    write writev fstat _llseek mmap2 fcntl64 clock_gettime64 clock_nanosleep_time64 futex_time64 ppoll_time64 pselect6_time64 ugetrlimit
""")
_LOOKING: Final = _words(
    "access faccessat faccessat2 getdents getdents64 lstat newfstatat open openat readlink readlinkat stat statx chdir fadvise64"
)
_OF_COMMANDS: Final = _words("""
    arch_prctl epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execve sched_getparam
    sched_getscheduler sched_get_priority_max sched_get_priority_min
""")
_NARROW: Final = {
    "sched_getaffinity": ((0, 0),),  # of itself
    "prlimit64": ((0, 0), (2, 0)),  # of itself, and only to read
}
"""Allowed only when these arguments have these values."""
_CLONE_THREAD: Final = 0x00010000
_KINDS_OF_MAPPING: Final = 0x23  # MAP_SHARED, MAP_PRIVATE, MAP_ANONYMOUS
_NOT_SHARED_AND_ANONYMOUS: Final = (0x01, 0x02, 0x03, 0x22)
_TERMINAL_IOCTLS: Final = (0x5401, 0x5413, 0x541B)  # TCGETS and TIOCGWINSZ (isatty and the like), FIONREAD
_CLOSE_ON_EXEC_IOCTLS: Final = (0x5450, 0x5451, 0x5421)  # FIONCLEX, FIOCLEX, FIONBIO
_FCNTLS: Final = (0, 1, 2, 3, 4, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC: no locks, leases, owners
_EMPTY_PATH: Final = 0x1000


class _Comparison(ctypes.Structure):
    _fields_ = (("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


def _library() -> ctypes.CDLL:
    """libseccomp. Raises OSError where it is not installed."""
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
    """Whether libseccomp can be loaded."""
    try:
        _library()
    except OSError:
        return False
    return True


class _Filter:
    """A filter in the making: whatever no rule names is answered with ENOSYS; another architecture's calls end the process."""

    def __init__(self) -> None:
        self._library = _library()
        self._context = self._library.seccomp_init(_ERRNO | errno.ENOSYS)
        if not self._context:
            raise OSError("libseccomp can't make a filter")
        _checked(self._library.seccomp_attr_set(self._context, _ATTRIBUTE_BAD_ARCHITECTURE, _KILL_PROCESS))
        # The kernel runs a filter once for each call there is when it is loaded, so a tree makes a bot start faster. Old libraries lack it.
        self._library.seccomp_attr_set(self._context, _ATTRIBUTE_OPTIMIZE, _BINARY_TREE)

    def rule(self, name: str, action: int, *comparisons: tuple[int, int, int, int]) -> None:
        """Add a rule; a system call that this architecture or this libseccomp doesn't know needs none."""
        number = self._library.seccomp_syscall_resolve_name(name.encode())
        if number < 0:  # unknown, or a pseudo number of another architecture's call
            return
        array = (_Comparison * max(1, len(comparisons)))(*(_Comparison(*each) for each in comparisons))
        _checked(self._library.seccomp_rule_add_array(self._context, action, number, len(comparisons), array))

    def export(self) -> bytes:
        """The filter as the kernel wants it; the filter can't be used any more."""
        with os.fdopen(os.memfd_create("filter"), "w+b") as file:
            _checked(self._library.seccomp_export_bpf(self._context, file.fileno()))
            self._library.seccomp_release(self._context)
            file.seek(0)
            return file.read()


def compile_filter(profile: Profile) -> bytes:
    """The BPF program for a profile, an array of ``struct sock_filter``. Raises OSError where libseccomp is missing."""
    making = _Filter()
    for name in _COMPUTING:
        if name not in ("mmap", "mmap2", "ioctl", "fcntl", "fcntl64"):
            making.rule(name, _ALLOW)
    for name, arguments in _NARROW.items():
        making.rule(name, _ALLOW, *((argument, _EQUAL, value, 0) for argument, value in arguments))
    for number in _TERMINAL_IOCTLS + _CLOSE_ON_EXEC_IOCTLS:
        making.rule("ioctl", _ALLOW, (1, _EQUAL, number, 0))
    for number in _FCNTLS:
        making.rule("fcntl", _ALLOW, (1, _EQUAL, number, 0))
        making.rule("fcntl64", _ALLOW, (1, _EQUAL, number, 0))
    _add_files(making, profile)
    if profile is Profile.COMMAND:
        _add_command(making)
    else:
        making.rule("mmap", _ALLOW)
        making.rule("mmap2", _ALLOW)
    return making.export()


def _add_files(making: _Filter, profile: Profile) -> None:
    if profile is not Profile.PYTHON_WITHOUT_FILES:
        for name in _LOOKING:
            making.rule(name, _ALLOW)
        return
    for name in _LOOKING:
        if name != "newfstatat":
            making.rule(name, _ERRNO | errno.EACCES)  # Python's importer takes EACCES for "not here", ENOSYS for a crash
    # glibc's fstat(fd) is newfstatat(fd, "", AT_EMPTY_PATH). A path can't be checked here, but then AT_EMPTY_PATH only changes what an
    # empty one means, so looking at files by name stays possible this way: names and sizes, as on L2 and never content.
    making.rule("newfstatat", _ALLOW, (3, _MASKED_EQUAL, _EMPTY_PATH, _EMPTY_PATH))
    making.rule("newfstatat", _ERRNO | errno.EACCES, (3, _MASKED_EQUAL, _EMPTY_PATH, 0))


def _add_command(making: _Filter) -> None:
    for name in _OF_COMMANDS:
        making.rule(name, _ALLOW)
    making.rule("clone", _ALLOW, (0, _MASKED_EQUAL, _CLONE_THREAD, _CLONE_THREAD))
    # RLIMIT_DATA does not count shared memory, so there is none.
    for name in ("mmap", "mmap2"):
        for kind in _NOT_SHARED_AND_ANONYMOUS:
            making.rule(name, _ALLOW, (3, _MASKED_EQUAL, _KINDS_OF_MAPPING, kind))


def _checked(result: int) -> None:
    if result < 0:
        raise OSError(-result, os.strerror(-result))
