"""What a command imports is what it makes people wait for: heavy modules only where they are used."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from typer.main import get_command

from arena.cli.app import COMMANDS, app

HEAVY = {"ray", "fastapi", "uvicorn", "matplotlib", "numpy", "scipy", "networkx", "jinja2", "trueskill"}
DATABASE = {"sqlmodel", "sqlalchemy"}
STORAGE = DATABASE | {"msgspec"}
SHOW = """
import atexit, sys
atexit.register(lambda: sys.stderr.write("MODULES " + " ".join({name.partition(".")[0] for name in sys.modules})))
from arena.cli import main
main()
"""


def imported(*arguments: str) -> set[str]:
    """The packages that a command has imported when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", SHOW, *arguments], capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "80"}
    )
    return set(done.stderr.rpartition("MODULES ")[2].split())


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        ("--version", HEAVY | STORAGE),
        ("run --help", HEAVY | STORAGE),
        ("new my_bot.py", HEAVY | DATABASE),
        ("perft --game tongiaki --players 2 --seed 1 --depth 1", HEAVY | DATABASE),
    ],
)
def test_quick_commands_import_none_of_the_heavy_modules(arguments: str, unwanted: set[str]) -> None:
    names = imported(*arguments.split())

    assert "typer" in names
    assert not names & unwanted


def test_the_list_of_commands_says_what_each_says_of_itself() -> None:
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]  # a group
        listed = COMMANDS[name]
        assert command.name == name
        assert " ".join(command.help.partition("\n\n")[0].split()) == listed.summary


def test_the_help_imports_no_command() -> None:
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", SHOW, "--help"], capture_output=True, text=True, check=True)

    found = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "arena.cli.app" in found
    assert not found & (HEAVY | STORAGE | {each.place.partition(":")[0] for each in COMMANDS.values()})
