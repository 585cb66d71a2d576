"""What bots run in, from the tournament file to the verification: read, settled, stored, compared, refused."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from arena.cli.app import app
from arena.cli.host import doctor
from arena.play.executors.base import Job
from arena.play.executors.cluster import program_digest, report_node, unfit
from arena.spec.spec import Spec, make_spec, make_stored_spec
from arena.verification.verifier import Verdict
from bots.host.packages import installed_versions
from bots.limits import Level, Runtime
from tests.arena.verification.evidence import verify

DATA: dict[str, Any] = {
    "name": "cup",
    "game": "tongiaki",
    "seed": 3,
    "bots": ["random", "draws.py"],
    "schedule": {"tables": [2]},
}
FILE = """
name = "cup"
game = "tongiaki"
seed = 3
bots = ["random", "draws.py"]
[schedule]
tables = [2]
[runtime]
packages = ["numpy"]
memory = "1 GiB"
"""
DRAWS = """
import numpy as np

class Bot:
    def start(self, info):
        self.rng = np.random.default_rng(info.seed)

    def choose(self, view, clock):
        return view.legal_moves[int(self.rng.integers(len(view.legal_moves)))]
"""
runner = CliRunner()


def spec_with(**runtime: object) -> Spec:
    return make_spec(DATA | {"runtime": runtime})


def test_what_is_stored_is_read_again() -> None:
    spec = spec_with(packages=["numpy"], memory="1 GiB", bundle="64 MiB", threads=2, versions={"numpy": "2.0"})

    assert json.loads(spec.canonical())["runtime"] == {
        "packages": ["numpy"],
        "memory": 1 << 30,
        "bundle": 64 << 20,
        "threads": 2,
        "versions": {"numpy": "2.0"},
    }
    assert make_stored_spec(spec.canonical(), "it").canonical() == spec.canonical()
    assert spec.runtime.runtime == Runtime(("numpy",), 1 << 30, 64 << 20, 2)


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """A tournament's file with a bot beside it that needs numpy."""
    (tmp_path / "draws.py").write_text(DRAWS)
    (tmp_path / "cup.toml").write_text(FILE)
    return tmp_path / "cup.toml"


def run(cup: Path, *options: str) -> tuple[int, str]:
    command = ["run", str(cup), "--db", str(cup.with_suffix(".db")), "--executor", "inline", *options]
    result = runner.invoke(app, command, env={"COLUMNS": "500"})
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def played_cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the tournament has been played, in this process."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "draws.py").write_text(DRAWS)
    (folder / "cup.toml").write_text(FILE)
    assert run(folder / "cup.toml", "--isolation", "none")[0] == 0
    return folder


@pytest.fixture
def played(played_cup: Path, tmp_path: Path) -> Path:
    """A copy of the played tournament's file, with its database beside it."""
    return shutil.copytree(played_cup, tmp_path / "cup") / "cup.toml"


def only(place: Path) -> Verdict:
    [verdict], general = verify(place)
    assert general == []
    return verdict


def edit(cup: Path, change: Callable[[dict[str, Any]], object]) -> None:
    with closing(sqlite3.connect(cup.with_suffix(".db"))) as connection, connection:
        data = json.loads(connection.execute("SELECT spec FROM tournament").fetchone()[0])
        change(data)
        connection.execute("UPDATE tournament SET spec = ?", (json.dumps(data, sort_keys=True, separators=(",", ":")),))


@pytest.mark.slow  # loads numpy in a sandbox
def test_a_run_records_the_versions_of_its_packages(cup: Path) -> None:
    code, output = run(cup)
    with closing(sqlite3.connect(cup.with_suffix(".db"))) as connection:
        stored = json.loads(connection.execute("SELECT spec FROM tournament").fetchone()[0])["runtime"]
        faults = connection.execute("SELECT count(*) FROM seat WHERE fault IS NOT NULL").fetchone()[0]

    assert code == 0, output
    assert stored == {"packages": ["numpy"], "memory": 1 << 30, "threads": 1, "versions": installed_versions(["numpy"])}
    assert faults == 0
    assert only(cup.with_suffix(".db")).disagreements == []


