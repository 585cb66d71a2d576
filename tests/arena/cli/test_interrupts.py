"""Ctrl-C while the program is being imported is one sentence, as it is in a command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.arena.conftest import clean_environment

PROGRAM = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # also where what began the tests ignores Ctrl-C, as nohup does
sys.meta_path.insert(0, Interrupt())
from arena.cli import main
main()
"""


@pytest.mark.parametrize("module", ["arena.cli.app", "typer.core", "arena.cli.results.stats", "arena.analysis.statistics"])
def test_ctrl_c_during_an_import_is_one_sentence(module: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM.format(module=module), "stats", "--db", "no.db"]
    done = subprocess.run(command, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "error: interrupted\n")
