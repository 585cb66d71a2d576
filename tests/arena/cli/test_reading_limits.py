"""A file that a command is given may be anything; nothing hangs, nothing fills the memory, and it is told in a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bots.loader.files import UnreadableFileError, read_file
from tests.arena.forking import Program

Tell = Callable[[list[str], Path], str]

MOST_MEMORY = 700 << 20
"""Bytes of addresses that a command may use, above what its libraries take."""
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv.pop(1)),) * 2)
from arena.cli import main
main()
"""


def run_anew(*arguments: str | Path, stdin: int = subprocess.DEVNULL) -> subprocess.CompletedProcess[str]:
    """The command in a new interpreter, with little memory and little time."""
    return subprocess.run(
        [sys.executable, "-c", LIMITED, str(MOST_MEMORY), *map(str, arguments)],
        capture_output=True, text=True, timeout=60, check=False, stdin=stdin, env={**os.environ, "COLUMNS": "400"},
    )  # fmt: skip


@pytest.fixture
def tell(request: pytest.FixtureRequest, tmp_path: Path) -> Tell:
    """What a command says on standard error, which are errors, after exit code 2; with little memory and little time."""

    def tell(command: list[str], file: Path) -> str:
        if "FILE.py" in command:
            link = file.with_name(f"{file.name}.py")
            link.symlink_to(file)
            file = link
        arguments = [str(file) if each.startswith("FILE") else each for each in command]
        if sys.platform == "linux":
            program: Program = request.getfixturevalue("program")
            done = program.run(arguments, cwd=tmp_path, env={**os.environ, "COLUMNS": "400"}, timeout=60, memory=MOST_MEMORY)
        else:  # where libraries don't survive a fork
            done = run_anew(*arguments)
        assert done.returncode == 2, done
        assert done.stdout.startswith("Reading ") if command[0] == "run" else done.stdout == ""
        lines = done.stderr.splitlines()
        assert all(line.startswith("error: ") for line in lines)
        return lines[0]

    return tell


@pytest.fixture
def huge(tmp_path: Path) -> Path:
    """A file with 1.5 GB in it, which takes no room."""
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(1_500_000_000)
    return path


COMMANDS = [
    ["replay", "FILE"],
    ["replay", "verify", "FILE"],
    ["puzzle", "show", "FILE"],
    ["puzzle", "check", "FILE", "FILE"],
    ["run", "FILE", "--executor", "inline"],
    ["verify", "FILE"],
    ["bots", "check", "--game", "tongiaki", "FILE.py", "--trust-bots"],
    ["match", "--game", "tongiaki", "FILE.py", "random", "--isolation", "none"],
    ["leaderboard", "--db", "FILE"],
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_giant_file(huge: Path, tell: Tell, command: list[str]) -> None:
    tell(command, huge)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_device_that_never_ends(tmp_path: Path, tell: Tell, command: list[str]) -> None:
    (tmp_path / "zero").symlink_to("/dev/zero")
    tell(command, tmp_path / "zero")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "command",
    [pytest.param(each, marks=pytest.mark.slow) if each[0] == "bots" else each for each in COMMANDS],  # it waits for each game
    ids=" ".join,
)
def test_a_pipe_that_nobody_fills(tmp_path: Path, tell: Tell, command: list[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    tell(command, tmp_path / "pipe")


def test_a_giant_on_standard_input() -> None:
    with Path("/dev/zero").open("rb") as zeros:
        source = subprocess.Popen(["head", "-c", "1500000000"], stdin=zeros, stdout=subprocess.PIPE)
        assert source.stdout is not None
        done = run_anew("replay", "verify", "/dev/stdin", stdin=source.stdout.fileno())
        source.stdout.close()
        source.kill()
        source.wait()
    assert done.returncode == 2
    assert done.stderr == "error: /dev/stdin is larger than 8 MiB, which is the limit\n"


def test_a_replay_on_standard_input_is_read(tmp_path: Path) -> None:
    made = run_anew(
        "match", "--game", "tongiaki", "random", "random", "--seed", "7", "--isolation", "none", "--save", tmp_path / "match.json"
    )
    assert made.returncode == 0
    with subprocess.Popen(["cat", tmp_path / "match.json"], stdout=subprocess.PIPE) as source:
        assert source.stdout is not None
        done = run_anew("replay", "verify", "/dev/stdin", stdin=source.stdout.fileno())
    assert done.stdout.startswith("/dev/stdin: ok")


def test_what_is_read_is_what_is_there_up_to_the_last_byte(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    assert read_file(path, 5) == b"12345"
    with pytest.raises(UnreadableFileError, match="is larger than 0 KiB"):
        read_file(path, 4)


def test_a_pipe_that_stays_silent_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.loader.files.PATIENCE", 0.2)
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(tmp_path / "pipe", os.O_WRONLY)
    try:
        with pytest.raises(UnreadableFileError, match="that has delivered no data"):
            read_file(tmp_path / "pipe", 10)
    finally:
        os.close(writer)
        os.close(reader)