def test_another_version_of_a_package_does_not_go_on(played: Path) -> None:
    here = installed_versions(["numpy"])["numpy"]
    edit(played, lambda data: data["runtime"].update(versions={"numpy": "1.26.4"}))

    code, output = run(played, "--isolation", "none")

    assert code == 2
    assert output.splitlines()[-1] == (
        f"error: the tournament 'cup' was started with numpy 1.26.4, but {here} is installed; install what it was started with "
        "(pip install numpy==1.26.4), or start a new tournament under a different name"
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"numpy"', '"no-such-package"', "'runtime.packages': the package 'no-such-package' is not installed; pip install"),
    ],
)
def test_a_run_that_cant_be_made_is_refused_in_a_sentence(old: str, new: str, told: str, cup: Path) -> None:
    cup.write_text(FILE.replace(old, new))

    code, output = run(cup)

    assert code == 2
    assert output.splitlines()[1].startswith("error: ")
    assert told in output.splitlines()[1]
    assert not cup.with_suffix(".db").exists()


def test_nodes_need_the_same_versions() -> None:
    job = Job("tongiaki", {}, {}, level=Level.L0, runtime=Runtime(("numpy",)))
    here = installed_versions(["numpy"])["numpy"]
    report = report_node("127.0.0.1", [], "tongiaki", ("numpy",))
    assert unfit(report, job, program_digest()) is None

    for found, told in (("1.26.4", "version 1.26.4 of it"), ("", "none")):
        other = unfit(replace(report, host="n7", packages=(("numpy", found),)), job, program_digest())
        assert other == (
            f"the node n7 needs version {here} of the package 'numpy', which bots may import, but has {told}; "
            f"run 'pip install numpy=={here}' there"
        )


class TestCommands:
    """The commands that play take the same keys, and say what is wrong with them."""

    def match(self, folder: Path, *runtime: str) -> tuple[int, str]:
        (folder / "draws.py").write_text(DRAWS)
        options = [word for each in runtime for word in ("--runtime", each)]
        result = runner.invoke(app, ["match", str(folder / "draws.py"), "random", "--game", "tongiaki", "--seed", "7", *options])
        return result.exit_code, result.output

    @pytest.mark.slow  # loads numpy in a sandbox
    def test_a_match_with_packages(self, tmp_path: Path) -> None:
        code, output = self.match(tmp_path, "packages=numpy", "memory=1GiB", "threads=2")

        assert code == 0
        assert "substitute" not in output

    @pytest.mark.slow  # loads numpy in a sandbox
    def test_a_check_says_which_packages_a_bot_needs(self, cup: Path) -> None:
        bot = cup.parent / "draws.py"
        bot.write_text(DRAWS + "\n    def late(self):\n        import scipy, no_such_module, json\n        from bots import View\n")
        version = installed_versions(["numpy", "scipy"])

        result = runner.invoke(app, ["bots", "check", str(bot), "--tournament", str(cup), "--quick"], env={"COLUMNS": "500"})

        ask = "ask the host for it ([runtime] packages in docs/tournament-file.md)"
        assert [line for line in result.output.splitlines() if line.startswith("package")] == [
            f"package: no_such_module, not available to bots: {ask}; if it is a file of your own, send it in a folder with the bot",
            f"package: numpy {version['numpy']}, available to bots",
            f"package: scipy {version['scipy']}, installed, but not available to bots: {ask}",
        ]

    def test_the_doctor_makes_what_a_tournaments_bots_run_in(self, cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for check in ("_ray", "_isolation", "_wasm"):  # which take seconds, and are tried elsewhere
            monkeypatch.setattr(doctor, check, lambda: doctor.Finding("other", True, "not tried"))

        def runtime_of(text: str) -> dict[str, Any]:
            cup.write_text(text)
            result = runner.invoke(app, ["doctor", "--tournament", str(cup), "--db", str(cup.with_suffix(".db")), "--json"])
            [found] = [each for each in json.loads(result.stdout) if each["name"] == "runtime"]
            return found

        version = installed_versions(["numpy"])["numpy"]
        assert runtime_of(FILE)["detail"].startswith(f"bots of 'cup' have numpy {version}; their processes can start at level L")
        assert runtime_of(FILE.replace("numpy", "no-such-package"))["is_ok"] is False
