"""A registration that does not work is said in one sentence, and every other game works."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import engine.registry
from arena.cli.app import app
from engine.registry import GameError, find_game, problems
from tests.contracts.packages import ENTRIES, write_packages

registry = vars(engine.registry)["_registry"]


@pytest.fixture(autouse=True)
def _packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    write_packages(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    before = set(sys.modules)
    registry.cache_clear()
    yield
    registry.cache_clear()
    for module in set(sys.modules) - before:
        if module.endswith("_games"):
            del sys.modules[module]


@pytest.mark.parametrize("name", ENTRIES)
def test_a_game_that_does_not_work_is_one_sentence(name: str) -> None:
    with pytest.raises(GameError) as caught:
        find_game(name)
    sentence = str(caught.value)
    assert sentence.startswith(f"the game '{name}' of wrong 1.0 {ENTRIES[name][1]}")
    assert "\n" not in sentence


def test_a_name_that_is_taken_keeps_its_first_game_and_that_is_said() -> None:
    assert find_game("tongiaki").name == "tongiaki"
    assert find_game("take").name == "take"
    assert problems() == (
        "the game 'take' of wrong 1.0 is left out: sound 1.0 has a game of that name",
        "the game 'tongiaki' of wrong 1.0 is left out: tile-arena 0.1.0 has a game of that name",
        "the game 'two:parts' of wrong 1.0 is left out: a name of a game is printable text without a colon",
    )


def test_the_list_of_games_shows_them_all_and_what_is_wrong() -> None:
    result = CliRunner().invoke(app, ["game", "list"], prog_name="arena")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    rows = {line.split()[0]: " ".join(line.split()) for line in result.stdout.splitlines()}
    assert rows["take"] == "take Take 2 sound 1.0"
    assert rows["tongiaki"] == "tongiaki Tongiaki 2-6 tile-arena 0.1.0"
    assert rows["number"] == "number does not work wrong 1.0"
    assert len(result.stderr.splitlines()) == len(ENTRIES) + 3
    assert all(line.startswith("error: the game '") for line in result.stderr.splitlines())


def test_the_doctor_says_each_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.cli.host import doctor

    for each in ("_ray", "_isolation", "_wasm"):  # which take seconds, and are tried elsewhere
        monkeypatch.setattr(doctor, each, lambda: doctor.Finding("other", True, "not tried"))
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert any(line.startswith("ok   engine") for line in lines)
    assert any(line.startswith("ok   games") and {"sunda,", "take"} <= {*line.replace("take,", "take").split()} for line in lines)
    bad = [line for line in lines if line.startswith("BAD")]
    assert len(bad) == len(ENTRIES) + 3
    assert all(line.startswith("BAD  games") for line in bad)


PERFT = ["perft", "--game", "fails", "--players", "2", "--seed", "1", "--depth", "1"]


@pytest.mark.parametrize("command", [["game", "check", "raises"], PERFT])
def test_a_command_that_is_given_such_a_game_says_so(command: list[str]) -> None:
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 2
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    assert line.startswith(f"error: the game '{'raises' if 'check' in command else 'fails'}' of wrong 1.0 can't be ")
