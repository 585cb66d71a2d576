"""What a hostile bot tries first, as harmless deeds against targets that the probe sets up. Runs inside a bot's process.

Each attack gives what it got, or raises the OSError that refused it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from bots.sandbox import residue

Targets: TypeAlias = Mapping[str, str]
"""Where to strike: paths, ports, names and process numbers, made by `probe`."""

_AT_FDCWD: Final = -100
_AT_EMPTY_PATH: Final = 0x1000
_PTRACE_SEIZE: Final = 0x4206
_CLONE_NEWUSER: Final = 0x10000000
_KEYCTL_JOIN_SESSION: Final = 1
_SYS: Final[Mapping[str, Mapping[str, int]]] = {
    "x86_64": {"process_vm_readv": 310, "keyctl": 250, "io_uring_setup": 425, "bpf": 321},
    "aarch64": {"process_vm_readv": 270, "keyctl": 219, "io_uring_setup": 425, "bpf": 280},
}


def run(payload: bytes) -> None:
    """Try every attack; write a line of JSON for each: its name, whether it was refused, and how."""
    targets: Targets = json.loads(payload)
    for name, attack in ATTACKS.items():
        try:
            got = attack(targets)
        except OSError as error:
            _tell(name, is_refused=True, detail=os.strerror(error.errno) if error.errno else str(error))
        except (RuntimeError, ValueError) as error:
            _tell(name, is_refused=True, detail=str(error))
        else:
            _tell(name, is_refused=False, detail=got)
    # Last, since it would replace this process: the shell says so itself.
    line = json.dumps({"name": "run a shell", "is_refused": False, "detail": "a shell ran"})
    try:
        os.execv("/bin/sh", ["sh", "-c", f"echo '{line}'"])  # noqa: S606  # that is the attack
    except OSError as error:
        _tell("run a shell", is_refused=True, detail=os.strerror(error.errno or 0))


def _tell(name: str, *, is_refused: bool, detail: str) -> None:
    os.write(1, json.dumps({"name": name, "is_refused": is_refused, "detail": detail}).encode() + b"\n")


def _read_secret(targets: Targets) -> str:
    return Path(targets["secret"]).read_text(encoding="utf-8")


def _read_bot(targets: Targets) -> str:
    return Path(targets["bot"]).read_text(encoding="utf-8")


def _stat_database(targets: Targets) -> str:
    with contextlib.suppress(OSError):
        return f"it has {Path(targets['database']).stat().st_size} bytes"
    # The same in a way that a filter of system calls can't tell from looking at an open file.
    path, room = os.fsencode(targets["database"]), ctypes.create_string_buffer(512)
    _call(lambda libc: libc.fstatat(_AT_FDCWD, path, room, _AT_EMPTY_PATH))
    return "its size was told"


def _write_database(targets: Targets) -> str:
    with Path(targets["database"]).open("r+b") as file:
        file.write(b"overwritten")
    return "it was written to"


def _write_outside(targets: Targets) -> str:
    failure: OSError | None = None
    for folder in (targets["folder"], "/tmp", "/dev/shm", "/var/tmp", "."):  # noqa: S108  # a place bots may try
        path = Path(folder, targets["leftover"])
        try:
            path.write_text("a leftover", encoding="ascii")
        except OSError as error:
            failure = error
        else:
            return f"wrote {path}"
    assert failure is not None
    raise failure


def _read_environment(targets: Targets) -> str:
    if targets["marker"] in os.environ.values():
        return "the host's variables were inherited"
    failure: OSError | None = None
    for pid in (targets["host"], str(os.getppid()), targets["decoy"], "1"):
        try:
            if targets["marker"].encode() in Path(f"/proc/{pid}/environ").read_bytes():
                return f"read from /proc/{pid}/environ"
        except OSError as error:
            failure = error
    raise failure or OSError("nothing of it was found")


def _see_processes(targets: Targets) -> str:
    return Path(f"/proc/{targets['host']}/cmdline").read_text(encoding="utf-8", errors="replace").replace("\0", " ")[:40]


def _read_memory(targets: Targets) -> str:
    number = _SYS.get(os.uname().machine, {}).get("process_vm_readv")
    if number is None:
        raise OSError("not tried on this architecture")
    room = ctypes.create_string_buffer(8)
    here = (ctypes.c_void_p * 2)(ctypes.addressof(room), 8)
    there = (ctypes.c_void_p * 2)(int(targets["address"]), 8)
    one, zero = ctypes.c_ulong(1), ctypes.c_ulong(0)
    _call(lambda libc: libc.syscall(number, int(targets["decoy"]), here, one, there, one, zero))
    return "read by process_vm_readv"


def _trace(targets: Targets) -> str:
    zero = ctypes.c_ulong(0)
    _call(lambda libc: libc.ptrace(ctypes.c_long(_PTRACE_SEIZE), int(targets["decoy"]), zero, zero))
    return "seized by ptrace"


def _signal(targets: Targets) -> str:
    os.kill(int(targets["decoy"]), signal.SIGUSR1)
    return "a signal was delivered"


def _limit_parent(targets: Targets) -> str:
    decoy = int(targets["decoy"])
    failure: OSError | None = None
    deeds: tuple[Callable[[], object], ...] = (
        lambda: resource.prlimit(decoy, resource.RLIMIT_CORE, (0, 0)),
        lambda: os.setpriority(os.PRIO_PROCESS, decoy, 19),
        lambda: os.sched_setaffinity(decoy, {min(os.sched_getaffinity(0))}),
    )
    for deed in deeds:
        try:
            deed()
        except OSError as error:
            failure = error
        else:
            return "limits, priority or processors of another process were changed"
    assert failure is not None
    raise failure


def _tcp(targets: Targets) -> str:
    with socket.create_connection(("127.0.0.1", int(targets["tcp"])), timeout=2):
        return "connected"


def _udp(targets: Targets) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"hello", ("127.0.0.1", int(targets["udp"])))
    return "sent"


def _unix(targets: Targets) -> str:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect("\0" + targets["unix"])
    return "connected"


def _fork(targets: Targets) -> str:
    del targets
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return "a process was made"


def _raise_limits(targets: Targets) -> str:
    del targets
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return "memory is not limited any more"


def _user_namespace(targets: Targets) -> str:
    del targets
    _call(lambda libc: libc.unshare(_CLONE_NEWUSER))
    return "a user namespace was made"


def _kernel(targets: Targets) -> str:
    del targets
    numbers = _SYS.get(os.uname().machine, {})
    room = ctypes.create_string_buffer(256)
    failure: OSError | None = None
    for name, arguments in (("io_uring_setup", (1, room)), ("keyctl", (_KEYCTL_JOIN_SESSION, None))):
        try:
            if name in numbers:
                _call(lambda libc, name=name, arguments=arguments: libc.syscall(numbers[name], *arguments))  # type: ignore[misc]
                return f"{name} answered"
        except OSError as error:
            failure = error
    raise failure or OSError("not tried on this architecture")


def _call(function: Callable[[ctypes.CDLL], int]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if function(libc) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


_ALL: Final[Mapping[str, Callable[[Targets], str]]] = {
    "read a secret file of the host": _read_secret,
    "read another bot's source": _read_bot,
    "see that the database is there": _stat_database,
    "write to the database": _write_database,
    "leave a file behind": _write_outside,
    "read the host's environment": _read_environment,
    "see the host's processes": _see_processes,
    "read another process's memory": _read_memory,
    "trace another process": _trace,
    "signal another process": _signal,
    "limit another process": _limit_parent,
    "reach a TCP port of the host": _tcp,
    "send UDP to the host": _udp,
    "reach an abstract unix socket": _unix,
    "make a process": _fork,
    "raise its own limits": _raise_limits,
    "make a user namespace": _user_namespace,
    "use io_uring or the keyring": _kernel,
    "tell or change what is cached of files": residue.cached,
    "map memory that grows past its limit": residue.grows,
    "wake sleepers on a page that all share": residue.wakes,
    "see the machine's memory and processes": residue.machine,
    "read another process's CPU clock": residue.clocks,
    "see numbers that the machine counts up": residue.numbers,
}
_ANYWHERE: Final = (_read_secret, _read_bot, _stat_database, _write_database, _write_outside, _tcp, _udp, _fork, _raise_limits)
ATTACKS: Final = {name: attack for name, attack in _ALL.items() if sys.platform == "linux" or attack in _ANYWHERE}
"""All that this system knows, but running a shell, by the names that the report gives them."""
