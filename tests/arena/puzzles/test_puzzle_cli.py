"""``arena puzzle`` as a program: made, drawn, solved, checked; exit codes, and one sentence for what is wrong."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from arena.cli.app import app
from arena.puzzles.sunda.codec import puzzle_text
from tests.arena.puzzles.test_puzzles import strip

pytestmark = pytest.mark.slow  # OR-Tools comes with the extra dev


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a puzzle, ``p.json``, and its solution, ``s.json``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


def puzzle(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["puzzle", *arguments], prog_name="arena")


@pytest.fixture
def solved(here: Path) -> Path:
    assert puzzle("new", "--seed", "7", "--difficulty", "medium", "--save", "p.json").exit_code == 0
    assert puzzle("solve", "p.json", "--save", "s.json").exit_code == 0
    return here


def said(result: Result, code: int) -> str:
    """The one sentence of an error."""
    assert result.exit_code == code, result.output
    lines = result.stderr.splitlines()
    assert len(lines) == 1
    return lines[0]


class TestNew:
    @pytest.mark.slow
    def test_it_draws_and_measures_within_80_columns(self) -> None:
        result = puzzle("new", "--seed", "7", "--difficulty", "hard")
        assert result.exit_code == 0, result.output
        assert max(map(len, result.stdout.splitlines())) <= 80
        assert "hard, seed 7: room for 26 tiles" in result.stdout
        assert "different inner borders" in result.stdout

    def test_without_the_solver_it_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found = importlib.util.find_spec
        monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "ortools" else found(name, *more))
        assert "pip install 'tile-arena[puzzles]'" in said(puzzle("new", "--seed", "3"), 2)


class TestSolve:
    def test_what_it_finds_passes_the_check(self, solved: Path) -> None:
        assert solved
        result = puzzle("check", "p.json", "s.json")
        assert (result.exit_code, result.stdout) == (0, "s.json solves p.json with 14 tiles.\n")

    def test_a_puzzle_without_a_solution_is_exit_code_1(self, here: Path) -> None:
        (here / "p.json").write_text(puzzle_text(strip(11, 1)))
        assert "p.json has no solution" in said(puzzle("solve", "p.json"), 1)


class TestCheck:
    def test_a_wrong_solution_is_exit_code_1_with_the_reason(self, solved: Path) -> None:
        solution = json.loads((solved / "s.json").read_text())
        solution["tiles"][1] = solution["tiles"][0]
        (solved / "s.json").write_text(json.dumps(solution))
        assert "s.json does not solve p.json" in (sentence := said(puzzle("check", "p.json", "s.json"), 1))
        assert sentence.endswith("is laid twice")

    @pytest.mark.parametrize(("text", "sentence"), [("{", "p.json: this is not JSON"), ("{}", "p.json: this is not sunda-puzzle/1")])
    def test_a_bad_file_is_exit_code_2(self, here: Path, text: str, sentence: str) -> None:
        (here / "p.json").write_text(text)
        assert sentence in said(puzzle("check", "p.json", "s.json"), 2)
