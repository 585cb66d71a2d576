"""``arena compare`` as a program: verdicts, exit codes, one sentence for what is wrong."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from arena.cli.app import app
from tests.arena.conftest import PROGRAM

Run = Callable[..., "subprocess.CompletedProcess[str]"]
HERE = ("--isolation", "none")
FIRST = """
class First:
    def choose(self, view, clock):
        return view.legal_moves[0]
"""


@pytest.fixture(autouse=True)
def bots(here: Path) -> None:
    """A bot that plays without noise, and another version of it that plays alike."""
    (here / "first.py").write_text(FIRST)
    (here / "second.py").write_text(f"# the same in other words\n{FIRST}")


def compare(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["compare", "--game", "tongiaki", *arguments], prog_name="arena")


class TestVerdicts:
    def test_greedy_is_better_than_random_in_ten_blocks(self) -> None:
        result = compare("greedy", "random", "--seed", "7", *HERE)
        assert result.exit_code == 0, result.output
        assert result.stdout.splitlines()[-1] == "greedy is better than random."
        assert "20 matches in 10 blocks: greedy ahead in 20, level in 0, behind in 0" in result.stdout
        assert max(map(len, result.stdout.splitlines())) <= 80

    def test_forfeits_are_told(self, here: Path) -> None:
        (here / "broken.py").write_text("class Broken:\n    def choose(self, view, clock):\n        raise ValueError('boom')\n")
        result = compare("broken.py", "random", "--seed", "1", *HERE)
        assert result.exit_code == 3
        *_, forfeits, verdict = result.stdout.splitlines()
        assert forfeits.startswith("broken forfeited 20 of its matches (first: crash, ")
        assert "ValueError: boom" in forfeits
        assert verdict == "broken is worse than random."


class TestWrongInput:
    def test_a_bot_without_noise_is_not_compared_with_itself(self) -> None:
        result = compare("first.py", "first.py", "--seed", "1", "--json", *HERE)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "NEW and OLD are the same version of first@" in result.stderr
        assert "which is deterministic" in result.stderr


def test_submitted_versions_are_compared(here: Path) -> None:
    for file in ("first.py", "second.py"):
        done = CliRunner().invoke(
            app,
            ["bots", "submit", file, "--name", "walker", "--db", "league.db", "--game", "tongiaki", "--isolation", "none"],
            prog_name="arena",
        )
        assert done.exit_code == 0, done.output
    result = compare("walker@1", "walker@2", "--db", "league.db", "--seed", "1", "--trust-bots", *HERE)
    assert result.stdout.splitlines()[0] == "walker@1 against walker@2 in 2-player matches"
    assert result.exit_code == 3


@pytest.mark.slow
def test_ctrl_c_ends_with_what_is_known(here: Path, environment: dict[str, str]) -> None:
    (here / "slow.py").write_text("import time\n" + FIRST.replace("        return", "        time.sleep(0.02)\n        return"))
    process = subprocess.Popen(
        [*PROGRAM, "compare", "--game", "tongiaki", "slow.py", "random", "--seed", "1", *HERE],
        cwd=here, env=environment | {"PYTHONUNBUFFERED": "1"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]  # the heading, and the first line on how far it is
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "")
    assert " blocks, " in lines[2]
    assert rest.splitlines()[-1] == "Undecided: it was stopped."
    assert ": slow ahead in " in rest
