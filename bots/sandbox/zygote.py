"""The zygote, a small trusted process that forks bots. It preloads their modules, holds no secrets and never reads the bots' payloads.

It runs in a single thread, as pid 1 of a bubblewrap sandbox (L3) or as an ordinary process. The host sends it requests on a channel; when
that closes, the zygote ends all bots and itself. `zygote_host` starts it, and its children lock themselves down with `lockdown`.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import gc
import importlib
import os
import resource
import select
import signal
import socket
import struct
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from bots.limits import Level, Limits
from bots.sandbox import forking, lockdown, process
from bots.sandbox.channel import ChannelClosedError, number_of, read_all, receive, send, send_record, texts_of
from bots.sandbox.library import STANDARD_LIBRARY, Library
from bots.sandbox.preparation import SetupError, load_packages, prepare, try_out
from bots.sandbox.process import LOCKDOWN_FAILED, Job, Setup, reports_failure
from bots.sandbox.reaping import ExitRecord, children_of, ignore_stops, kill_group, reap_one, remove, watch

MOST_PIPES: Final = 16
"""The most pipes that a command may create; Node.js creates about six."""
_RECEIVE: Final = 0xC0502100
_SEND: Final = 0xC0182101
_SIZE_OF_REQUEST: Final = 80
_SIZE_OF_NUMBER: Final = 8
_CONTINUE: Final = 1


class PipeQuota:
    """Limits the pipes that commands create, since each pipe takes an inode, and a machine has a limited number of inodes.

    A filter suspends a command when it creates a pipe, until the zygote has answered on the command's listener (seccomp_unotify(2)).
    """

    def __init__(self) -> None:
        self._left: dict[int, int] = {}

    def add(self, listener: int) -> None:
        """Add the listener of a new command, which may create ``MOST_PIPES`` pipes."""
        self._left[listener] = MOST_PIPES

    def __contains__(self, listener: int) -> bool:
        return listener in self._left

    def remove(self, listener: int) -> None:
        """Remove the listener of a command that has ended."""
        del self._left[listener]

    def answer(self, listener: int) -> None:
        """Let a command create the pipe that it has asked for, or make its call fail with EMFILE (too many open files)."""
        request = bytearray(_SIZE_OF_REQUEST)
        try:
            fcntl.ioctl(listener, _RECEIVE, request)
        except OSError:  # the process was killed in the meantime
            return
        left = self._left[listener]
        answer = struct.pack("qiI", 0, 0 if left else -errno.EMFILE, _CONTINUE if left else 0)
        with contextlib.suppress(OSError):
            fcntl.ioctl(listener, _SEND, request[:_SIZE_OF_NUMBER] + answer)
        self._left[listener] = max(0, left - 1)


def listener_of(line: socket.socket) -> list[int]:
    """Return a list with the listener (a descriptor) that a process has sent on ``line``; empty if the process could not be locked down."""
    return [] if line.recv(1, socket.MSG_PEEK) in (b"", LOCKDOWN_FAILED) else receive(line)[1]


_SWEEP_SECONDS: Final = 5.0
_signal: Final = importlib.import_module("_signal")
"""The C module behind `signal`. It has no enums, so it is faster in a child."""
_THREADS: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "ORT_INTRA_OP_NUM_THREADS")


@dataclass(slots=True)
class _Started:
    """A running child, with the host's number for it."""

    number: int
    folder: str | None
    line: socket.socket
    """The socket on which the child reports that it could not be locked down."""


