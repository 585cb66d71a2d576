"""Asks the kernel for what widens its ground: io_uring, namespaces, mounts, bpf, perf, userfaultfd, personality, clone3."""

import ctypes
import os

from tests.hostile.harness import attempt

libc = ctypes.CDLL(None, use_errno=True)
CALLS = {
    "io_uring_setup": (425, 1, ctypes.create_string_buffer(256)),
    "unshare user namespace": (272, 0x10000000),
    "unshare mount namespace": (272, 0x00020000),
    "mount": (165, b"none", b"/", b"tmpfs", 0, None),
    "bpf": (321, 0, ctypes.create_string_buffer(128), 72),
    "perf_event_open": (298, ctypes.create_string_buffer(128), 0, -1, -1, 0),
    "userfaultfd": (323, 1),
    "personality": (135, 0x0040000),
    "chroot": (161, b"/"),
    "landlock, to confuse": (444, None, 0, 0),
    "fanotify": (300, 0, 0),
    "kexec": (246, 0, 0, None, 0),
    "memfd_secret": (447, 0),
    "pidfd_open": (434, 1, 0),
    "setns": (308, 0, 0),
}


def call(*arguments: object) -> int:
    result = libc.syscall(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


for name, arguments in CALLS.items():
    attempt(name, lambda arguments=arguments: call(*arguments))
