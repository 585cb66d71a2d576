"""The steps of the Dockerfile, done without Docker in a folder of the test: the program that they install plays a ladder."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.output import Exit
from tests.deploy.files import ROOT, Step, read_compose, read_dockerfile, sent_files
from tests.deploy.programs import LADDER, fitting, started

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]  # it installs the program and compiles the engine

OF_THE_SYSTEM = ("apt-get ", "rm -rf /var/lib/apt/", "useradd ")
"""Commands that would change this machine."""


class Image:
    """What the steps make: files below ``root``, and how to start it. Both stages share the files, which COPY --from checks."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root
        self.environment: dict[str, str] = {}
        self.entrypoint: list[str] = []

    def inside(self, text: str) -> str:
        """The text with the image's paths below ``root``."""
        return re.sub(r"(?<![\w./])(?=/(?:src|opt|srv)\b)", str(self.root), text)

    def do(self, step: Step) -> None:
        """Do what the instruction says."""
        rest = self.inside(step.rest)
        match step.name:
            case "FROM":
                self.environment, self.folder = {"PATH": os.environ["PATH"]}, self.root
            case "ENV":
                for pair in shlex.split(rest):
                    name, _, value = pair.partition("=")
                    self.environment[name] = value.replace("$PATH", self.environment["PATH"])
            case "WORKDIR":
                self.folder = Path(rest)
                self.folder.mkdir(parents=True, exist_ok=True)
            case "COPY":
                self._copy(rest.split())
            case "RUN":
                for command in rest.split(" && "):
                    if not command.startswith(OF_THE_SYSTEM):
                        self.run(re.sub(r"^python3 ", f"{sys.executable} ", command))
            case "ENTRYPOINT":
                self.entrypoint = json.loads(rest)

    def _copy(self, words: list[str]) -> None:
        if words[0].startswith("--from="):
            assert words[1] == words[2], "an environment of Python can't be moved"
            assert Path(words[1]).is_dir()
        elif words[0] == ".":
            for path in sent_files():
                target = Path(words[1]) / path
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / path, target)
        else:
            shutil.copy(ROOT / words[0], words[1])

    def run(self, command: str) -> str:
        """Run a command in it, and return what it printed."""
        index = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        environment = {"HOME": str(self.root), **index, **self.environment}
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    image = Image(tmp_path_factory.mktemp("image"))
    fetched = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(image.root / "fetched"), "setuptools"]
    if subprocess.run(fetched, capture_output=True, check=False).returncode:
        pytest.skip("no index of packages can be reached")
    for step in read_dockerfile():
        image.do(step)
    return image


def test_the_engine_is_compiled(image: Image) -> None:
    found = image.run("arena doctor --json || true")
    assert next(each for each in json.loads(found) if each["name"] == "compiled")["detail"].startswith("yes")


def test_nothing_of_the_sources_is_needed_to_play_a_ladder(image: Image) -> None:
    shutil.rmtree(image.root / "src")
    (image.folder / "ladder.toml").write_text(LADDER)
    command = [*image.entrypoint, *fitting(read_compose()["services"]["driver"]["command"])]
    environment = {**image.environment, "ARENA_DB": "ladder.db", "PYTHONPATH": "", "TMPDIR": str(image.root)}
    with started(command, image.folder, environment) as driver:
        driver.find(r"(\d+) matches, round")
        assert driver.stop(signal.SIGTERM) == Exit.INTERRUPTED, driver.output
    assert "summer: " in image.run("arena verify --interim ladder.db")
