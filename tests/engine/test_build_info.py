"""Which form of the engine runs: compiled only where each source is the one that was compiled."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from engine import FORM
from engine.build_info import SETTING

SHOW = """
import engine, engine.core.state, bots.reference.heuristics.tongiaki_evaluation as evaluation
print(engine.FORM.is_compiled, engine.FORM.reason)
print(engine.core.state.__file__.endswith(".py"), evaluation.__file__.endswith(".py"))
"""
COMPILED = pytest.mark.skipif(not FORM.is_compiled, reason="the engine is not compiled here")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the engine as it is installed here, with what was compiled."""
    folder = Path(engine.__file__).parent
    for package in ("engine", "bots"):
        shutil.copytree(folder.parent / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    for library in folder.parent.glob("engine__mypyc*"):
        shutil.copy(library, tmp_path)
    return tmp_path


def seen(package: Path, setting: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(package), SETTING: setting}
    return subprocess.run([sys.executable, "-c", SHOW], cwd=package, env=environment, capture_output=True, text=True, check=False)


def note(package: Path) -> Path:
    (path,) = package.glob("engine/compiled.*.json")
    return path


@COMPILED
def test_what_was_compiled_runs_compiled(package: Path) -> None:
    done = seen(package)
    assert done.stdout.startswith("True compiled by mypyc"), done.stderr
    assert done.stdout.endswith("\nFalse False\n")


@COMPILED
@pytest.mark.parametrize("module", ["engine/core/state", "bots/reference/heuristics/tongiaki_evaluation"])
def test_an_edited_source_runs_as_it_is_and_the_rest_with_it(package: Path, module: str) -> None:
    with (package / f"{module}.py").open("a") as source:
        source.write("\nEDITED = True\n")
    done = seen(package)
    assert f"False {module.replace('/', '.')} was edited since" in done.stdout, done.stderr
    assert done.stdout.endswith("\nTrue True\n")


@COMPILED
def test_the_reason_why_it_could_not_be_compiled_is_told(package: Path) -> None:
    note(package).write_text(json.dumps({"failed": "there was no C compiler (gcc) when it was installed"}))
    assert "False there was no C compiler (gcc) when it was installed; for more speed" in seen(package).stdout


def test_plain_can_be_asked_for(package: Path) -> None:
    done = seen(package, "plain")
    assert "False ARENA_ENGINE=plain asks for it" in done.stdout
    assert done.stdout.endswith("\nTrue True\n")


def test_compiled_can_be_insisted_on(package: Path) -> None:
    for path in package.glob("engine/compiled.*.json"):
        path.unlink()
    done = seen(package, "compiled")
    assert done.returncode == 1
    assert "ImportError: ARENA_ENGINE=compiled, but the engine is plain Python: it was not compiled" in done.stderr
