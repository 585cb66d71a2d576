"""Attacks this machine to find out which levels it really offers: a level must refuse every attack that it claims to refuse."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Self

from bots.errors import NotOfferedError, SandboxError
from bots.limits import ADDRESSES_OF_COMMANDS, Level
from bots.sandbox.exploit_checks import ATTACKS
from bots.sandbox.remediation import advice
from bots.sandbox.spawn import Sandbox

_PRELOAD: Final = ("bots.sandbox.exploit_checks",)
_SECONDS: Final = 20.0
_MOMENT: Final = 0.02
_THREADS_OF_A_RUNTIME: Final = 4
_SHELL: Final = "run a shell"
_THREADS: Final = "take the threads of another bot"
_BURN: Final = "compute while another bot thinks"
_TABLES: Final = "fill the memory with page tables"
_OF_COMMANDS: Final = (_THREADS, _BURN, _TABLES)
"""Attacks that only a command can make, since a Python bot has a single thread and a limit of its address space."""
_NAMES: Final = (*ATTACKS, _SHELL)
_CLAIMS: Final[Mapping[Level, frozenset[str]]] = {
    Level.L3: frozenset((*_NAMES, *_OF_COMMANDS)),
    Level.L2: frozenset((*_NAMES, _BURN, _TABLES)),
    Level.L1: frozenset(_NAMES),
    Level.L0: frozenset({"raise its own limits"}),
}
"""The attacks that each level must refuse. Other attacks may be refused on some machines, but that is not guaranteed."""


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack and its result; ``detail`` is the error with which it was refused, or what it achieved."""

    name: str
    is_refused: bool
    detail: str


@dataclass(frozen=True, slots=True)
class LevelReport:
    """The findings for one level. If the level is not offered, ``lacking`` says why, and ``fix`` how to change that; otherwise both are
    empty."""

    level: Level
    attacks: tuple[Attack, ...] = ()
    lacking: str = ""
    fix: str = ""

    @property
    def is_offered(self) -> bool:
        """Whether bots can run at this level on this machine."""
        return not self.lacking

    @property
    def not_blocked(self) -> tuple[str, ...]:
        """The attacks that succeeded."""
        return tuple(attack.name for attack in self.attacks if not attack.is_refused)


@dataclass(frozen=True, slots=True)
class Report:
    """The findings for each level on this machine, highest level first."""

    levels: tuple[LevelReport, ...]

    @property
    def best(self) -> LevelReport:
        """The findings for the highest level offered. Raises SandboxError if even a plain process can't be started."""
        for report in self.levels:
            if report.is_offered:
                return report
        raise SandboxError(f"bots can't run in their own processes: {self.levels[-1].lacking}")

    def __str__(self) -> str:
        best = self.best
        refused = len(best.attacks) - len(best.not_blocked)
        text = f"{best.level}, the best this machine offers, refused {refused} of {len(best.attacks)} attacks"
        if best.not_blocked:
            text += f"; not blocked: {', '.join(best.not_blocked)}"
        return text


def probe() -> Report:
    """Attack this machine from bots at each level, and return the findings. This takes about a second."""
    with Stage() as stage:
        return Report(tuple(_probe_level(level, stage) for level in _CLAIMS))


@cache
def best_level() -> Level:
    """Return the highest level that this machine offers. Raises SandboxError if it offers none. The result is cached."""
    with Stage() as stage:
        for level in _CLAIMS:
            if (report := _probe_level(level, stage)).is_offered:
                return level
    raise SandboxError(f"bots can't run in their own processes: {report.lacking}")


def _probe_level(level: Level, stage: Stage) -> LevelReport:
    try:
        with Sandbox(level, preload=_PRELOAD) as sandbox:
            answers = _attack(sandbox, stage)
            among_themselves = _attack_each_other(sandbox) if level is not Level.L1 else []
    except SandboxError as error:
        return LevelReport(level, lacking=error.why if isinstance(error, NotOfferedError) else str(error), fix=advice(level))
    return _report(level, stage, answers, among_themselves)


def _report(level: Level, stage: Stage, answers: Mapping[str, tuple[bool, str]], among_themselves: list[Attack]) -> LevelReport:
    seen = stage.harm()
    attacks = []
    for name in _NAMES:
        is_refused, detail = answers.get(name, (False, "the bot reported nothing about it"))
        if name in seen:
            is_refused, detail = False, seen[name]
        elif name not in answers and name not in ATTACKS:
            is_refused, detail = True, "the process ended"
        attacks.append(Attack(name, is_refused, detail))
    attacks += among_themselves
    broken = [attack for attack in attacks if not attack.is_refused and attack.name in _CLAIMS[level]]
    if broken:
        lacking = f"a bot could {' and '.join(attack.name for attack in broken)} ({broken[0].detail:.60})"
        return LevelReport(level, tuple(attacks), lacking, advice(level))
    return LevelReport(level, tuple(attacks))


def _attack(sandbox: Sandbox, stage: Stage) -> dict[str, tuple[bool, str]]:
    answers: dict[str, tuple[bool, str]] = {}
    with sandbox.spawn("bots.sandbox.exploit_checks:run", json.dumps(stage.targets).encode()) as child:
        lines = _read_to_end(child.stdout_fd, _SECONDS).splitlines()
        log = _read_to_end(child.stderr_fd, 0.0).decode(errors="replace").strip()
    for line in lines:
        with suppress(ValueError, KeyError):
            answer = json.loads(line)
            answers[str(answer["name"])] = (bool(answer["is_refused"]), str(answer["detail"])[:200])
    if not answers:
        raise SandboxError(f"a bot started but reported nothing: {log.splitlines()[-1] if log else 'no reason given'}")
    return answers


