"""A run whose disk fills up stops with a sentence; with more room the same command goes on, and nothing is lost or doubled."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.arena.conftest import PROGRAM

pytestmark = pytest.mark.slow  # it fills a disk

SPEC = """
name = "cup"
game = "tongiaki"
seed = 7
bots = ["random", "greedy"]
[schedule]
tables = [2]
blocks = 160
"""
RUN = ["run", "cup.toml", "--executor", "inline", "--isolation", "none", "--db"]


def in_a_mount_namespace(*command: str) -> list[str]:
    """The command where it may mount what nobody else sees."""
    return ["unshare", "--user", "--map-root-user", "--mount", *command]


@pytest.fixture
def may_mount() -> None:
    if shutil.which("unshare") is None or subprocess.run(in_a_mount_namespace("true"), capture_output=True, check=False).returncode:
        pytest.skip("this machine lets an ordinary user mount nothing, so no disk can be made that fills up")


@pytest.mark.usefixtures("may_mount")
def test_a_full_disk_stops_a_run_and_room_lets_it_go_on(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "cup.toml").write_text(SPEC)
    (tmp_path / "disk").mkdir()
    arena = shlex.join([*PROGRAM, *RUN])
    count = shlex.join(
        [sys.executable, "-c", "import sqlite3; print(sqlite3.connect('disk/cup.db').execute('SELECT count(*) FROM match').fetchone()[0])"]
    )
    script = f"""
        mount -t tmpfs -o size=640k tmpfs disk || exit 99
        {arena} disk/cup.db; echo "first: $?"
        mount -o remount,size=64m disk || exit 99
        echo "stored: $({count})"
        {arena} disk/cup.db; echo "second: $?"
        echo "stored: $({count})"
        {arena} peace.db
    """
    done = subprocess.run(
        in_a_mount_namespace("sh", "-c", script), cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "first: 1" in done.stdout
    assert done.stderr.strip() == "error: the disk is full: disk/cup.db could not be written; make room and run the same command again"
    stored = [int(line.removeprefix("stored: ")) for line in done.stdout.splitlines() if line.startswith("stored: ")]
    assert 0 < stored[0] < stored[1] == 320
    assert "second: 0" in done.stdout
    digests = [line for line in done.stdout.splitlines() if line.startswith(("results sha256:", "ratings sha256:"))]
    assert digests[-4:-2] == digests[-2:]
