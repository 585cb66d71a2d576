"""A game that a stranger has named is made in a process with limits first, and what ends that process ends nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from arena.cli.app import app
from arena.entries import game_trial
from arena.entries.game_trial import try_game
from arena.spec.spec import SpecError, make_stored_spec, read_spec
from bots.loader.apart import ProcessEnd
from engine.core import OptionsError
from engine.registry import trials
from tests.arena.hostile_games import hostile


@pytest.fixture(autouse=True)
def _games(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    game_trial._verdict.cache_clear()
    with hostile():
        yield
    game_trial._verdict.cache_clear()


def arena(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, prog_name="arena")


def test_a_game_that_works_is_measured_whatever_it_prints() -> None:
    verdict = try_game("hostile:print", {})
    assert 0 < verdict.moves < 1000
    assert verdict.drawing > 100
    assert verdict.text > 20
    assert try_game("hostile:2000", {}).moves > 20_000


@pytest.mark.parametrize(
    ("member", "sentence"),
    [
        ("crash", "'hostile:crash' can't be used: it crashes the process that creates or shows it (SIGSEGV)"),
        pytest.param(
            "loop", "'hostile:loop' can't be used: creating and showing positions takes more than 1 s", marks=pytest.mark.slow
        ),  # waits for the limit
        ("eat", "'hostile:eat' can't be used: it takes more than 256 MiB of memory"),
        ("sulk", "the rules of hostile:sulk failed to list one number for each seat as the tally at hostile_games.py:"),
    ],
)
def test_what_a_game_does_to_its_process_is_told_in_a_sentence(member: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_trial, "CPU_SECONDS", 1)
    monkeypatch.setattr(game_trial, "MEMORY", 256 << 20)
    with pytest.raises(OptionsError) as caught:
        try_game(f"hostile:{member}", {})
    assert str(caught.value).startswith(sentence)


def test_a_verdict_is_remembered_by_other_processes_and_for_that_game_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionsError, match="SIGSEGV"):
        try_game("hostile:crash", {})
    game_trial._verdict.cache_clear()
    monkeypatch.setattr(game_trial, "run_apart", lambda *_: ProcessEnd(b"", -6))
    with pytest.raises(OptionsError, match="SIGSEGV"):
        try_game("hostile:crash", {})
    with pytest.raises(OptionsError, match="SIGABRT"):
        try_game("hostile:other", {})


def test_a_replay_from_elsewhere_can_neither_end_nor_stop_a_command(tmp_path: Path) -> None:
    replay = tmp_path / "match.json"
    made = arena("match", "random", "random", "--game", "hostile:7", "--seed", "1", "--isolation", "none", "--save", str(replay))
    assert made.exit_code == 0, made.stderr
    replay.write_text(replay.read_text().replace("hostile:7", "hostile:crash"))
    for command in (["replay", str(replay)], ["analyse", str(replay)]):
        result = arena(*command)
        assert result.exit_code == 2
        assert "can't be used: it crashes the process that creates or shows it (SIGSEGV)" in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_a_game_that_the_user_names_needs_no_trial_but_one_of_a_stored_tournament_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(game_trial, "run_apart", lambda *_: ProcessEnd(b"", -6))
    counted = arena("perft", "--game", "hostile:3", "--players", "2", "--seed", "1", "--depth", "1")
    assert counted.exit_code == 0, counted.stderr
    spec = tmp_path / "cup.toml"
    spec.write_text('name = "cup"\ngame = "hostile:3"\nbots = ["random", "greedy"]\nseed = 1\n[schedule]\ntables = [2]\nblocks = 1\n')
    with trials(try_game):
        stored = read_spec(spec).canonical()
    with trials(try_game), pytest.raises(SpecError, match="SIGABRT"):
        make_stored_spec(stored, "a database")
