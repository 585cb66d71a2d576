"""A game is named where one is needed: by an option, by the environment, by a tournament, or by being the only one."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from arena.cli.app import app
from engine import registry
from engine.registry import GameError, find_registration
from tests.arena.made_games import BROKEN, FACTS, NAME, installed

CUP = f"""
name = "cup"
game = "{NAME}"
bots = ["random", "greedy"]
[options]
numbers = 5
[schedule]
tables = [2]
[clock]
move = 3.0
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, prog_name="arena")


@pytest.mark.parametrize(
    "arguments",
    [
        ("match", "random", "random"),
        ("play", "random"),
        ("perft", "--players", "2", "--seed", "1", "--depth", "1"),
        ("compare", "random", "greedy"),
        ("bots", "check", "random"),
        ("bots", "submit", "my.py", "--name", "x"),
    ],
)
def test_a_command_without_a_game_says_what_there_is(arguments: tuple[str, ...]) -> None:
    Path("my.py").write_text("class My:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n", encoding="utf-8")
    with installed():
        result = run(*arguments)
    assert result.exit_code == 2
    [line] = result.stderr.splitlines()
    assert line.startswith("error: no game is named; the games are ")
    assert {"tongiaki", "sunda", NAME} <= set(line.replace(",", " ").replace(";", " ").split())
    assert line.endswith("; choose one with --game NAME, or set the environment variable ARENA_GAME")


def test_a_tournament_without_a_game_says_what_there_is() -> None:
    Path("cup.toml").write_text('name = "cup"\nbots = ["random", "greedy"]\n[schedule]\ntables = [2]\n', encoding="utf-8")
    result = run("run", "cup.toml")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: cup.toml: the key 'game' is missing; the games are ")
    assert "tongiaki" in result.stderr


def test_the_only_game_there_is_needs_no_name() -> None:
    with installed():
        for name in registry.game_names():
            if name != NAME:
                del registry._registry().registrations[name]
        assert run("perft", "--players", "2", "--seed", "1", "--depth", "1", "--option", "numbers=7").stdout == "7\n"
        with pytest.raises(GameError, match="there is no game 'sunda'"):
            find_registration("sunda")
    find_registration("sunda")


def test_the_doctor_says_which_game_is_ill(monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.cli.host.doctor import _engine, _games

    with installed(FACTS, BROKEN):
        assert _engine().is_ok
        found = _games()
    assert NAME in found[0].detail
    assert any("the game 'broken' of nobody 1.0 can't be imported: ModuleNotFoundError" in each.detail for each in found if not each.is_ok)
