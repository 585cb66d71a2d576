"""Leaves words for a colluder where processes can meet: shared memory, message queues, keys, locks."""

import ctypes
import fcntl
import os
import sys
from pathlib import Path

from tests.hostile.harness import TARGETS, attempt

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def system_v(make: str, control: str, *arguments: int) -> str:
    number = check(getattr(libc, make)(0x5EED, *arguments))
    getattr(libc, control)(number, 0, 0)  # IPC_RMID: a test leaves nothing
    return "made"


def queue() -> str:
    name = f"/{TARGETS['marker']}".encode()
    check(libc.mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, None))
    libc.mq_unlink(name)
    return "made"


def shared_file() -> str:
    path = Path("/dev/shm", TARGETS["marker"])
    path.write_text("")
    path.unlink()
    return "made"


IPC_CREAT = 0o1000
attempt("shared memory", lambda: system_v("shmget", "shmctl", 4096, IPC_CREAT | 0o600))
attempt("semaphores", lambda: system_v("semget", "semctl", 1, IPC_CREAT | 0o600))
attempt("message queue", lambda: system_v("msgget", "msgctl", IPC_CREAT | 0o600))
attempt("POSIX queue", queue)
attempt("/dev/shm", shared_file)
attempt("keyring", lambda: check(libc.syscall(248, b"user", b"word", b"x", 1, -3)))
attempt("lock a file of the library", lambda: fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB))
attempt("lock /dev/null", lambda: fcntl.lockf(os.open("/dev/null", os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB))
attempt("lock the executable", lambda: fcntl.flock(os.open(sys.executable or "/usr/bin/env", os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB))
