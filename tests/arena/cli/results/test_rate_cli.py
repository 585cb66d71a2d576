"""``arena rate`` as a program: the same figure each time, the cache, the badge, one sentence for what is wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from arena.cli.app import app
from arena.play.executors.base import InlineExecutor
from leaderboard.ratings.anchors import read_anchors
from tests.stored import made_once

HERE = ("--executor", "inline", "--isolation", "none")
SMALL = ("--matches", "10", *HERE)
FIRST = """
class First:
    def choose(self, view, clock):
        return view.legal_moves[0]
"""
FAILING = FIRST.replace("return view.legal_moves[0]", "raise ValueError('no')")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the rating of the first bot, which most tests look at; it takes 10 matches."""

    def make(folder: Path) -> None:
        bot = folder / "first.py"
        bot.write_text(FIRST)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ARENA_CACHE", str(folder))
            result = rate(str(bot), *SMALL)
        assert result.exit_code == 0, result.output

    return Path(shutil.copytree(made_once(tmp_path_factory, "rated", make), tmp_path_factory.mktemp("cache"), dirs_exist_ok=True))


@pytest.fixture(autouse=True)
def settled(here: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache, and two bots in the test's folder."""
    (here / "first.py").write_text(FIRST)
    (here / "failing.py").write_text(FAILING)
    monkeypatch.setenv("ARENA_CACHE", str(cache))


def rate(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["rate", "--game", "tongiaki", *arguments], prog_name="arena")


class TestTheFigure:
    def test_what_was_played_is_not_played_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(InlineExecutor, "run", None)
        assert rate("first.py", *SMALL).exit_code == 0

    def test_where_the_badge_cant_be_written_nothing_is_played(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ARENA_CACHE", str(here / "another"))
        monkeypatch.setattr(InlineExecutor, "run", None)
        result = rate("first.py", "--badge", "nowhere/badge.svg", *SMALL)
        assert (result.exit_code, result.stderr) == (2, "error: nowhere/badge.svg can't be written: No such file or directory\n")

    def test_text_says_how_strong_it_is_and_where_that_stands(self) -> None:
        result = rate("first.py", *SMALL)
        label, position, terms, *_ = result.stdout.splitlines()
        assert label.startswith("first@")
        assert "strength" in label
        assert "random" in position or "spoiler" in position
        assert terms == "tongiaki, tables of 2, 10 matches"
        assert max(map(len, result.stdout.splitlines())) <= 80

    def test_json_has_every_figure(self) -> None:
        data = json.loads(rate("first.py", "--json", *SMALL).stdout)
        assert data["interval"][0] < data["strength"] < data["interval"][1]
        assert (data["players"], data["matches"], data["blocks"]) == (2, 10, 5)
        assert sum(each["blocks"] for each in data["anchors"]) == 5

    def test_forfeits_are_counted_and_lose(self) -> None:
        data = json.loads(rate("failing.py", "--json", *SMALL).stdout)
        assert data["forfeits"] == {"crash": 10}
        assert {each["share"] for each in data["anchors"]} == {0.0}
        assert "It forfeited matches, which count as lost: crash in 10." in rate("failing.py", *SMALL).stdout

    @pytest.mark.slow  # 80 matches each, some against mcts
    @pytest.mark.timeout(1200)
    @pytest.mark.parametrize("game", ["tongiaki", "sunda"])
    @pytest.mark.parametrize("bot", ["greedy", "learned"])
    def test_the_measured_strength_of_a_reference_bot_is_in_the_interval(self, bot: str, game: str) -> None:
        data = json.loads(rate(bot, "--json", "--game", game, "--matches", "80", *HERE).stdout)
        (measured,) = [each for each in read_anchors() if each.conditions.game == game]
        (known,) = [line for line in measured.tables[0].strengths if line.bot == bot]
        assert data["interval"][0] <= known.strength <= data["interval"][1]


class TestTheBadge:
    def test_it_is_an_image_that_names_the_figure_and_needs_nothing_from_elsewhere(self, here: Path) -> None:
        data = json.loads(rate("first.py", "--badge", "b.svg", "--json", *SMALL).stdout)
        text = (here / "b.svg").read_text()
        image = ElementTree.fromstring(text)  # noqa: S314  # our own
        assert f"{data['strength']:.0f} ±" in "".join(image.itertext())
        assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nobody.py",), "nobody.py"),
        (("first.py", "--tables", "5"), "not of 5; change --tables"),
        (("first.py", "--matches", "3"), "a rating needs at least 10 matches"),
        (("first.py", "--badge", ".", *SMALL), "is a folder"),
    ],
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    result = rate(*HERE, *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("error: ") == 1
