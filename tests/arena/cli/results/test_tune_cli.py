"""``arena tune`` as a program: one sentence for what is wrong, before anything is played; studies of few values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from arena.cli.app import app
from arena.play.executors.base import InlineExecutor

HERE = ("--game", "tongiaki", "--against", "random", "--executor", "inline", "--isolation", "none")
BOT = """
from dataclasses import dataclass


@dataclass
class Params:
    depth: int = 3
    style: str = "calm"

    def __post_init__(self):
        if not 1 <= self.depth <= 6:
            raise ValueError(f"depth should be from 1 to 6, not {self.depth}")


class Walker:
    params = Params()

    def choose(self, view, clock):
        return view.legal_moves[0 if self.params.style == "calm" else -1]
"""


@pytest.fixture(autouse=True)
def walker(here: Path) -> Path:
    path = here / "walker.py"
    path.write_text(BOT)
    return path


def tune(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["tune", *arguments, *HERE], prog_name="arena")


@pytest.mark.parametrize(
    ("ranges", "sentence"),
    [
        (("depth=4..7",), "the bot walker.py refuses its parameters: depth should be from 1 to 6, not 7"),
        (("depth=0..3",), "the bot walker.py refuses its parameters: depth should be from 1 to 6, not 0"),
        (("depth=1:6",), "the bot walker.py: the parameter 'depth' should be an integer, not 1.0"),
        (("style=calm,bold,7",), "the bot walker.py: the parameter 'style' should be a text, not 7"),
        (("deth=1..6",), "the bot walker.py has no parameter 'deth'; did you mean 'depth'?"),
    ],
)
def test_ranges_that_the_bot_refuses_are_one_sentence_before_anything_is_played(
    ranges: tuple[str, ...], sentence: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(InlineExecutor, "run", None)
    result = tune("walker.py", *(f"--param={each}" for each in ranges))
    assert (result.exit_code, result.stderr) == (2, f"error: {sentence}\n")
    assert not list(here.glob("*.tune"))


def test_a_study_of_two_values_plays_each_once() -> None:
    result = tune("walker.py", "--param", "style=calm,bold", "--blocks", "16", "--compared", "0", "--json")
    assert result.exit_code == 0, result.output
    study = json.loads(result.stdout)
    assert sorted(each["params"]["style"] for each in study["trials"]) == ["bold", "calm"]
    assert study["matches"] == 64
    assert study["bot"] in {"walker.py?style=calm", "walker.py?style=bold"}
