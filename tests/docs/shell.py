"""Runs the lines of shell blocks: ``arena`` in this process and made small, of others what can be checked."""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import typer.main
from typer.testing import CliRunner

from arena.cli.app import app
from arena.cli.run.run import Interrupts
from engine import registry
from tests.docs.pages import ROOT

INPUT = {"play": "1\nq\n"}
"""What is typed while a command runs."""
ADDED = {
    "run": ["--executor", "inline", "--isolation", "none", "--trust-bots"],
    "compare": ["--isolation", "none", "--trust-bots", "--max-blocks", "1", "--seed", "7"],
    "rate": ["--isolation", "none", "--trust-bots", "--matches", "40"],
    "match": ["--isolation", "none"],
    "play": ["--isolation", "none", "--seed", "7"],
    "bots check": ["--trust-bots"],
    "bots submit": ["--trust-bots"],
    "serve": ["--port", "0"],
    "site": ["--no-replays"],
}
"""Options that make a command small and let it run on any machine; the last one given counts."""
SEED = ["--seed", "8"]
"""What a match gets that names no seed: by chance, the position that the next line looks at would have one legal move only."""
DROPPED = {"--require-isolation", "--workers"}
"""Options, each with a value, for what not every machine has, such as an address, or for processes that other tests start."""
ENDINGS = {"compare": {0, 3, 4}}
ENDLESS_MATCHES = 6
"""After how many matches a ladder without an end is stopped, as Ctrl-C would."""
PARSED = {
    "doctor": "starts Ray and attacks every level of isolation; its own tests do that",
}
"""Commands of which only the options are checked, and why."""
PROGRAMS = {"examples/train_policy.py": ["--games", "2"]}
"""Options that make a program small."""
ELSEWHERE = re.compile(r"https?://|postgresql|HEAD:\d+")
"""In a line that needs another host: it is parsed, and not run."""
OTHERS = {
    "python3": "makes an environment, which takes minutes",
    "python": "has a test of its own",
    ".": "belongs to the shell",
    "export": "belongs to the shell; the environment variables of this program are kept",
    "apt-get": "installs packages of the system",
    "useradd": "changes the machine",
    "cp": "copies files of deploy/, which tests/deploy reads",
    "echo": "belongs to the shell",
    "umask": "belongs to the shell",
    "docker": "is not ours; tests/deploy checks what its files say",
    "systemctl": "is not ours; tests/deploy starts what its units say",
    "pip": "installs, which takes minutes; its extras are looked up",
    "make": "its targets are looked up",
    "ray": "a cluster is tested elsewhere",
    "createdb": "is PostgreSQL's",
    "sqlite3": "is SQLite's",
    "curl": "is not ours",
}
"""Programs that are not run, and why."""


