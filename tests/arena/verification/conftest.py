"""What tests of verification share: the small database with everything in it, made once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.app import app
from arena.run.runner import Summary
from tests.arena.conftest import Run
from tests.arena.verification.evidence import make_database


@pytest.fixture(scope="session")
def league(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Summary]]:
    """The database of ``make_database``, which tests copy before they change it, and how its runs ended."""
    return make_database(tmp_path_factory.mktemp("league"))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process, in the test's own folder."""
    monkeypatch.chdir(tmp_path)

    def go(*arguments: str) -> subprocess.CompletedProcess[str]:
        done = CliRunner().invoke(app, [*arguments], prog_name="arena")
        return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)

    return go
