"""Caches on disk that this machine offers L3, so that not every run has to probe all levels.

Only the highest level is cached: then no better one can be missed, and before a bot runs, L3 is attacked again to see that it still holds
(`probe`). An entry is valid only under exactly the circumstances in which it was found.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from bots.cache_folder import cache_folder
from bots.sandbox import seccomp
from bots.sandbox.bubblewrap import find_bubblewrap
from bots.sandbox.landlock import abi
from bots.sandbox.paths import find_python

FILE: Final = "isolation"
_MOST: Final = 16
"""The most circumstances that are kept, the newest first: several machines may share a folder, and several programs a machine."""
_FACTS: Final = (
    "/etc/machine-id",
    "/proc/sys/kernel/random/boot_id",
    "/proc/version",
    "/proc/self/attr/current",
    "/proc/self/uid_map",
    "/proc/self/gid_map",
    "/sys/kernel/security/lsm",
    "/sys/module/apparmor/parameters/enabled",
)
_SETTINGS: Final = ("kernel", "kernel/keys", "kernel/seccomp", "kernel/yama", "user")
"""Folders of /proc/sys whose files are read if their path has one of the words in ``_ABOUT``."""
_ABOUT: Final = ("userns", "apparmor", "seccomp", "io_uring", "unprivileged", "namespaces", "ptrace_scope", "perf_event_paranoid", "keys")
_OF_PROCESS: Final = ("Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Seccomp_filters")


def circumstances() -> str:
    """Return a hash of all that L3 depends on, as far as it can be read: kernel, boot and settings, user, rights and namespaces of this
    process, bubblewrap, libseccomp, the interpreter and the program's own files.
    """
    return hashlib.sha256(json.dumps([*_facts()]).encode()).hexdigest()


def is_kept() -> bool:
    """Return whether L3 was found under the present circumstances. A file that others could have written is ignored."""
    lines = _lines()
    return bool(lines) and circumstances() in lines


def keep(digest: str) -> None:
    """Remember that L3 was found under these circumstances."""
    new = cache_folder() / f".{FILE}-{os.getpid()}"
    with suppress(OSError):
        new.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new.unlink(missing_ok=True)
        try:
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write("".join(f"{line}\n" for line in [*dict.fromkeys((digest, *_lines()))][:_MOST]))
            new.replace(new.with_name(FILE))
        finally:
            new.unlink(missing_ok=True)


def forget() -> None:
    """Remove all entries, since L3 no longer holds."""
    with suppress(OSError):
        (cache_folder() / FILE).unlink(missing_ok=True)


def _lines() -> list[str]:
    path = cache_folder() / FILE
    with suppress(OSError), open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK)) as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and _is_ours(status) and _is_ours(path.parent.stat()):
            return re.findall(r"^[0-9a-f]{64}$", file.read(1 << 16).decode("ascii", "ignore"), re.MULTILINE)
    return []


def _is_ours(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _facts() -> Iterator[object]:
    yield [*os.uname(), sys.version, sys.prefix, *os.getresuid(), *os.getresgid(), sorted(os.getgroups()), abi()]
    yield [(name, resource.getrlimit(getattr(resource, name))) for name in sorted(dir(resource)) if name.startswith("RLIMIT_")]
    for path in _FACTS:
        yield _content(path)
    for folder in _SETTINGS:
        paths = [f"/proc/sys/{folder}/{name}" for name in _names(f"/proc/sys/{folder}")]
        yield [(path, _content(path)) for path in paths if any(word in path for word in _ABOUT)]
    yield [line for line in _content("/proc/self/status").splitlines() if line.partition(":")[0] in _OF_PROCESS]
    yield [(name, _target(f"/proc/self/ns/{name}")) for name in _names("/proc/self/ns")]
    here = Path(__file__).parent
    for program in (find_bubblewrap() or "", find_python(), sys.executable, _libseccomp(), "/bin/sh"):
        yield _version_of(program)
    for name in _names(str(here)):
        yield _version_of(str(here / name))


def _libseccomp() -> str:
    """Load libseccomp and return its path."""
    if not seccomp.is_available():
        return ""
    maps = _content("/proc/self/maps").splitlines()
    return next((path for line in maps if "/libseccomp" in (path := line.rpartition(" ")[2])), "")


def _version_of(path: str) -> list[object]:
    real = os.path.realpath(path) if path else ""
    try:
        status = os.stat(real)  # noqa: PTH116  # of many files
    except OSError:
        return [path]
    return [path, real, status.st_dev, status.st_ino, status.st_mode, status.st_uid, status.st_size, status.st_mtime_ns, status.st_ctime_ns]


def _content(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return type(error).__name__


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name != "__pycache__")  # noqa: PTH208
    except OSError:
        return []


def _target(path: str) -> str:
    try:
        return str(Path(path).readlink())
    except OSError:
        return ""
