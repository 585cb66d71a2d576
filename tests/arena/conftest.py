"""What tests of the arena share: bots from source, specs from text, a database of the test's own, and the program itself."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from arena.spec.spec import Spec, make_spec
from bots.loader.loading import resolve
from bots.loader.version import BotVersion
from tests.arena.forking import Program
from tests.world import folder_of_run, made_once

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-c", "from arena.cli import main; main()"]
OFTEN = [sys.executable, "-c", "from arena.run import runner; runner.COMMIT_SECONDS = 0.03; from arena.cli import main; main()"]
"""The program, which stores results so often that it can be stopped at many moments of a short tournament."""

MakeBot = Callable[..., BotVersion]
MakeSpec = Callable[..., Spec]
Run = Callable[..., "subprocess.CompletedProcess[str]"]
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def bot(tmp_path: Path) -> MakeBot:
    """A version of the bot whose source is given, as if it had been in a file."""

    def make(source: str, name: str = "mine") -> BotVersion:
        path = tmp_path / f"{name}.py"
        path.write_text(dedent(source), encoding="utf-8")
        return BotVersion(name, resolve_digest(path), str(path), "Bot", path.read_text(encoding="utf-8"))

    def resolve_digest(path: Path) -> str:
        import hashlib

        return hashlib.sha256(path.read_bytes()).hexdigest()

    return make


@pytest.fixture
def spec() -> MakeSpec:
    """A spec of two random bots at tables of two, changed by the TOML given: whole keys are replaced."""

    def make(changes: str = "") -> Spec:
        data = {
            "name": "trial",
            "game": "tongiaki",
            "seed": 7,
            "bots": [{"name": name, "source": "random"} for name in ("ann", "bob")],
            "schedule": {"tables": [2], "blocks": 2},
        }
        return make_spec(data | tomllib.loads(dedent(changes)), "trial.toml")

    return make


@pytest.fixture
def versions() -> Callable[[Spec], dict[str, BotVersion]]:
    """The versions of a spec's bots."""
    return lambda spec: {each.name: resolve(each.source, name=each.name) for each in spec.bots}


def clean_environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "RAY", "COV"))}
    return kept | {"PYTHONPATH": str(ROOT), "COLUMNS": "80", "NO_COLOR": "1", "PYTHONWARNINGS": "default"}


@pytest.fixture
def environment() -> dict[str, str]:
    """The environment for the program: 80 columns, no colour, no terminal."""
    return clean_environment()


@pytest.fixture(scope="session")
def program() -> Iterator[Program]:
    """The program, which starts at once."""
    program = Program(clean_environment())
    yield program
    program.close()


@pytest.fixture
def run(tmp_path: Path, environment: dict[str, str], request: pytest.FixtureRequest) -> Run:
    """Run the program in a folder of the test's own, in a process of its own; in a new interpreter if variables are given."""

    def go(*arguments: str, timeout: float = 200, **more: str) -> subprocess.CompletedProcess[str]:
        if sys.platform == "linux" and not more:  # elsewhere libraries don't survive a fork
            program: Program = request.getfixturevalue("program")
            return program.run([*arguments], cwd=tmp_path, env=environment, timeout=timeout)
        return subprocess.run(
            [*PROGRAM, *arguments],
            cwd=tmp_path,
            env=environment | more,
            capture_output=True,
            text=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    return go


@pytest.fixture
def start(tmp_path: Path, environment: dict[str, str]) -> Iterator[Start]:
    """Start the program, which stores results often, in the test's folder and let it go on; it is killed at the end of the test."""
    started: list[subprocess.Popen[str]] = []

    def go(*arguments: str, env: dict[str, str] = environment) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        command = [*OFTEN, *arguments]
        process = subprocess.Popen(
            command, cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        )
        started.append(process)
        return process

    yield go
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def analyses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a cache of analyses in which losses are measured in 2 worlds: a match is analysed once in a run of tests."""
    return folder_of_run(tmp_path_factory, "analyses")


@pytest.fixture(scope="session")
def own_bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of ``make_own_bots``, only to be read."""
    from tests.arena.web.own_bots import make_own_bots

    return made_once(tmp_path_factory, "own-bots", lambda folder: make_own_bots(folder / "own.db")) / "own.db"


@pytest.fixture(autouse=True)
def no_bot_module_left() -> Iterator[None]:
    """Modules that a test has made of bots' files don't reach the next one."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("bot_"):
            del sys.modules[name]
