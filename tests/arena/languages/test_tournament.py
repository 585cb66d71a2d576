"""The example tournament of bots of every kind comes out the same in this process and on Ray, and its bots can be asked again."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.arena.conftest import Run

EXAMPLES = Path(__file__).parents[3] / "examples"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def digests(printed: str) -> list[str]:
    """The two digests that every run prints."""
    found = re.findall(r"^(?:results|ratings) sha256:[0-9a-f]{64}$", printed, re.MULTILINE)
    assert len(found) == 2, printed
    return found


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node, which one of the bots needs")
def test_python_numpy_javascript_c_and_rust_play_one_tournament_alike_wherever_it_runs(run: Run, tmp_path: Path) -> None:
    found = {}
    for where in (["--executor", "inline"], ["--workers", "2"]):
        path = tmp_path / f"{where[-1]}.db"
        done = run("run", str(EXAMPLES / "languages.toml"), "--db", str(path), *where, timeout=280)
        assert done.returncode == 0, done.stderr
        assert " faults" in done.stdout
        found[where[-1]] = digests(done.stdout)
    assert found["inline"] == found["2"]
