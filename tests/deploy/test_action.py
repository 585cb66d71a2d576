"""The GitHub Action: the steps of action.yml, run by bash as a runner would, in a repository with a bot."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml  # type: ignore[import-untyped]

ACTION = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
FIRST_BOT = """
class Walker:
    def choose(self, view, clock):
        return view.legal_moves[0]
"""
NEXT_BOT = """
import os
from random import Random

class Walker:
    def choose(self, view, clock):
        assert "secret" not in "".join(os.environ.values()), "a secret!"
        return view.legal_moves.random(Random(view.seat))
"""


class Run(NamedTuple):
    """What the steps left: the exit code of the last one that ran, what they printed, the folder of results, the job's summary."""

    code: int
    log: str
    results: Path
    summary: Path


def filled(text: str, values: dict[str, str]) -> str:
    """The text with values in place of GitHub's expressions. Raises KeyError for one that a runner would not know here."""
    return re.sub(r"\$\{\{ (.+?) \}\}", lambda match: values[match[1]], text)


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a first version of a bot, committed, and the next one in the working tree."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "walker.py").write_text(FIRST_BOT)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "A bot")
    (folder / "walker.py").write_text(NEXT_BOT)
    return folder


def run(repository: Path, **inputs: str) -> Run:
    """Run all steps but the one that installs the program, which is on the path here, until one fails."""
    temp = repository.parent / "temp"
    results, summary = temp / "bot-results", temp / "summary.md"
    results.mkdir(parents=True)
    given = {"bot": "walker.py", "game": "tongiaki", "tables": "2", "blocks": "10", "base": git(repository, "rev-parse", "HEAD"), **inputs}
    assert given.keys() == ACTION["inputs"].keys()
    values = {f"inputs.{key}": value for key, value in given.items()} | {"runner.temp": str(temp)}
    job = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(temp), "RUNNER_TEMP": str(temp),
        "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_TOKEN": "secret",
    }  # fmt: skip
    log = ""
    assert STEPS[0]["name"] == "Install"
    for step in STEPS[1:]:
        assert step.keys() == {"name", "shell", "env", "run"}
        environment = job | {key: filled(value, values) for key, value in step["env"].items()}
        script = temp / "step.sh"
        script.write_text(step["run"])
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)
        log += done.stdout + done.stderr
        if done.returncode:
            return Run(done.returncode, log, results, summary)
    return Run(0, log, results, summary)


def test_no_step_puts_an_expression_into_its_script() -> None:
    """What a pull request chooses would be code then; in variables it is text."""
    assert not [step["name"] for step in STEPS if "${{" in step["run"]]


def test_only_what_is_given_to_the_action_reaches_its_steps() -> None:
    expressions = {each for step in STEPS for value in step["env"].values() for each in re.findall(r"\$\{\{ (.+?) \}\}", value)}
    assert expressions <= {f"inputs.{name}" for name in ACTION["inputs"]} | {"runner.temp"}


@pytest.mark.slow
def test_no_module_of_the_repository_runs_during_the_installation(repository: Path) -> None:
    for name in ("venv", "types", "logging"):
        (repository / f"{name}.py").write_text(f"raise SystemExit('the {name} of a stranger')")
    [command] = [line for line in STEPS[0]["run"].splitlines() if "python3" in line]
    environment = {"PATH": os.environ["PATH"], "RUNNER_TEMP": str(repository.parent)}
    done = subprocess.run(["bash", "-c", command], cwd=repository, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_bot_is_checked_rated_and_compared_and_sees_no_secret(repository: Path) -> None:
    done = run(repository)
    assert done.code == 0, done.log
    assert {each.name for each in done.results.iterdir()} == {"check.json", "rate.json", "compare.json", "comment.md"}
    comment = (done.results / "comment.md").read_text()
    assert [line.partition(" ")[2].split()[0] for line in comment.splitlines()] == ["check", "than", "Elo"]
    assert "secret" not in comment
    assert done.summary.read_text() == comment


@pytest.mark.slow
def test_a_bot_that_fails_its_check_fails_the_job_with_the_reason_and_is_not_rated(repository: Path) -> None:
    (repository / "walker.py").write_text(NEXT_BOT.replace('"secret" not in', '"secret" in'))
    done = run(repository)
    assert done.code == 1
    assert not (done.results / "rate.json").exists()
    assert "crash" in done.summary.read_text()


@pytest.mark.slow
def test_a_file_that_is_no_bot_fails_the_job_and_a_new_bot_is_compared_with_nothing(repository: Path) -> None:
    (repository / "broken.py").write_text("class Walker:\n    def choose(self\n")
    broken = run(repository, bot="broken.py")
    assert broken.code == 1
    assert "no result" in broken.summary.read_text()
    for each in [*broken.results.iterdir(), broken.results]:
        each.rmdir() if each.is_dir() else each.unlink()
    (repository / "other.py").write_text(FIRST_BOT)
    new = run(repository, bot="other.py")
    assert new.code == 0, new.log
    assert "other.py is new" in new.log