def main(control: int) -> NoReturn:
    """Serve the channel on descriptor ``control`` until the host closes it. In a forked child, run the bot. Never returns."""
    channel = socket.socket(fileno=os.dup(control))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, control)
    os.close(null)
    try:
        job = _Zygote(channel).serve()
    except ChannelClosedError:
        os._exit(0)
    except SetupError as error:
        with contextlib.suppress(ChannelClosedError, OSError):
            send(channel, {error.answer: str(error)})
        os._exit(1)
    except Exception as error:  # noqa: BLE001  # the host must be told about any failure
        with contextlib.suppress(ChannelClosedError, OSError):
            send(channel, {"error": str(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"})
        os._exit(1)
    del channel
    # Only children get here, with the zygote's frames still on their stacks.
    process.run(job)


class _Zygote:
    """The state of the zygote: its children, and the settings for new children."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._children: dict[int, _Started] = {}
        self._root: str = ""
        self._setup: Setup | None = None
        self._is_alone = False
        self._record = ExitRecord()
        self._pipe_quota = PipeQuota()
        self._unheard: dict[int, socket.socket] = {}
        """The lines of commands that have not sent their listeners yet."""
        self._poll = select.poll()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)
        os.set_blocking(self._wake_read, False)

    def serve(self) -> Job:
        """Fork a child for each request. Returns only in a child, with its job."""
        self._begin()
        signal.signal(signal.SIGCHLD, _ignore)
        ignore_stops()
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        poll = self._poll
        poll.register(self._channel, select.POLLIN)
        poll.register(self._wake_read, select.POLLIN)
        while True:
            ready = dict(poll.poll())
            try:
                if self._wake_read in ready:
                    _drain(self._wake_read)
                    self._reap()
                self._answer_listeners(ready)
                job = self._obey() if self._channel.fileno() in ready else None
            except ChannelClosedError:
                self._end_all()
                raise
            if job is not None:
                self._let_go()
                return job

    def _let_go(self) -> None:
        """Detach the sockets that this child has inherited: `process` closes all descriptors, and Python would warn about each socket."""
        for line in (self._channel, *(each.line for each in self._children.values())):
            line.detach()

    def _begin(self) -> None:
        """Read the settings for bots, preload modules, give up root, and check that a child can be locked down."""
        resource.setrlimit(resource.RLIMIT_NOFILE, (process.HIGHEST_DESCRIPTOR, process.HIGHEST_DESCRIPTOR))
        message, descriptors = receive(self._channel)
        level = Level(number_of(message, "level"))
        programs = [lockdown.Filter(read_all(descriptor)) for descriptor in descriptors]
        for name in (*STANDARD_LIBRARY, *texts_of(message, "preload")):
            importlib.import_module(name)
        prepare(str(message["preparation"]), str(message["prepared"]))
        limits = Limits(**{name: number_of(message, f"limit_{name}") for name in Limits.__dataclass_fields__})
        load_packages(texts_of(message, "loaded"), _threads_environment(limits.threads))
        # At L0 after giving up root, the interpreter's folder may not be readable.
        if level > Level.L0 or os.geteuid() == 0:
            Library(texts_of(message, "stdlib"), texts_of(message, "packages")).install(replaces_files=level > Level.L0)
        if not lockdown.has_one_thread():
            raise SetupError("unfit", "importing the bots' packages starts threads, and bot processes can't inherit threads")
        # Bots can't read other installed packages, so they should appear to be missing rather than forbidden.
        sys.path = [path for path in sys.path if path not in set(texts_of(message, "roots"))]
        lockdown.drop_to(number_of(message, "user"))
        self._is_alone = level > Level.L0 and forking.can_be_alone()
        jail = lockdown.JAIL if level is Level.L3 and self._is_alone else ""
        rules = lockdown.rules_for_python() if level >= Level.L2 else None
        lockdown.close_to_others()
        lockdown.adopt_orphans()
        self._root = str(message["root"])
        if limits.threads > 1 and level > Level.L0 and not self._is_alone:
            raise SetupError("unfit", "bots can have threads only on a host where ordinary processes may create user namespaces")
        self._setup = Setup(
            level=level,
            zygote=0 if self._is_alone else os.getpid(),
            is_alone=self._is_alone,
            jail=jail,
            rules=rules,
            python_filter=programs[2 if jail else 0] if programs else None,
            command_filter=programs[1] if programs else None,
            notify_filter=programs[3] if programs else None,
            limits=limits,
            rlimits=limits.rlimits(tasks_of_user=1),
            loaders=tuple(texts_of(message, "loaders")),
            readable=tuple(texts_of(message, "readable")),
        )
        os.chdir("/")
        gc.collect()
        gc.freeze()  # otherwise a child's first collection would write to all pages of the zygote, and so copy them
        try_out(self._setup, self._fork)
        handle = watch(os.getpid())
        send(self._channel, {"ready": True, "alone": self._is_alone}, handle)
        _close(handle)

    def _obey(self) -> Job | None:
        message, descriptors = receive(self._channel)
        number = number_of(message, "number")
        is_command = bool(message["is_command"])
        folder = self._new_folder() if is_command else None
        try:
            pid, line = self._fork_with_line()
        except OSError as error:  # no memory or too many processes: the host may try again later
            _close(descriptors)
            send(self._channel, {"error": error.strerror})
            return None
        if pid == 0:
            assert self._setup is not None
            core, cpu, tasks = (number_of(message, key) for key in ("core", "cpu", "tasks"))
            return Job(self._setup, line, str(message["entry"]), core, cpu, descriptors, bool(message["is_native"]), folder, tasks)
        _close(descriptors)
        self._children[pid] = _Started(number, folder, line)
        if is_command and self._setup is not None and self._setup.notify_filter is not None:
            self._unheard[line.fileno()] = line
            self._poll.register(line, select.POLLIN)
        handle = watch(pid)
        send(self._channel, {"number": number, "pid": pid}, handle)
        _close(handle)
        return None

    def _answer_listeners(self, ready: Mapping[int, int]) -> None:
        for descriptor, events in ready.items():
            if descriptor in self._unheard:
                self._poll.unregister(descriptor)
                with contextlib.suppress(ChannelClosedError, ValueError):
                    for listener in listener_of(self._unheard.pop(descriptor)):
                        self._pipe_quota.add(listener)
                        self._poll.register(listener, select.POLLIN)
            elif descriptor in self._pipe_quota and events & select.POLLIN:
                self._pipe_quota.answer(descriptor)
            elif descriptor in self._pipe_quota:
                self._pipe_quota.remove(descriptor)
                self._poll.unregister(descriptor)
                os.close(descriptor)

    def _fork(self) -> int:
        """Fork. If the host allows it, the child is alone in its own namespaces. Raises OSError."""
        return forking.fork_alone() if self._is_alone else os.fork()

    def _fork_with_line(self) -> tuple[int, socket.socket]:
        """Fork, and return the pid and this process's end of a line between the two processes. Raises OSError."""
        ours, theirs = socket.socketpair()
        try:
            pid = self._fork()
        except OSError:
            ours.close()
            theirs.close()
            raise
        if pid == 0:
            ours.close()
            signal.set_wakeup_fd(-1)
            _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
            return 0, theirs
        theirs.close()
        return pid, ours

    def _new_folder(self) -> str:
        """Create a folder for a command's files: in the sandbox's own file system at L3, or otherwise in a temporary folder."""
        if not self._root:
            self._root = tempfile.mkdtemp(prefix="arena-bots-")
        return tempfile.mkdtemp(dir=self._root)

    def _reap(self) -> None:
        """Reap children that have ended, with their descendants, and notify the host."""
        record = self._record
        while pid := reap_one(record):
            started = self._children.pop(pid, None)
            if started is None:
                record.wipe()
                continue
            self._sweep()
            if started.folder is not None:
                remove(started.folder)
            if self._unheard.pop(started.line.fileno(), None) is not None:
                self._poll.unregister(started.line)
            is_lost = reports_failure(started.line)
            send(self._channel, {"gone": started.number, "lost": is_lost})
            send_record(self._channel, record)
            record.wipe()

    def _sweep(self) -> None:
        """Kill processes that a dead bot left behind and the zygote has adopted. They exist only at L0; above it, bots can't create
        processes."""
        assert self._setup is not None
        if self._setup.level > Level.L0:
            return
        deadline = time.monotonic() + _SWEEP_SECONDS
        while (left := children_of(os.getpid()) - self._children.keys()) and time.monotonic() < deadline:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, 0)

    def _end_all(self) -> None:
        """Kill all bots after the host has gone. The kernel does that only if the zygote is pid 1."""
        for pid in self._children:
            kill_group(pid)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in self._children:
            os.waitpid(pid, 0)
        self._children.clear()
        self._sweep()
        if self._root:
            remove(self._root)


def _ignore(number: int, frame: object) -> None:
    """Do nothing. Only the wakeup descriptor matters."""


def _close(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _drain(descriptor: int) -> None:
    with contextlib.suppress(BlockingIOError):
        while os.read(descriptor, 4096):
            pass


def _threads_environment(threads: int) -> dict[str, str]:
    """Return the variables that set how many threads packages use in bots. The zygote itself must have a single thread."""
    return dict.fromkeys(_THREADS, str(threads))