class Shell:
    """A shell in the current folder. ``output`` is what the last command printed; ``pip install ./FOLDER`` installs into ``site``.

    ``names`` has what the Python programs of the page have defined: a later one may continue an earlier one.
    """

    def __init__(self, site: Path | None = None) -> None:
        self.output = ""
        self.names: dict[str, object] = {}
        self._site = site
        self._runner = CliRunner()
        self._environment: dict[str, str] = {}

    def run(self, script: str) -> None:
        """Run a block, line by line. Raises AssertionError with the line that failed."""
        for line in script.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if not words:
                continue
            program = words[0].removeprefix(".venv/bin/").removeprefix("/opt/arena/bin/")
            if program == "arena":
                self._arena(line, words[1:])
            elif program == "export" and words[1].startswith("ARENA_"):
                name, _, value = words[1].partition("=")
                self._environment[name] = value
            elif program == "pip":
                _check_extras(line)
                self._install([word for word in words[2:] if word.startswith("./")])
            elif program == "pytest":
                self._pytest(words[1:])
            elif program == "make":
                assert f"\n{words[1]}:" in (ROOT / "Makefile").read_text(encoding="utf-8"), line
            elif program == "python" and (words[1].startswith("examples/") or words[1] == "-m"):
                _check_program(line, words[1:])
            else:
                assert program in OTHERS, f"{line}: say in tests/docs/shell.py why {program} is not run"

    def _install(self, folders: list[str]) -> None:
        """Install packages of the page's own, so that the registry finds their games."""
        if not folders or self._site is None:
            return
        options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--target", str(self._site)]
        subprocess.run([sys.executable, "-m", "pip", "install", *options, *folders], check=True)
        importlib.invalidate_caches()
        registry._registry.cache_clear()

    def _pytest(self, words: list[str]) -> None:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(self._site)})
        assert done.returncode == 0, done.stdout
        self.output = done.stdout

    def _arena(self, line: str, words: list[str]) -> None:
        words, target = _redirected([*words])
        words = [self._filled(word, words) for word in words]
        if ELSEWHERE.search(" ".join(words)):
            self.parse(" ".join(words))
            return
        words = _without(words, DROPPED)
        name, _ = _command_of(words)
        if name in PARSED:
            self.parse(" ".join(words))
            return
        if name == "new":
            Path(words[1]).unlink(missing_ok=True)  # the folder has one for pages that don't begin with it
        added = ADDED.get(name, [])
        if name == "match" and "--seed" not in words:
            added = [*added, *SEED]
        is_endless = name == "run" and _is_endless(Path(words[1]))
        with mock.patch.object(Interrupts, "is_stopping", _stopping()) if is_endless else nullcontext():
            result = self._runner.invoke(app, [*words, *added], prog_name="arena", input=INPUT.get(name, ""), env=self._environment)
        allowed = {0, 130} if is_endless else ENDINGS.get(name, {0})
        assert result.exit_code in allowed, f"{line}\n{result.output}\n{result.exception!r}"
        self.output = result.output
        if target:
            Path(target).write_text(result.stdout, encoding="utf-8")

    def parse(self, arguments: str) -> None:
        """Parse the arguments of ``arena`` and run nothing. Raises click's errors."""
        words = shlex.split(arguments)
        name, command = _command_of(words)
        command.make_context(name, words[len(name.split()) :])

    def _filled(self, word: str, words: list[str]) -> str:
        """A placeholder's value: a match that is stored, the digest that its run printed."""
        if word == "MATCH":
            found = self._runner.invoke(app, ["matches", "--db", words[words.index("--db") + 1], "--limit", "1", "--json"])
            assert found.exit_code == 0, found.output
            return str(json.loads(found.stdout)[0]["id"])
        if word == "SEAT":
            return "0"
        if word == "results=sha256:...":
            checked = self._runner.invoke(app, ["verify", "quickstart.db"])
            return "results=" + re.findall(r"^results (sha256:\w+)", checked.stdout, re.MULTILINE)[0]
        return word


def _command_of(words: list[str]) -> tuple[str, typer.core.TyperCommand]:
    """The command's name, of one or two words, and the command."""
    command: Any = typer.main.get_command(app)
    name = []
    for word in words:
        inside = getattr(command, "commands", {})
        if word not in inside:
            break
        command = inside[word]
        name.append(word)
    return " ".join(name), command


def _is_endless(spec: Path) -> bool:
    schedule = tomllib.loads(spec.read_text(encoding="utf-8"))["schedule"] if spec.exists() else {}
    return schedule.get("format") == "ladder" and "rounds" not in schedule


def _stopping() -> Callable[[Interrupts], bool]:
    matches = count(1)
    return lambda _: next(matches) > ENDLESS_MATCHES


def _without(words: list[str], options: set[str]) -> list[str]:
    kept, skip = [], False
    for word in words:
        if not skip and word not in options:
            kept.append(word)
        skip = not skip and word in options
    return kept


def _redirected(words: list[str]) -> tuple[list[str], str]:
    if ">" in words:
        at = words.index(">")
        return words[:at], words[at + 1]
    return words, ""


def _check_extras(line: str) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for found in re.findall(r"(?:tile-arena|\.)\[([\w,]+)\]", line):
        assert set(found.split(",")) <= extras.keys(), line


def _check_program(line: str, words: list[str]) -> None:
    """A program of examples/ runs; one of benchmarks/ knows its options: it is given --help as well, which it answers and ends."""
    if words[0] == "-m" and not words[1].startswith("benchmarks"):
        assert words[1] in {"pip", "pytest", "mkdocs"}, line
        return
    command = [sys.executable, *words, *PROGRAMS.get(words[0], ["--help"])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, f"{line}\n{done.stderr}"