def _attack_each_other(sandbox: Sandbox) -> list[Attack]:
    """Try attacks of a command on another command in its match. Raises SandboxError."""
    with ExitStack() as stack:
        children, said = {}, {}
        for part in ("hog", "peer", "mapper", "burner"):
            children[part] = stack.enter_context(sandbox.spawn("bots.sandbox.exploit_checks:play", part.encode(), is_native=True))
            said[part] = int(_read_to_end(children[part].stdout_fd, _SECONDS, b"\n") or -1)
        children["burner"].freeze()
        time.sleep(_MOMENT)  # until the process has stopped
        before = children["burner"].cpu_seconds()
        time.sleep(_MOMENT)
        burnt = children["burner"].cpu_seconds() - before
    return [
        Attack(_THREADS, said["peer"] == _THREADS_OF_A_RUNTIME, f"one bot started {said['hog']} threads, the next {said['peer']}"),
        Attack(_BURN, said["burner"] == 1 and burnt < _MOMENT / 2, f"it used {burnt:.3f} s of CPU time in {_MOMENT:g} s"),
        Attack(_TABLES, 0 <= said["mapper"] <= ADDRESSES_OF_COMMANDS >> 30, f"one bot mapped {said['mapper']} GiB of address space"),
    ]


def _read_to_end(descriptor: int, seconds: float, end: bytes | None = None) -> bytes:
    """Return what can be read within ``seconds``, until the end of file or until the data ends with ``end``."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    deadline = time.monotonic() + seconds
    data = bytearray()
    while len(data) < 1 << 20 and poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        piece = os.read(descriptor, 1 << 16)
        if not piece:
            break
        data += piece
        if end is not None and data.endswith(end):
            break
    return bytes(data)


class Stage:
    """The targets of the attacks: harmless files, listening sockets and a process, owned by the host's user."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self.targets: dict[str, str] = {}
        """What to attack, by name; the names are used in `exploit_checks`."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-probe-")))
            self._tcp = stack.enter_context(_listener(socket.AF_INET, socket.SOCK_STREAM))
            self._udp = stack.enter_context(_listener(socket.AF_INET, socket.SOCK_DGRAM))
            self._unix = stack.enter_context(_abstract_listener()) if sys.platform == "linux" else None
            self._set_up_files()
            self._set_up_decoy(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _set_up_files(self) -> None:
        """Create files that every user may read and write, so that only the isolation can protect them, not their modes."""
        self._folder.chmod(0o777)
        token = os.urandom(8).hex()
        self._marker = f"arena-secret-{token}"
        for key in ("secret", "bot", "database"):
            path = self._folder / f"{key}-{token}"
            path.write_text(self._marker, encoding="ascii")
            path.chmod(0o666)
            self.targets[key] = str(path)
        self.targets |= {
            "folder": str(self._folder),
            "leftover": f"arena-leftover-{token}",
            "marker": self._marker,
            "host": str(os.getpid()),
        }
        self.targets |= {"tcp": str(self._tcp.getsockname()[1]), "udp": str(self._udp.getsockname()[1])}
        self.targets["unix"] = self._unix.getsockname()[1:].decode() if self._unix is not None else ""

    def _set_up_decoy(self, stack: ExitStack) -> None:
        """Start a process that stands in for the host and other bots. It prints the address of the memory to attack."""
        code = "import sys, signal; x = b'memory'; print(id(x), flush=True); sys.stdin.read()"
        decoy = stack.enter_context(
            subprocess.Popen(  # noqa: S603  # this interpreter
                [sys.executable, "-I", "-S", "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={"ARENA_PROBE": self._marker},
                text=True,
                process_group=0,  # Ctrl-C in a terminal is meant for the host
            )
        )
        stack.callback(decoy.kill)
        self._decoy = decoy
        assert decoy.stdout is not None
        self.targets |= {"address": decoy.stdout.readline().strip(), "decoy": str(decoy.pid)}

    def harm(self) -> dict[str, str]:
        """Return the attacks that the host has seen succeed since the last call, with details. They override the bot's report."""
        seen = {}
        if _has_caller(self._tcp):
            seen["reach a TCP port of the host"] = "the host received a connection"
        if _has_caller(self._udp):
            seen["send UDP to the host"] = "the data arrived"
        if self._unix is not None and _has_caller(self._unix):
            seen["reach an abstract unix socket"] = "the host received a connection"
        database = Path(self.targets["database"])
        if database.read_text(encoding="ascii") != self._marker:
            seen["write to the database"] = "it was changed"
            database.write_text(self._marker, encoding="ascii")
        for folder in (str(self._folder), "/tmp", "/dev/shm", "/var/tmp", "/"):  # noqa: S108  # places where bots may have written
            path = Path(folder, self.targets["leftover"])
            if path.exists():
                seen["leave a file behind"] = f"{path} was left"
                path.unlink()
        if self._decoy.poll() is not None:
            seen["signal another process"] = "the process ended"
            self._decoy.wait()
            self._set_up_decoy(self._stack)
        return seen


@contextmanager
def _listener(family: socket.AddressFamily, kind: socket.SocketKind) -> Iterator[socket.socket]:
    with socket.socket(family, kind) as listening:
        listening.bind(("127.0.0.1", 0))
        if kind is socket.SOCK_STREAM:
            listening.listen()
        listening.setblocking(False)
        yield listening


@contextmanager
def _abstract_listener() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(f"\0arena-probe-{os.urandom(8).hex()}")
        listening.listen()
        listening.setblocking(False)
        yield listening


def _has_caller(listening: socket.socket) -> bool:
    """Return whether there is a connection or a datagram in the queue, and remove it."""
    try:
        if listening.type == socket.SOCK_DGRAM:
            listening.recv(1024)
        else:
            listening.accept()[0].close()
    except BlockingIOError:
        return False
    return True
