"""A game is named where one is needed: by an option, by the environment, by a tournament, or by being the only one."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import arena
from arena.cli.app import app
from engine import registry
from engine.registry import GameError, find_registration
from tests.arena.made_games import BROKEN, FACTS, NAME, Cards, installed

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


def test_the_environment_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_GAME", NAME)
    with installed():
        assert run("perft", "--players", "2", "--seed", "1", "--depth", "1").stdout == "300\n"
        assert run("perft", "--game", "tongiaki", "--players", "2", "--seed", "1", "--depth", "1").stdout == "6\n"


def test_the_only_game_there_is_needs_no_name() -> None:
    with installed():
        for name in registry.game_names():
            if name != NAME:
                del registry._registry().registrations[name]
        assert run("perft", "--players", "2", "--seed", "1", "--depth", "1", "--option", "numbers=7").stdout == "7\n"
        with pytest.raises(GameError, match="there is no game 'sunda'"):
            find_registration("sunda")
    find_registration("sunda")


def test_a_bot_is_checked_by_the_terms_of_a_tournament() -> None:
    Path("cup.toml").write_text(CUP, encoding="utf-8")
    with installed():
        result = run("bots", "check", "random", "--tournament", "cup.toml", "--isolation", "none", "--json")
        assert result.exit_code == 0, result.output
        assert f'"game": "{NAME}"' in result.stdout
        refused = run("bots", "check", "random", "--tournament", "cup.toml", "--option", "numbers=9")
    assert refused.stderr == (
        "error: --tournament takes the options, the clock and the runtime of the file; leave --option, --clock and --runtime out\n"
    )


def test_the_api_asks_for_a_game_too() -> None:
    with pytest.raises(GameError, match="no game is named; the games are "):
        arena.compare("random", "greedy", seed=1)


def test_a_new_tournament_names_its_game_and_what_else_there_is() -> None:
    with installed():
        assert run("new", "--tournament", "cup.toml", "--game", NAME).exit_code == 0
        text = Path("cup.toml").read_text(encoding="utf-8")
        assert f'game = "{NAME}"   # or ' in text
        assert "tables = [2, 3]" in text
        assert run("new", "my.py", "--game", NAME).stdout.endswith(f"arena match my.py greedy random --game {NAME} --seed 7\n")
    refused = run("new", "other.py", "--game", "nothing")
    assert refused.stderr.startswith("error: there is no game 'nothing'")


def test_a_new_bot_reads_a_tally_that_its_game_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cards, "tally", lambda self: {"tricks": (0,) * self.players})
    with installed():
        assert run("new", "my.py", "--game", NAME).exit_code == 0
    assert 'points = state.tally()["tricks"]' in Path("my.py").read_text(encoding="utf-8")


def test_the_doctor_says_which_game_is_ill(monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.cli.host.doctor import _engine, _games

    with installed(FACTS, BROKEN):
        assert _engine().is_ok
        found = _games()
    assert NAME in found[0].detail
    assert any("the game 'broken' of nobody 1.0 can't be imported: ModuleNotFoundError" in each.detail for each in found if not each.is_ok)
