"""The host's end of one build: starts a keeper at a level, sends it the source and the steps, monitors it, and receives the products."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final

from bots.building.keeper import SOURCE, SPARE
from bots.building.usage import Log, usage_of
from bots.building.workspace import remove
from bots.errors import NotOfferedError, SandboxError
from bots.sandbox import bubblewrap, seccomp
from bots.sandbox.channel import ChannelClosedError, file_of, read_all, receive, send, split
from bots.sandbox.levels import Level
from bots.sandbox.limits import MIB
from bots.sandbox.paths import HostPaths, find_paths
from bots.sandbox.remediation import advice
from bots.sandbox.spawn import NOBODY
from bots.sandbox.zygote_host import Start, count_tasks, find_parts, last_words, popen

SYSTEM: Final = ("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/etc/alternatives", "/etc/ld.so.cache")
"""What every build may read and run."""
_MODULES: Final = ("bots.building.keeper", "bots.sandbox.exploit_checks")
_TICK: Final = 0.05
_END_SECONDS: Final = 10.0
_LATER: Final = 10
"""CPU seconds beyond the limit after which the kernel ends a process, in case the host has not."""


@dataclass(frozen=True, slots=True)
class BuildLimits:
    """The limits of a build as a whole: wall and CPU seconds, memory, processes, files and bytes.

    ``idle_seconds`` is the time in which none of its processes runs, is ready to run or waits for a disk.
    """

    seconds: float = 300.0
    idle_seconds: float = 20.0
    cpu_seconds: int = 120
    memory: int = 2048 * MIB
    processes: int = 64
    most_bytes: int = 512 * MIB
    most_files: int = 20_000
    log_bytes: int = 4 * MIB


@dataclass(frozen=True, slots=True)
class BuildOrder:
    """A build's input: the files, the commands in order, and the paths of the products.

    ``path`` is where programs are looked for, and ``readable`` what the build may read and run beside the system's own.
    """

    files: Mapping[str, bytes]
    steps: Sequence[Sequence[str]]
    products: Sequence[str] = ()
    path: Sequence[str] = ()
    readable: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    is_alone: bool = True
    """Whether steps get separate namespaces if the host offers them; tests turn this off to check the other protections."""


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The result of a build: the ``products``, or ``problem``, the rest of a sentence that begins with the build, and ``log``."""

    products: Mapping[str, bytes]
    problem: str
    log: str


def run_build(
    order: BuildOrder, level: Level, limits: BuildLimits | None = None, *, run_as: tuple[int, int] = (NOBODY, NOBODY)
) -> BuildResult:
    """Run the steps at that level: L3, L2, or L0, which isolates nothing. Raises SandboxError if they can't be run there at all.

    No processes or files of the build are left afterwards, even after an error.
    """
    complaints = []
    paths = find_paths(_MODULES)
    for way in _ways(order, level, limits or BuildLimits(), paths):
        try:
            with _Session(order, level, limits or BuildLimits(), way, run_as) as session:
                return session.run()
        except _NotStartedError as error:
            complaints.append(str(error))
    raise NotOfferedError(level, "; ".join(dict.fromkeys(complaints)), advice(level))


class _NotStartedError(SandboxError):
    """The keeper could not be started, so another way may be tried."""


def _ways(order: BuildOrder, level: Level, limits: BuildLimits, paths: HostPaths) -> Iterator[Start]:
    if level not in {Level.L3, Level.L2, Level.L0}:
        raise ValueError(f"nothing is built at {level}")
    program = find_parts(level)
    if not program:
        yield Start(bubblewrap.plain_build_command(paths), "")
        return
    readable = tuple(path for path in (*SYSTEM, *order.readable) if path.startswith("/etc/") or path not in SYSTEM)
    readable = tuple(path for path in readable if Path(path).exists())
    for is_privileged in (True, False) if os.geteuid() == 0 else (False,):
        for has_processes in (True, False):  # in some containers no /proc can be made
            command = bubblewrap.build_command(
                program, paths, is_privileged=is_privileged, has_processes=has_processes, readable=readable, most_bytes=limits.most_bytes
            )
            yield Start(command, bubblewrap.BUILD_FOLDER, drops_first=not is_privileged)


