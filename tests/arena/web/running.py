"""``arena serve`` as a process of its own, for tests that attack it: what it costs, what it writes, how soon it answers."""

from __future__ import annotations

import http.client
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.world import wait_for

ROOT = Path(__file__).parents[3]
PROGRAM = [sys.executable, "-c", "from arena.cli import main; main()"]
ORDINARY = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
"""Runs a program without the powers of root."""


@dataclass
class Running:
    """A running server."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def memory(self) -> int:
        """The memory of the server's own process, in MiB; its greatest so far."""
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text())
        assert found is not None
        return int(found[1]) >> 10

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), 60)

    def get(self, path: str = "/", **headers: str) -> int:
        """The status of a page; 0 where there is no answer within a minute."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path, headers={key.replace("_", "-"): value for key, value in headers.items()})
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()


@contextmanager
def running(db: Path | str, *options: str, as_ordinary: bool = False, log: Path | None = None) -> Iterator[Running]:
    """A server of its own for this database."""
    log = log or Path(db).with_suffix(".log")
    command = [*(ORDINARY if as_ordinary else []), *PROGRAM, "serve", "--db", str(db), "--port", "0", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with log.open("wb") as errors:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=errors)
    try:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        found = re.search(r"http://[^ ]+:(\d+)/", line)
        assert found is not None, line + log.read_text()
        server = Running(int(found[1]), process, log)
        wait_for(lambda: server.get() == 200, 120, pause=0.1)
        yield server
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(15)
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


@dataclass
class Visits:
    """How long pages took that somebody asked for again and again."""

    seconds: list[float] = field(default_factory=list)
    failed: int = 0


@contextmanager
def visiting(server: Running, path: str = "/", pause: float = 0.05) -> Iterator[Visits]:
    """Somebody who asks for a page meanwhile."""
    visits = Visits()
    over = threading.Event()

    def visit() -> None:
        while not over.wait(pause):
            begun = time.monotonic()
            if server.get(path) != 200:
                visits.failed += 1
            visits.seconds.append(time.monotonic() - begun)

    thread = threading.Thread(target=visit)
    thread.start()
    try:
        yield visits
    finally:
        over.set()
        thread.join()


def can_be_ordinary() -> bool:
    """Whether a program can be run here without root's powers, although this runs as root."""
    return os.geteuid() == 0 and subprocess.run([*ORDINARY, "true"], capture_output=True, check=False).returncode == 0
