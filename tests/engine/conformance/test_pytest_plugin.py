"""The battery in a game's own repository: one line makes a test of each law."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.conformance import LAWS
from engine.conformance.pytest import conformance

ROOT = Path(__file__).parents[3]
ONE_LINE = """
from tests.engine.conformance import toys
toys.register()
from engine.conformance.pytest import conformance

test_rules = conformance("{name}", games=1)
"""


def run(folder: Path, name: str) -> tuple[int, str]:
    (folder / "test_game.py").write_text(ONE_LINE.format(name=name))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={folder}", "-o", f"pythonpath={ROOT}", str(folder)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.slow
def test_a_sound_game_passes_a_test_for_each_law(tmp_path: Path) -> None:
    code, said = run(tmp_path, "toy-dice")
    assert code == 0, said
    assert f"{len(LAWS) - 1} passed, 1 skipped" in said


@pytest.mark.slow
def test_a_broken_law_is_the_one_test_that_fails(tmp_path: Path) -> None:
    code, said = run(tmp_path, "toy-unordered")
    assert code == 1
    assert "FAILED test_game.py::test_rules[other-process]" in said
    assert "1 failed" in said
    assert "arena game check toy-unordered --players 2 --seed 0 --games 1" in said
    assert "Traceback" not in said


def test_a_law_that_is_not_there_can_not_be_left_out() -> None:
    with pytest.raises(ValueError, match="unknown law 'gravity' in 'without'"):
        conformance("toy-dice", without=["gravity"])


def test_a_game_that_is_not_there_fails_with_a_sentence() -> None:
    with pytest.raises(pytest.fail.Exception, match="there is no game 'toy-nothing'"):
        conformance("toy-nothing")(LAWS[0])
