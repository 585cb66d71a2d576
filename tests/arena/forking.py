"""The program ``arena`` run in a fork of a server that has imported its libraries: a process of its own without the second of start-up.

``Program.run`` takes and returns what ``subprocess.run`` does. The fork has its own folder, environment, output and exit code. Only what
happens while modules are imported is not seen; ``tests/arena/cli/test_imports.py`` starts anew for that.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).parents[2]
SERVER = [sys.executable, "-c", "from tests.arena.forking import serve; serve()"]
LIBRARIES = [
    "arena.analysis.compare",
    "arena.run.results",
    "arena.cli.run.run",
    "arena.run.runner",
    "arena.verification.verifier",
    "arena.verification.exporter",
    "bots.host.bot_process",
    "leaderboard.storage.seal_chain",
    "leaderboard.statistics.summary",
    "leaderboard.storage.store",
    "scipy.optimize",
    "scipy.stats",
]
"""What commands import when they run. None of it may start a thread, since a thread does not survive a fork."""


class Request(TypedDict):
    """What a fork is to run, as a line of JSON."""

    arguments: list[str]
    cwd: str
    env: dict[str, str]
    memory: int | None
    stdout: str
    stderr: str


class Program:
    """A server and the forks it makes, one at a time; ``close`` it."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._server = subprocess.Popen(SERVER, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(
        self, arguments: list[str], *, cwd: Path, env: dict[str, str], timeout: float, memory: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Return what the program did, in at most so many seconds and bytes of data; raises ``subprocess.TimeoutExpired``."""
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            request = Request(arguments=arguments, cwd=str(cwd), env=env, memory=memory, stdout=str(out), stderr=str(err))
            assert self._server.stdin is not None
            assert self._server.stdout is not None
            self._server.stdin.write(json.dumps(request) + "\n")
            self._server.stdin.flush()
            pid = int(self._server.stdout.readline())
            is_over = bool(select.select([self._server.stdout], [], [], timeout)[0])
            if not is_over:
                os.kill(pid, signal.SIGKILL)
            code = int(self._server.stdout.readline())
            if not is_over:
                raise subprocess.TimeoutExpired(["arena", *arguments], timeout, out.read_text(), err.read_text())
            return subprocess.CompletedProcess(["arena", *arguments], code, out.read_text(), err.read_text())

    def close(self) -> None:
        """End the server."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait()


def serve() -> None:
    """Fork for each request on standard input; answer with the fork's process id, then with its exit code."""
    from arena.cli import main

    for library in LIBRARIES:
        importlib.import_module(library)
    gc.freeze()  # so that a fork's last collection looks only at what the fork has made
    while line := sys.stdin.readline():
        request: Request = json.loads(line)
        pid = os.fork()
        if not pid:
            _become(request)
            try:
                main()
            except SystemExit as ended:
                _end(int(ended.code or 0))
            return
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def _become(request: Request) -> None:
    """Make this fork what a new process would be that is started so."""
    files = os.devnull, request["stdout"], request["stderr"]
    for number, file in enumerate(files):
        opened = os.open(file, os.O_WRONLY | os.O_CREAT if number else os.O_RDONLY)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = ["arena", *request["arguments"]]
    if request["memory"] is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (request["memory"], request["memory"]))


def _end(code: int) -> None:
    """End as an interpreter ends, which complains of files left open, but don't take all libraries apart: that takes longer than to run."""
    if threading.active_count() == 1:
        gc.collect()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
