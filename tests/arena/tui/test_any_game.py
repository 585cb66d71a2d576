"""The terminal for a game that brings nothing but its rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from rich.console import Console
from typer.testing import CliRunner

from arena.cli.app import app
from arena.tui.replay_viewer import show
from engine.registry import find_game
from engine.replay.format import Recorder, read_replay, write_replay
from engine.replay.verifier import verify_replay
from tests.arena.made_games import NAME, installed

HERE = ["--isolation", "none", "--option", "numbers=60"]


@pytest.fixture(autouse=True)
def made_game(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The game is installed, and the folder is empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    with installed():
        yield


def arena(*arguments: str, typed: str = "") -> str:
    result = CliRunner().invoke(app, arguments, input=typed, prog_name="arena")
    assert result.exit_code == 0, result.output
    shown = re.sub(r"Your move \(.*?\): ", "", result.stdout)  # what is typed is not echoed here, nor is its end of the line
    assert max(map(len, shown.splitlines())) <= 80
    return result.stdout


@pytest.fixture
def replay() -> Path:
    """A random match of three."""
    game = find_game(NAME, {"numbers": 60})
    state, recorder, rng = game.new(3, 4), Recorder(game, 4, ("Ana", "Bob", "Cid")), Random(4)
    while (seat := state.actor) is not None:
        legal, move = state.count_moves(), state.random_move(rng)
        state.play(move)
        recorder.record(seat, move, legal, state)
    Path("three.json").write_text(write_replay(recorder.finish(state)), encoding="utf-8")
    return Path("three.json")


def test_a_person_plays_and_sees_no_secret_of_the_others() -> None:
    text = arena("play", "random", "--game", NAME, "--seed", "3", "--save", "m.json", *HERE, typed="? 59\nb\nname 59\n2\n")
    recorded = read_replay(Path("m.json").read_text(encoding="utf-8"))
    verify_replay(recorded)
    assert [each.move for each in recorded.decisions if each.seat == 0] == ["name 59", "name 1"]
    mine = find_game(NAME, {"numbers": 60}).new(2, 3).view(0).position
    shown = {line for line in text.splitlines() if line.startswith("cards: ")}
    assert shown == {line for line in str(mine).splitlines() if line.startswith("cards: ")}
    assert "   60  name 59\n" in text
    assert "-0.5" in text


def test_a_match_is_shown_with_its_text_and_a_table() -> None:
    text = arena("match", "random", "greedy", "random", "--game", NAME, "--seed", "3", *HERE)
    assert "named: [" in text
    assert "-0.5" in text


def test_a_replay_is_walked_through_and_listed(replay: Path) -> None:
    text = arena("replay", str(replay))
    assert "1   0  Ana  name " in text
    assert "named: [" in text
    recorded = read_replay(replay.read_text(encoding="utf-8"))
    for at in range(len(recorded.decisions) + 1):
        console = Console(width=80, height=24, record=True, file=Path("/dev/null").open("w"))  # noqa: SIM115  # recorded, not written
        show(recorded, console, at=at, interactive=False)
        assert "points" in console.export_text()
        console.file.close()
