"""Completion in a shell: commands, options, games and reference bots; files are left to the shell."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.app import app


@pytest.mark.parametrize(
    ("typed", "completions"),
    [
        ("arena ma", ["match", "matches"]),
        ("arena bots che", ["check"]),
        ("arena compare --max-", ["--max-blocks"]),
        ("arena match gre", ["greedy"]),
        ("arena compare my_bot.py ex", ["expert"]),
        ("arena rate fl", ["flat"]),
        ("arena match greedy random --game to", ["tongiaki"]),
        ("arena match my_", []),
    ],
)
def test_the_shell_is_told_what_may_follow(typed: str, completions: list[str], here: Path) -> None:
    environment = {"_ARENA_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    done = CliRunner(env=environment).invoke(app, prog_name="arena")
    assert (done.exit_code, done.output.split()) == (0, completions)
