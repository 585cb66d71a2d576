"""``arena diff`` as a program: what it prints at 80 columns, its exit codes, and one sentence for what is wrong."""

from __future__ import annotations

import json
import shlex
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from arena.analysis.bot_diff import Agreement, BotDiff, KindAgreement
from arena.analysis.match_analysis import Phase, Unit
from arena.cli.app import app
from arena.cli.results.diff_view import show
from tests.arena.web.replays import VECTORS

FILE = VECTORS / "tongiaki" / "r2-323.json"
HERE = ("--isolation", "none")
LANDS = """
from bots.reference.greedy import Greedy


class Lands(Greedy):
    params = {"last": True}

    def choose(self, view, clock):
        move = super().choose(view, clock)
        return list(view.legal_moves)[-1] if self.params["last"] and str(move).startswith("land ") else move
"""
SPEC = 'name = "cup"\ngame = "tongiaki"\nseed = 7\nbots = ["greedy", "random"]\n[schedule]\ntables = [2]\nblocks = 1\n'


@pytest.fixture(autouse=True)
def bots(here: Path) -> None:
    (here / "lands.py").write_text(LANDS)
    (here / "fails.py").write_text("class Fails:\n    def choose(self, view, clock):\n        return {}['no \\x1b[31m such']\n")
    (here / "broken.py").write_text("import nothing_like_it\nclass Bot:\n    def choose(self, view, clock): ...\n")
    (here / "cup.toml").write_text(SPEC)


def arena(*arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments], prog_name="arena")


def diff(*arguments: str) -> Result:
    return arena("diff", *arguments, *HERE)


def test_a_parameter_that_changes_one_rule_is_named_first_with_a_command_that_shows_it() -> None:
    result = diff("lands.py", "lands.py?last=false", str(FILE))
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == f"lands.py against lands.py?last=false in 1 match of tongiaki ({FILE.name})"
    table = lines.index("") + 2
    assert lines[table].startswith("landings ")
    assert "not clear" in lines[table]
    assert all("100 %" in line for line in lines[table + 1 : table + 4])
    commands = [line.strip() for line in lines if line.strip().startswith("arena replay ")]
    assert len(commands) == 19
    shown = arena(*shlex.split(commands[0])[1:])
    assert shown.exit_code == 0
    assert "land" in shown.stdout
    assert max(len(line) for line in lines if "arena replay" not in line) <= 80


def test_the_table_fits_80_columns_with_large_gains_and_long_names() -> None:
    part = Agreement(1234, 1000, -0.307, 0.179, is_clear=False)
    phases = dict.fromkeys(Phase, part)
    kinds = (KindAgreement("ships taken back", part, phases),)
    found = BotDiff(Unit.CHANCE, "a value", 2, part, phases, kinds, (), (), 0)
    with StringIO() as text:
        show(found, ("new.py", "old.py"), "tongiaki", "", Console(file=text, width=80))
        lines = text.getvalue().splitlines()
    assert any(line.endswith("-30.7 ± 17.9 not clear") for line in lines)
    assert not [line for line in lines if "…" in line]


def test_json_has_the_same_figures() -> None:
    result = diff("lands.py", "lands.py?last=false", str(FILE), "--json")
    known = json.loads(result.stdout)
    assert (known["new"], known["old"], known["game"]) == ("lands.py", "lands.py?last=false", "tongiaki")
    assert known["kinds"][0]["kind"] == "landings"
    assert known["total"]["decisions"] - known["total"]["agreed"] == len(known["largest"]) == 19
    assert known["kinds"][0]["total"]["decisions"] == sum(each["decisions"] for each in known["kinds"][0]["phases"].values())


def test_a_bot_that_fails_is_named_with_its_traceback_and_the_exit_code_says_so() -> None:
    result = diff("greedy", "fails.py", str(FILE))
    assert result.exit_code == 7
    assert "fails.py: 6 x crash: choose raised KeyError: " in result.stdout
    assert "\x1b" not in result.stdout
    assert 'File "fails.py", line 3, in choose' in result.stdout


def test_of_a_database_the_newest_tournament_of_the_game_and_only_the_decisions_of_one_bot() -> None:
    assert arena("run", "cup.toml", "--db", "cup.db", "--executor", "inline", *HERE).exit_code == 0
    both, one = (
        json.loads(diff("lands.py", "greedy", "--db", "cup.db", "--game", "tongiaki", "--json", *more).stdout)
        for more in ((), ("--bot", "random", "--matches", "1"))
    )
    assert (both["matches"], one["matches"]) == (2, 1)
    assert 0 < one["total"]["decisions"] < both["total"]["decisions"]
    assert {each["name"] for each in one["largest"]} == {"random"}
    for more, sentence in (
        (("--game", "sunda"), "--game sunda: no tournament in cup.db is of that game; 'cup' is of tongiaki"),
        (("--bot", "nobody"), "there is no bot 'nobody' in the tournament 'cup'; its bots are greedy, random"),
        (("--tournament", "none"), "there is no tournament 'none' in cup.db; it has cup"),
    ):
        result = diff("lands.py", "greedy", "--db", "cup.db", *more)
        assert (result.exit_code, result.stderr) == (2, f"error: {sentence}\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("greedy", "random", "--db", "no.db"), "there is no database no.db"),
        (("greedy", "random", "no.json"), "there is no file no.json"),
        (("greedy", "random", str(FILE), "--game", "sunda"), "is a match of tongiaki"),
        (("greedy", "random", str(FILE), "--bot", "zed"), "has that name; it has "),
        (("greedy", "random", str(FILE), str(VECTORS / "sunda" / "turns-L3-2p-7.json")), "is not of the same game with the same options"),
        (("nope.py", "greedy", str(FILE)), "there is no file nope.py"),
        (("broken.py", "greedy", str(FILE)), "nothing_like_it"),
        (("lands.py?first=1", "greedy", str(FILE)), "has no parameter 'first'"),
    ],
)
def test_what_is_wrong_is_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    result = diff(*arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.splitlines()[-1].startswith("error: ")
    assert not result.stdout
