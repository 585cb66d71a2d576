"""What a bot's process does after `zygote` has forked it: set up its descriptors, lock itself down, and call the bot's code."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

from bots.limits import Level, Limits, apply_rlimits, cpu_rlimits
from bots.sandbox import lockdown
from bots.sandbox.channel import send
from bots.sandbox.lockdown import Ruleset

OUT_OF_MEMORY: Final = 86
"""The exit code of a Python bot that did not catch a MemoryError."""

LOCKDOWN_FAILED: Final = b"!"
"""The byte that a process writes to its line (`Job`) if it can't be locked down. Messages on the line begin with a zero byte."""

HIGHEST_DESCRIPTOR: Final = 256
"""All file descriptors of a zygote are below this number: its limit of open files. A child therefore closes only so many."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The settings that all bots of a zygote share."""

    level: Level
    zygote: int
    """The zygote's pid as its children see it."""
    is_alone: bool
    """Whether each child is alone in its own namespaces (`forking.fork_alone`)."""
    jail: str
    """The directory that becomes the root of a Python bot's file system, or empty if the root is not changed."""
    rules: Ruleset | None
    python_filter: lockdown.Filter | None
    command_filter: lockdown.Filter | None
    notify_filter: lockdown.Filter | None
    limits: Limits
    rlimits: tuple[tuple[int, int, int], ...]
    """The resource limits of a Python bot, computed in advance."""
    loaders: tuple[str, ...]
    readable: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """What a forked child has to do.

    - ``line``: a socket to the zygote, to which a child that can't be locked down writes ``LOCKDOWN_FAILED``
    - ``entry``: ``module:function`` for a Python bot, empty for a command; ``folder``: for a command, the folder for its files
    - ``core``: the core to run on, or -1 for any; ``cpu_seconds``: the kernel's limit of CPU time, or -1 for none
    - ``descriptors``: standard input, output and error, and a file with the payload
    """

    setup: Setup
    line: socket.socket
    entry: str
    core: int
    cpu_seconds: int
    descriptors: Sequence[int]
    is_native: bool
    """Whether ``entry``, though a Python function, gets the limits and system calls of a command, as in `probe`."""
    folder: str | None
    tasks_of_user: int


def pack_command(argv: Sequence[str], program: str, files: Mapping[str, bytes]) -> bytes:
    """Return the payload of a command. ``program`` is the path of the program, or empty if it is one of the files."""
    encoded = {name: base64.b64encode(content).decode("ascii") for name, content in files.items()}
    return json.dumps({"argv": list(argv), "program": program, "files": encoded}).encode()


def run(job: Job) -> NoReturn:
    """Lock this process down and run the bot in it. Never returns. If the lockdown fails, none of the bot's code runs."""
    start: Callable[[], object]
    try:
        os.setsid()
        start = _prepare_function(job) if job.folder is None else _prepare_command(job, job.folder)
        os.closerange(3, HIGHEST_DESCRIPTOR)
    except BaseException:  # noqa: BLE001  # any failure here is the host's and must not look like the bot's
        traceback.print_exc()
        os.write(job.line.fileno(), LOCKDOWN_FAILED)
        os._exit(1)
    os._exit(_call(start))


def reports_failure(line: socket.socket) -> bool:
    """Close the line of a process that has ended, and return whether it reported that it could not be locked down."""
    with line:
        try:
            return line.recv(1) == LOCKDOWN_FAILED
        except ConnectionResetError:  # the process was killed before it had read everything
            return False


def _prepare_function(job: Job) -> Callable[[], object]:
    setup = job.setup
    counts = job.is_native or job.tasks_of_user > 0
    limit(setup, setup.limits.rlimits(is_command=job.is_native, tasks_of_user=job.tasks_of_user) if counts else setup.rlimits)
    lockdown.bind(job.core)
    apply_rlimits(cpu_rlimits(job.cpu_seconds))
    payload = _take_descriptors(job.descriptors)
    start = partial(_find(job.entry), payload)
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed()  # unlike Python's, numpy's generator is not reseeded after a fork
    seal(setup.command_filter if job.is_native else setup.python_filter)
    return start


def limit(setup: Setup, rlimits: Iterable[tuple[int, int, int]]) -> None:
    """Set limits (resource, soft, hard), and give up files and capabilities that a Python bot does not need. Raises OSError, ValueError."""
    lockdown.die_with(setup.zygote)
    apply_rlimits(rlimits)
    if setup.jail:
        os.chroot(setup.jail)
        os.chdir("/")
    if setup.is_alone:
        lockdown.drop_capabilities()
    if setup.rules is not None:
        setup.rules.restrict_self()


def seal(program: lockdown.Filter | None) -> None:
    """Load the seccomp filter, if there is one. Raises OSError."""
    if program is not None:
        program.load()


def _take_descriptors(descriptors: Sequence[int]) -> bytes:
    """Make the pipes this process's standard input, output and error, and return the payload, which no other process ever reads."""
    standard_input, standard_output, log, payload = descriptors
    for place, descriptor in enumerate((standard_input, standard_output, log)):
        os.dup2(descriptor, place)
    size = os.fstat(payload).st_size
    pieces = bytearray()
    while len(pieces) < size:
        pieces += os.pread(payload, size - len(pieces), len(pieces))
    return bytes(pieces)


def _find(entry: str) -> Callable[[bytes], object]:
    module, _, name = entry.partition(":")
    function = getattr(sys.modules[module], name)
    assert callable(function)
    return function  # type: ignore[no-any-return]  # the result is ignored


def _call(start: Callable[[], object]) -> int:
    code = 1
    try:
        start()
        code = 0
    except SystemExit as leaving:
        code = leaving.code & 0xFF if isinstance(leaving.code, int) else int(leaving.code is not None)
    except MemoryError:
        code = OUT_OF_MEMORY
    except BaseException:  # noqa: BLE001  # a contestant's code may raise anything; its author can read it in the log
        with contextlib.suppress(BaseException):
            traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):  # a bot may have replaced or closed the streams, or nobody reads them any more
            stream.flush()
    return code


def _prepare_command(job: Job, folder: str) -> Callable[[], object]:
    setup = job.setup
    lockdown.bind(job.core)
    command = json.loads(_take_descriptors(job.descriptors))
    for name, content in command["files"].items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(content))
        path.chmod(0o555)
    for inside, _, _ in os.walk(folder, topdown=False):
        Path(inside).chmod(0o555)
    os.chdir(folder)
    argv: list[str] = command["argv"]
    program = command["program"] or str(Path(folder, argv[0]))
    environment = {"HOME": folder, "TMPDIR": folder, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    lockdown.die_with(setup.zygote)
    apply_rlimits((*setup.limits.rlimits(is_command=True, tasks_of_user=job.tasks_of_user), *cpu_rlimits(job.cpu_seconds)))
    if setup.is_alone:
        lockdown.drop_capabilities()
    if setup.rules is not None:
        lockdown.rules_for_command(folder, program, setup.loaders, setup.readable).restrict_self()
    if setup.notify_filter is not None:
        send(job.line, {}, [setup.notify_filter.load_with_listener()])
    seal(setup.command_filter)
    return partial(os.execve, program, argv, environment)
