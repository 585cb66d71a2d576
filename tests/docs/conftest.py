"""What the lines of the documentation find: a folder with bots, examples, a replay and a league."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import registry
from tests.docs.pages import ROOT
from tests.docs.shell import Shell
from tests.world import locked

LEAGUE = """
name = "league"
game = "tongiaki"
seed = 7
bots = ["greedy", "minimal_bot.py", "my_bot.py"]
[schedule]
format = "ladder"
tables = [2]
rounds = 2
"""

SEASON = """
name = "season"
game = "tongiaki"
seed = 7
bots = ["greedy", "random", { name = "sleepy", source = "random" }]
[schedule]
format = "ladder"
tables = [2]
"""

CUP = 'name = "cup"\ngame = "tongiaki"\nseed = 7\nbots = ["greedy", "random"]\n[schedule]\ntables = [2]\n'


def small(tournament: str) -> str:
    """The same tournament, with one seed for each line-up where it has ten or more."""
    return re.sub(r"(?m)^blocks = \d\d+", "blocks = 1", tournament)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder as it was made, once for all workers of pytest; tests work in copies."""
    here = tmp_path_factory.getbasetemp()
    folder = (here.parent if "PYTEST_XDIST_WORKER" in os.environ else here) / "prepared"
    with locked(f"{folder}.lock"):
        if not (folder / "made.toml").exists():
            _prepare(folder)
    return folder


def _prepare(folder: Path) -> None:
    shutil.copytree(ROOT / "examples", folder / "examples")
    for path in (folder / "examples").glob("*.toml"):
        path.write_text(small(path.read_text(encoding="utf-8")), encoding="utf-8")
    shutil.copy(ROOT / "examples" / "minimal_bot.py", folder)
    (folder / "league.toml").write_text(LEAGUE)
    with pytest.MonkeyPatch.context() as patch:
        _settle(patch, folder)
        shell = Shell()
        shell.run("arena new my_bot.py")
        code = Path("my_bot.py").read_text(encoding="utf-8")
        for other in ("new", "old", "walker"):
            Path(f"{other}.py").write_text(f"{code}\n# {other}\n", encoding="utf-8")
        shell.run("arena match my_bot.py greedy random --game tongiaki --seed 7 --save match.json")
        shell.run("arena run league.toml --db league.db")
    (folder / "cup.toml").write_text(CUP)
    (folder / "season.toml").write_text(SEASON)
    (folder / "league.toml").rename(folder / "made.toml")


def _settle(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.chdir(folder)
    patch.setenv("COLUMNS", "80")
    patch.setenv("NO_COLOR", "1")
    patch.setattr("uvicorn.Server.run", lambda *_, **__: None)  # the address is bound and the application made by then
    patch.setattr("arena.web.queries.Queries.warm_up", lambda *_: None)  # nobody will ask for these pages


@pytest.fixture
def shell(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """A shell in a folder of its own; what it installs is gone afterwards."""
    folder, site = tmp_path / "page", tmp_path / "site"
    shutil.copytree(prepared, folder)
    site.mkdir()
    _settle(monkeypatch, folder)
    monkeypatch.syspath_prepend(str(site))
    yield Shell(site)
    if any(site.iterdir()):
        registry._registry.cache_clear()
        for name in [name for name, module in sys.modules.items() if str(site) in (getattr(module, "__file__", None) or "")]:
            del sys.modules[name]