class _Session:
    """One keeper and all processes that it starts. Use it in a ``with`` statement."""

    def __init__(self, order: BuildOrder, level: Level, limits: BuildLimits, way: Start, run_as: tuple[int, int]) -> None:
        self._order, self._level, self._limits, self._way, self._run_as = order, level, limits, way, run_as
        self._stack = ExitStack()
        self._log = Log(limits.log_bytes)
        self._idle = 0.0
        self._looked = monotonic()

    def __enter__(self) -> _Session:
        with ExitStack() as stack:
            self._complaints = stack.enter_context(file_of(b""))
            self._folder = self._way.root or stack.enter_context(_folder(self._run_as))
            self._channel, theirs = socket.socketpair()
            stack.callback(self._channel.close)
            try:
                with theirs:
                    self._process = popen(self._way.command, theirs, self._complaints, self._run_as if self._way.drops_first else None)
            except OSError as error:
                raise _NotStartedError(f"the keeper of a build can't be started: {error.strerror}") from None
            stack.callback(self._end)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _end(self) -> None:
        """End the keeper, which ends what it has started, and wait until it is gone."""
        self._channel.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def run(self) -> BuildResult:
        """Run the build, and return its result. Raises SandboxError."""
        read, write = os.pipe()
        self._stack.callback(os.close, read)
        os.set_blocking(read, False)
        try:
            with self._programs() as programs, file_of(b"".join(self._order.files.values())) as payload:
                send(self._channel, self._message(), [write, payload.fileno(), *programs])
        except (ChannelClosedError, OSError):
            raise _NotStartedError(self._complaint()) from None
        finally:
            os.close(write)
        stopped = self._watch(read)
        try:
            answer, descriptors = receive(self._channel)
        except (ChannelClosedError, TimeoutError):
            if stopped:
                return BuildResult({}, stopped, self._log.text)
            raise _NotStartedError(self._complaint()) from None
        self._log.read(read)
        if "error" in answer:
            raise _NotStartedError(f"a build can't be run at {self._level}: {answer['error']}")
        if "sizes" in answer:
            return BuildResult(self._products(json.loads(str(answer["sizes"])), read_all(descriptors[0])), "", self._log.text)
        if "product" in answer:
            return BuildResult({}, str(answer["product"]), self._log.text)
        step = self._order.steps[int(str(answer["step"]))]
        return BuildResult({}, stopped or _failure(step[0], int(str(answer["status"])), str(answer["complaint"])), self._log.text)

    def _products(self, sizes: Sequence[int], content: bytes) -> dict[str, bytes]:
        return dict(zip(self._order.products, split(content, sizes), strict=True))

    @contextmanager
    def _programs(self) -> Iterator[list[int]]:
        with ExitStack() as files:
            profiles = (seccomp.Profile.BUILD, seccomp.Profile.BUILD_ALONE) if self._level >= Level.L2 else ()
            programs = [seccomp.compile_filter(profile) for profile in profiles]
            yield [files.enter_context(file_of(program)).fileno() for program in programs]

    def _message(self) -> dict[str, str | int | float | bool | list[str] | None]:
        order, limits = self._order, self._limits
        readable = [*SYSTEM, *order.readable]
        return {
            "folder": self._folder,
            "level": int(self._level),
            "uid": self._run_as[0],
            "gid": self._run_as[1],
            "core": max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else -1,
            "alone": order.is_alone,
            "tasks": count_tasks(self._run_as),
            "memory": limits.memory,
            "file_bytes": limits.most_bytes,
            "processes": limits.processes,
            "cpu": limits.cpu_seconds + _LATER,
            "most_bytes": limits.most_bytes,
            "most_files": limits.most_files,
            "readable": readable,
            "environment": json.dumps(self._environment()),
            "steps": json.dumps([list(step) for step in order.steps]),
            "names": list(order.files),
            "sizes": json.dumps([len(content) for content in order.files.values()]),
            "products": list(order.products),
        }

    def _environment(self) -> dict[str, str]:
        spare = f"{self._folder}/{SPARE}"
        given = {name: value.replace("SPARE", spare) for name, value in self._order.environment.items()}
        path = ":".join((*self._order.path, "/usr/local/bin", "/usr/bin", "/bin"))
        return {
            "PATH": path,
            "HOME": spare,
            "TMPDIR": spare,
            "LANG": "C.UTF-8",
            "SOURCE_DATE_EPOCH": "0",
            "PWD": f"{self._folder}/{SOURCE}",
        } | given

    def _watch(self, log: int) -> str:
        """Wait for the answer, and stop the build if it exceeds a limit; return which one, as the rest of a sentence."""
        limits = self._limits
        until = monotonic() + limits.seconds
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        poll.register(log, select.POLLIN)
        stopped = ""
        while True:
            ready = dict(poll.poll(1000 * _TICK))
            if ready.get(log, 0) & (select.POLLIN | select.POLLHUP) and not self._log.read(log):
                poll.unregister(log)
            if self._channel.fileno() in ready:
                return stopped
            over = self._over(monotonic() > until)
            if over and not stopped:
                stopped = over
                self._channel.settimeout(_END_SECONDS)
                with contextlib.suppress(ChannelClosedError, TimeoutError):
                    send(self._channel, {"stop": True})
                return stopped

    def _over(self, is_late: bool) -> str:  # one of several reasons
        limits = self._limits
        if is_late:
            return f"took more than {limits.seconds:g} seconds"
        if self._log.is_over:
            return f"wrote more than {limits.log_bytes >> 20} MiB to its log"
        used = usage_of(self._process.pid)
        passed, self._looked = monotonic() - self._looked, monotonic()
        self._idle += 0.0 if used.is_busy else min(passed, 2 * _TICK)
        if self._idle > limits.idle_seconds:
            return f"let {limits.idle_seconds:g} seconds pass without doing anything"
        if used.cpu_seconds > limits.cpu_seconds:
            return f"used more than {limits.cpu_seconds} seconds of CPU time"
        if used.memory > limits.memory:
            return f"used more than {limits.memory >> 20} MiB of memory"
        return ""

    def _complaint(self) -> str:
        return last_words(self._process, self._complaints) or "the keeper of the build was lost, as when the machine has no memory left"


@contextmanager
def _folder(run_as: tuple[int, int]) -> Iterator[str]:
    """A temporary folder for a build."""
    path = Path(tempfile.mkdtemp(prefix="arena-build-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(path, *run_as)
        yield str(path)
    finally:
        remove(path)


def _failure(program: str, status: int, complaint: str) -> str:
    """Return the rest of a sentence about a step that failed."""
    if complaint:
        return complaint
    if status < 0:
        return f"was ended by signal {-status} in '{program:.60}'"
    return f"failed: '{program:.60}' ended with exit code {status}"
