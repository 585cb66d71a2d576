"""The host's handle to a zygote: starts the process, requests children, and receives reports of their exits."""

from __future__ import annotations

import contextlib
import math
import os
import resource
import select
import signal
import socket
import subprocess
import weakref
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import RLock
from typing import IO, Any, Final

from bots.clock import running_time
from bots.errors import NotOfferedError, PreparationError, SandboxError, UnfitError
from bots.limits import Level, Limits
from bots.sandbox import bubblewrap, seccomp
from bots.sandbox.channel import ChannelClosedError, Message, file_of, receive, receive_record, send
from bots.sandbox.child import Child, Exit, ExitKind
from bots.sandbox.lockdown import abi
from bots.sandbox.paths import HostPaths, find_paths
from bots.sandbox.process import HIGHEST_DESCRIPTOR
from bots.sandbox.reaping import ExitRecord
from bots.sandbox.remediation import advice

NOBODY: Final = 65534
"""The user and group of bots if the host runs as root."""
_START_SECONDS: Final = 60.0
_REPLY_SECONDS: Final = 30.0
_END_SECONDS: Final = 10.0
_LIBRARIES_OF_COMMANDS: Final = ("/usr", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/ssl/openssl.cnf")


@dataclass(frozen=True, slots=True)
class SandboxConfig:
    """The settings of a sandbox; see `bots.sandbox.spawn.Sandbox`."""

    level: Level
    limits: Limits
    preload: tuple[str, ...]
    shown: tuple[str, ...] = ()
    preparation: str = ""
    prepared: str = ""
    """The string with which the function ``preparation`` is called."""
    loaded: tuple[str, ...] = ()
    """Names of modules that are imported before the first bot starts."""


@dataclass(frozen=True, slots=True)
class Start:
    """A way to start a zygote: the command line, the folder in its namespaces for bots' files, and whether it runs without root."""

    command: list[str]
    root: str
    drops_first: bool = False


def start_zygote(config: SandboxConfig) -> ZygoteHost:
    """Start a zygote in the first way that works on this machine, and return it.

    Raises PreparationError, UnfitError, NotOfferedError (which says what is missing) or another SandboxError.
    """
    check_open_files()
    paths = find_paths(config.preload, config.shown)
    complaints = []
    for start in _ways(config, paths):
        try:
            return ZygoteHost(config, paths, start)
        except (PreparationError, UnfitError):
            raise
        except SandboxError as error:
            complaints.append(str(error))
    raise NotOfferedError(config.level, "; ".join(complaints), advice(config.level))


def check_open_files() -> None:
    """Raise SandboxError if the hard limit of open files is too low for bots' processes and for a server."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < HIGHEST_DESCRIPTOR:
        raise SandboxError(
            f"the hard limit of open files is {hard}, but {HIGHEST_DESCRIPTOR} are needed; raise it "
            f"('ulimit -n {HIGHEST_DESCRIPTOR}' in a new shell, LimitNOFILE= in a systemd service)"
        )


def _find_bubblewrap(level: Level) -> str:
    """Return the path of bubblewrap, or an empty string below L3. Raises NotOfferedError if anything that the level needs is missing."""
    if level >= Level.L2 and not abi():
        raise NotOfferedError(level, "the kernel has no Landlock", advice(level))
    if level >= Level.L1 and not seccomp.is_available():
        raise NotOfferedError(level, "libseccomp is not installed", advice(level))
    program = bubblewrap.find_bubblewrap() if level is Level.L3 else ""
    if program is None:
        raise NotOfferedError(level, "bubblewrap is not installed", advice(level))
    return program


def _ways(config: SandboxConfig, paths: HostPaths) -> list[Start]:
    program = _find_bubblewrap(config.level)
    if not program:
        return [Start(bubblewrap.plain_command(paths), "")]
    folder, files = bubblewrap.COMMANDS_FOLDER, config.limits.files
    by_user = Start(bubblewrap.sealed_command(program, paths, is_privileged=False, files=files), folder, drops_first=True)
    if os.geteuid() != 0:
        return [by_user]
    # In a container, root may lack the rights to mount that an ordinary user gets in a user namespace.
    return [Start(bubblewrap.sealed_command(program, paths, is_privileged=True, files=files), folder), by_user]


class ZygoteHost:
    """A running zygote. The channel closes when this process ends for any reason; then the zygote ends with all its children."""

    def __init__(self, config: SandboxConfig, paths: HostPaths, start: Start) -> None:
        self._lock = RLock()
        self._config = config
        self._exits: dict[int, Exit] = {}
        self._watch: list[int] = []
        self._cpu_limits: dict[int, int] = {}
        self.is_alone = False
        self._log = file_of(b"")
        self._channel, theirs = socket.socketpair()
        try:
            self._process = _popen(start.command, theirs, self._log, drops=start.drops_first)
        except OSError as error:
            self._channel.close()
            self._log.close()
            raise SandboxError(f"the zygote can't be started: {error.strerror}") from None
        finally:
            theirs.close()
        _HOSTS.add(self)
        try:
            self._begin(config, paths, start)
        except BaseException:
            self.close()
            raise

    def _begin(self, config: SandboxConfig, paths: HostPaths, start: Start) -> None:
        programs = []
        if config.level >= Level.L1:
            profiles = (seccomp.Profile.PYTHON_WITHOUT_FILES, seccomp.Profile.COMMAND, seccomp.Profile.PYTHON, seccomp.Profile.NOTIFY)
            programs = [seccomp.compile_filter(profile, has_threads=config.limits.threads > 1) for profile in profiles]
        message: dict[str, Any] = {
            "level": int(config.level),
            "preload": list(config.preload),
            "preparation": config.preparation,
            "prepared": config.prepared,
            "loaded": list(config.loaded),
            "stdlib": list(paths.stdlib),
            "roots": list(paths.roots),
            "packages": list(paths.packages),
            "loaders": list(paths.loaders),
            "readable": list(_LIBRARIES_OF_COMMANDS),
            "user": NOBODY,
            "root": start.root,
            **{f"limit_{name}": value for name, value in asdict(config.limits).items()},
        }
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(file_of(program)) for program in programs]
            self._channel.settimeout(_START_SECONDS)
            try:
                send(self._channel, message, [file.fileno() for file in files])
                answer, self._watch = self._receive(_START_SECONDS)
            except (ChannelClosedError, TimeoutError):
                raise SandboxError(self._complaint() or f"the zygote of {config.level} doesn't start") from None
        if "unprepared" in answer:
            raise PreparationError(str(answer["unprepared"]))
        if "unfit" in answer:
            raise UnfitError(str(answer["unfit"]))
        if "error" in answer:
            raise SandboxError(f"the zygote of {config.level} can't start: {answer['error']}")
        self.is_alone = bool(answer["alone"])
        self._channel.settimeout(_REPLY_SECONDS)

    def _complaint(self) -> str:
        """Return the last line in the log of a zygote that is ending, or an empty string if the log is empty."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._log.seek(0)
        lines = self._log.read(1 << 16).decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def is_alive(self) -> bool:
        """Return whether the zygote still accepts requests."""
        with self._lock:
            with contextlib.suppress(ChannelClosedError):
                self._hear(0)
            return self._channel.fileno() >= 0 and self._process.poll() is None

    def spawn(
        self, number: int, entry: str, payload: bytes, *, is_command: bool, is_native: bool, core: int | None, cpu_seconds: int
    ) -> Child:
        """Make the zygote fork a child, which the host identifies by ``number``. See `process.Job` for the other arguments.

        Raises SandboxError if the zygote is gone or the host has no descriptors or processes left.
        """
        message: Message = {
            "number": number,
            "entry": entry,
            "is_command": is_command,
            "is_native": is_native,
            "tasks": self._count_tasks() if is_command or is_native or self._counts_threads else 0,
            "core": -1 if core is None else core,
            "cpu": cpu_seconds,
        }
        with self._lock, contextlib.ExitStack() as undo, contextlib.ExitStack() as handed_over:
            try:
                ours, theirs = _pipes(undo, handed_over)
                file = handed_over.enter_context(file_of(payload))
                send(self._channel, message, [*theirs, file.fileno()])
                answer, descriptors = self._answer()
            except (ChannelClosedError, TimeoutError):
                raise SandboxError(f"the zygote was lost: {self._complaint() or 'it gave no reason'}") from None
            except OSError as error:
                raise SandboxError(f"a bot's pipes can't be created: {error.strerror}") from None
            if "error" in answer:
                raise SandboxError(f"a bot's process can't be created: {answer['error']}")
            undo.pop_all()
            self._cpu_limits[number] = cpu_seconds
            pidfd = descriptors[0] if descriptors else None
            return Child(self, number, int(answer["pid"]), pidfd, ours, self._config.limits.memory)

    @property
    def _counts_threads(self) -> bool:
        """Whether a Python bot's thread limit depends on other processes of the same user."""
        return self._config.limits.threads > 1 and not self.is_alone

    def _count_tasks(self) -> int:
        return 1 if self.is_alone else count_tasks() + 1

    def exit_of(self, number: int, seconds: float) -> Exit | None:
        """Wait for at most ``seconds``, and return how the child ``number`` ended, or None if it is still running."""
        deadline = running_time() + seconds
        with self._lock:
            while number not in self._exits:
                try:
                    if not self._hear(deadline - running_time()):
                        return None
                except ChannelClosedError:
                    return Exit(ExitKind.HOST, 0, 0.0, None)
            return self._exits.pop(number)

    def _answer(self) -> tuple[Mapping[str, Any], list[int]]:
        """Return the answer to a request, after recording exits that were reported before it."""
        while True:
            message, descriptors = self._receive(_REPLY_SECONDS)
            if "gone" not in message:
                return message, descriptors
            self._note(message)

    def _receive(self, seconds: float) -> tuple[Mapping[str, Any], list[int]]:
        """Return the next message. Raises ChannelClosedError, or TimeoutError if no message starts within ``seconds``."""
        if not _is_readable(self._channel.fileno(), seconds):
            raise TimeoutError
        return receive(self._channel)

    def _hear(self, seconds: float) -> bool:
        """Record the next exit, or return False if none is reported within ``seconds``. Raises ChannelClosedError."""
        if self._channel.fileno() < 0:
            raise ChannelClosedError
        if not _is_readable(self._channel.fileno(), seconds):
            return False
        message, _ = receive(self._channel)
        self._note(message)
        return True

    def _note(self, message: Mapping[str, Any]) -> None:
        number = message["gone"]
        record = ExitRecord()
        receive_record(self._channel, record)
        status, cpu, peak = record.figures()
        limit = self._cpu_limits.pop(number, -1)
        ended = Exit.of_status(status, cpu, peak, limit if limit >= 0 else math.inf)
        if message["lost"]:
            ended = Exit(ExitKind.HOST, 0, cpu, peak)
        elif self._config.level > Level.L0 and (ended.kind, ended.number) == (ExitKind.SIGNALLED, signal.SIGKILL):
            ended = replace(ended, kind=ExitKind.KILLED)  # above L0 bots can't send signals, not even to themselves
        self._exits[number] = ended

    def close(self) -> None:
        """End the zygote and its children, and wait until all of them are gone."""
        with self._lock:
            self._channel.close()
            try:
                self._process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:  # the zygote is suspended; the kernel ends its children with it
                for descriptor in self._watch:
                    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                    _is_readable(descriptor, _END_SECONDS)  # readable once the process has ended
                self._process.kill()
                self._process.wait()
            while self._watch:
                os.close(self._watch.pop())
            self._log.close()
            _HOSTS.discard(self)

    def forget(self) -> None:
        """In a forked child of the host, close the child's copy of the channel, so that the zygote still ends with the parent."""
        self._channel.close()


def _popen(command: list[str], channel: socket.socket, log: IO[bytes], *, drops: bool) -> subprocess.Popen[bytes]:
    user = NOBODY if drops and os.geteuid() == 0 else None
    return subprocess.Popen(  # noqa: S603  # the command consists of this program's arguments and this host's paths
        command,
        stdin=channel.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=log,
        env=dict(bubblewrap.ENVIRONMENT),
        cwd="/",
        start_new_session=True,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
    )


def _is_readable(descriptor: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    until = running_time() + seconds
    while not poll.poll(max(0.0, seconds) * 1000):
        if (seconds := until - running_time()) <= 0:
            return False
    return True


def _pipes(undo: contextlib.ExitStack, handed_over: contextlib.ExitStack) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    read_in, write_in = os.pipe()
    undo.callback(os.close, write_in)
    handed_over.callback(os.close, read_in)
    ours, theirs = [write_in], [read_in]
    for _ in range(2):
        read, write = os.pipe()
        undo.callback(os.close, read)
        handed_over.callback(os.close, write)
        ours.append(read)
        theirs.append(write)
    for descriptor in ours:
        os.set_blocking(descriptor, False)
    return (ours[0], ours[1], ours[2]), (theirs[0], theirs[1], theirs[2])


def count_tasks() -> int:
    """Return the current number of processes and threads of the user that bots run as. RLIMIT_NPROC limits this number."""
    user, total = os.geteuid() or NOBODY, 0
    for path in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            fields = dict(line.partition(":")[::2] for line in path.read_text(encoding="utf-8", errors="replace").splitlines())
            if int(fields["Uid"].split()[0]) == user:
                total += int(fields["Threads"])
    return total


_HOSTS: Final[weakref.WeakSet[ZygoteHost]] = weakref.WeakSet()


def _forget_all() -> None:
    for host in list(_HOSTS):
        host.forget()


os.register_at_fork(after_in_child=_forget_all)
