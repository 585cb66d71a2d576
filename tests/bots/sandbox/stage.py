"""What the tests of the sandbox share: the things of a host that bots may attack, and whether they are as they were."""

from __future__ import annotations

import json
import os
import resource
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from bots.errors import NotOfferedError
from bots.limits import Level, Limits
from bots.sandbox.child import Child, Exit
from bots.sandbox.spawn import Sandbox

HOSTILE = Path(__file__).parents[2] / "hostile"
LEVELS = (Level.L3, Level.L2, Level.L1, Level.L0)
HARNESS = "tests.hostile.harness"
OPEN_PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/")  # noqa: S108  # where bots may have written


def started(level: Level, *, preload: tuple[str, ...] = (HARNESS,), limits: Limits | None = None) -> Sandbox:
    """A sandbox with its zygote; skips the test where the machine does not offer the level."""
    sandbox = Sandbox(level, limits=limits, preload=preload)
    stop_unless_offered(sandbox)
    return sandbox


def stop_unless_offered(sandbox: Sandbox) -> None:
    """Start the zygote; skip the test where the machine does not offer the level."""
    try:
        sandbox.start()
    except NotOfferedError as error:
        pytest.skip(str(error))


def order(name: str, targets: dict[str, str]) -> bytes:
    source = (HOSTILE / f"{name}.py").read_text(encoding="utf-8")
    return json.dumps({"source": source, "name": name, "targets": targets}).encode()


def read_some(descriptor: int, seconds: float) -> bytes | None:
    """What there is to read, b"" at the end, None if nothing came in time."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return os.read(descriptor, 1 << 16) if poll.poll(seconds * 1000) else None


def read_line(child: Child, seconds: float = 60) -> bytes:
    deadline = time.monotonic() + seconds
    line = b""
    while not line.endswith(b"\n"):
        piece = read_some(child.stdout_fd, deadline - time.monotonic())
        assert piece, f"no answer: {line!r}, {child.exit_reason()}, {read_some(child.stderr_fd, 0.2)!r}"
        line += piece
    return line


@dataclass
class Told:
    """What a hostile bot said, and how it ended; None if it had to be killed."""

    attempts: list[dict[str, object]]
    ended: Exit | None
    log: str

    @property
    def got(self) -> list[str]:
        return [f"{each['attempt']}: {each['detail']}" for each in self.attempts if each["got"]]


def attack(sandbox: Sandbox, name: str, targets: dict[str, str], seconds: float = 120) -> Told:
    """Let a hostile bot do its worst until it ends by itself."""
    with sandbox.spawn(f"{HARNESS}:play", order(name, targets)) as child:
        said = bytearray()
        deadline = time.monotonic() + seconds
        while (piece := read_some(child.stdout_fd, max(0.0, deadline - time.monotonic()))) and len(said) < 1 << 20:
            said += piece
        ended = child.wait(max(0.1, deadline - time.monotonic()))
        log = (read_some(child.stderr_fd, 0) or b"").decode(errors="replace")
    lines = [json.loads(line) for line in said.splitlines()]
    assert lines, f"{name} never started: {ended}, {log}"
    assert lines[0] == {"started": True}, log
    return Told(lines[1:], ended, log)


def descendants(root: int) -> set[int]:
    """Every process below one, as /proc shows it now."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    found = {root}
    while new := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= new
    return found - {root}


def is_alive(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def is_stopped(pid: int) -> bool:
    """Whether all its threads have stopped: a signal is sent at once, but a thread obeys it only when it gets a processor."""
    with suppress(OSError):
        return {path.read_text().rpartition(")")[2].split()[0] for path in Path(f"/proc/{pid}/task").glob("*/stat")} == {"T"}
    return False


def are_gone_within(seconds: float, pids: Iterable[int]) -> bool:
    """Whether all of these end in time."""
    deadline = time.monotonic() + seconds
    while left := [pid for pid in pids if is_alive(pid)]:
        if time.monotonic() > deadline:
            return not left
        time.sleep(0.002)
    return True


class Host:
    """Secrets, a database, ports and a decoy process; ``harm`` lists what became of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.chmod(0o777)
        self.marker = f"marker-{os.urandom(6).hex()}"
        self.targets = {"folder": str(folder), "marker": self.marker, "host": str(os.getpid())}
        for key in ("secret", "bot", "database"):
            path = folder / f"{key}-{self.marker}"
            path.write_text(self.marker)
            path.chmod(0o666)
            self.targets[key] = str(path)
        half = os.urandom(6).hex()
        self.targets["half of another's source"] = half
        self.other_source = half + "-and-the-rest"
        self.listeners = {
            "tcp": socket.create_server(("127.0.0.1", 0)),
            "udp": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            "unix": socket.socket(socket.AF_UNIX),
        }
        self.listeners["udp"].bind(("127.0.0.1", 0))
        self.listeners["unix"].bind(f"\0arena-test-{self.marker}")
        self.listeners["unix"].listen()
        for key, listener in self.listeners.items():
            listener.setblocking(False)
            name = listener.getsockname()
            self.targets[key] = name[1:].decode() if key == "unix" else str(name[1])
        self.decoy = subprocess.Popen([sys.executable, "-S", "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
        self.targets["sibling"] = str(self.decoy.pid)
        self._was = self._state()

    def _state(self) -> list[object]:
        pids = (os.getpid(), self.decoy.pid)
        return [
            sorted(path.name for path in self.folder.iterdir()),
            [Path(self.targets[key]).read_text() for key in ("secret", "bot", "database")],
            [(os.getpriority(os.PRIO_PROCESS, pid), os.sched_getaffinity(pid), os.sched_getscheduler(pid)) for pid in pids],
            [resource.prlimit(pid, resource.RLIMIT_CORE) for pid in pids],
            [path for place in OPEN_PLACES for path in Path(place).iterdir() if self.marker in path.name],
            self.decoy.poll(),
            is_alive(self.decoy.pid),
        ]

    def harm(self) -> list[object]:
        """What is not as it was, and who called."""
        now = self._state()
        found: list[object] = [(was, new) for was, new in zip(self._was, now, strict=True) if was != new]
        for key, listener in self.listeners.items():
            with suppress(BlockingIOError):
                found.append((key, listener.recv(100) if key == "udp" else listener.accept()[0].close()))
        return found

    def close(self) -> None:
        for listener in self.listeners.values():
            listener.close()
        self.decoy.kill()
        self.decoy.communicate()
        for place in OPEN_PLACES:
            for path in Path(place).glob(f"*{self.marker}*"):
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
