"""Runs the programs of units and services as processes, in folders of a test."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bots.limits import Level
from bots.sandbox.probe import best_level
from tests.deploy.files import ROOT
from tests.world import wait_for

LADDER = """
name = "summer"
game = "tongiaki"
seed = 7
bots = ["greedy", "random", "spoiler"]
[schedule]
format = "ladder"
tables = [2]
"""

PROGRAM = f"exec {sys.executable} -c 'from arena.cli import main; main()' \"$@\""


def write_arena(folder: Path, script: str = "") -> Path:
    """Write a program ``arena`` to a new folder for PATH: this one, or a shell script in its place."""
    folder.mkdir()
    program = folder / "arena"
    program.write_text(f"#!/bin/sh\n{script or PROGRAM}\n")
    program.chmod(0o755)
    return folder


def fitting(arguments: list[str]) -> list[str]:
    """The arguments of ``arena run`` or ``serve`` with a level of isolation that this machine has, one worker, and a free port."""
    if arguments[0] == "serve":
        return [*arguments, "--port", "0"]
    if best_level() is not Level.L3:
        at = arguments.index("--require-isolation")
        arguments = [*arguments[:at], "--isolation", "none", "--trust-bots", *arguments[at + 2 :]]
    return [*arguments, "--workers", "1"]


class Running:
    """A process with its output in a file."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self._process, self._log = process, log

    @property
    def output(self) -> str:
        return self._log.read_text(encoding="utf-8")

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_running(self) -> bool:
        return self._process.poll() is None

    def find(self, pattern: str) -> str:
        """Wait until it has printed the pattern; its first group."""

        def printed() -> re.Match[str] | None:
            assert self.is_running() or re.search(pattern, self.output), self.output
            return re.search(pattern, self.output)

        wait_for(printed, 120)
        found = printed()
        assert found is not None
        return found[1]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal to it alone, and wait; its exit code."""
        self._process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        return self._process.wait(120)


@contextmanager
def started(command: list[str], folder: Path, environment: Mapping[str, str]) -> Iterator[Running]:
    """Start it in that folder; it is killed with the block, and all that it has started."""
    log = folder / "log.txt"
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", **environment},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield Running(process, log)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
