"""A Ray cluster of several nodes on this machine, each with an address and folders of its own, and ways to kill one."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
from pathlib import Path

from tests.bots.sandbox.stage import descendants, is_alive
from tests.world import wait_for

ROOT = Path(__file__).parents[4]
RAY = [sys.executable, "-c", "from ray.scripts.scripts import main; main()"]


def command(process: int) -> str:
    """The process's command line, as it is now; empty if it is not there."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
    except OSError:
        return ""


class Node:
    """One node: ``ray start`` in a working directory of its own, with a home and a folder for Ray, that no other has."""

    def __init__(self, number: int, folder: Path, arguments: list[str], environment: dict[str, str]) -> None:
        self.folder = folder / f"n{number}"
        home = self.folder / "home"
        home.mkdir(parents=True)
        self._log = self.folder / "log"
        fixed = ["--block", "--disable-usage-stats", "--temp-dir", str(self.folder), "--object-store-memory", "80000000"]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*RAY, "start", *fixed, "--node-ip-address", f"127.0.0.{number}", *arguments],
                cwd=home,
                env=environment | {"HOME": str(home), "TMPDIR": str(home)},
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def wait_until_ready(self) -> None:
        """It has joined the cluster."""
        wait_for(lambda: b"Ray runtime started" in self._log.read_bytes() or self._process.poll() is not None)
        assert self._process.poll() is None, self._log.read_text()

    def processes(self) -> list[int]:
        """Those of this node."""
        return [self._process.pid, *descendants(self._process.pid)]

    def bots(self) -> list[int]:
        """Its processes that hold bots, or start them."""
        return [each for each in descendants(self._process.pid) if "bots.sandbox" in command(each) or "bwrap" in command(each)]

    def is_playing(self) -> bool:
        """Whether one of its workers is at work."""
        return any(command(each).startswith("ray::work_batch") for each in descendants(self._process.pid))

    def kill(self, *, spare: list[int] | None = None) -> None:
        """The node's processes are gone at once, but for those to ``spare``."""
        for process in self.processes():
            if process not in (spare or ()):
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    continue
        self._process.wait()


class LocalCluster:
    """A head node that plays, too, and others that are added. To be used in a ``with`` statement, which leaves no process behind."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.create_server(("127.0.0.2", 0)) as free:
            port = free.getsockname()[1]
        self.address = f"127.0.0.2:{port}"
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "RAY_"))} | {
            "PYTHONPATH": str(ROOT),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "RAY_health_check_initial_delay_ms": "500",
            "RAY_health_check_period_ms": "500",
        }
        self.nodes: list[Node] = []
        self._start(["--head", "--port", str(port), "--num-cpus", "1", "--include-dashboard", "false"], {})
        self.nodes[0].wait_until_ready()

    def add(self, **environment: str) -> Node:
        """One more node, with one core; wait until it is ready."""
        return self._start(["--address", self.address, "--num-cpus", "1"], environment)

    def _start(self, arguments: list[str], environment: dict[str, str]) -> Node:
        self.nodes.append(Node(len(self.nodes) + 2, self._folder, arguments, self.environment | environment))
        return self.nodes[-1]

    def __enter__(self) -> LocalCluster:
        return self

    def __exit__(self, *_: object) -> None:
        processes = [process for node in self.nodes for process in node.processes()]
        for node in reversed(self.nodes):
            node.kill()
        wait_for(lambda: not any(map(is_alive, processes)))
