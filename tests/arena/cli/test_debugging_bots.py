"""What the program shows to the author of a bot: what it prints, its traceback, and what it would do at one decision of a match."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest
from typer.testing import CliRunner, Result

from arena.cli.app import app
from bots.loader.reference_bots import REFERENCE_BOTS
from engine.replay.format import read_replay
from engine.replay.verifier import state_at
from tests.arena.web.replays import VECTORS

LOUD = """
import random, sys

class Loud:
    def start(self, info):
        self.rng = random.Random(info.seed)
        print("my seed is", info.seed)

    def choose(self, view, clock):
        print("asked", len(view.history), "\\x1b[31m", file=sys.stderr)
        return view.legal_moves.random(self.rng)
"""

CRASHER = """
class Crasher:
    asked = 0

    def choose(self, view, clock):
        self.asked += 1
        print("asked", self.asked)
        if self.asked == 3:
            raise ValueError("no more")
        return view.legal_moves[0]
"""

COMMAND = """
import json, sys
input()
print(json.dumps({"type": "hello", "protocol": 1, "name": "spoken", "wants": ["legal"]}), flush=True)
told = 0
for line in sys.stdin:
    asked = json.loads(line)
    told += len(asked["news"])
    print("told", told, file=sys.stderr, flush=True)
    print(json.dumps({"type": "answer", "token": asked["token"], "move": asked["legal"][-1]}), flush=True)
"""

TRACEBACK = '  File "crasher.py", line 9, in choose\n    raise ValueError("no more")\nValueError: no more\n'

NONE = ("--isolation", "none")

BEST = ("--isolation", "best", "--trust-bots")

LEVELS = pytest.mark.parametrize("level", [NONE, BEST], ids=["in process", "in a process of its own"])

MOSTLY_HERE = pytest.mark.sampled(1)
"""Leaves the level with processes to slow tests, where others show that output, tracebacks and answers come from there, too."""


@pytest.fixture(autouse=True)
def bots(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("ARENA_GAME", "tongiaki")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (here / "loud.py").write_text(LOUD)
    (here / "crasher.py").write_text(CRASHER)
    (here / "spoken").mkdir()
    (here / "spoken" / "spoken.py").write_text(COMMAND)
    (here / "spoken" / "bot.toml").write_text('command = ["python3", "spoken.py"]\n')


def arena(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(arguments), prog_name="arena")
    assert result.exit_code == code, result.output
    return result


def saved(*bots: str) -> Path:
    """The replay of a match of these bots."""
    Path("m.json").write_text(played(*bots))
    return Path("m.json")


@cache
def played(*bots: str) -> str:
    level = BEST if "spoken" in bots else NONE
    arena("match", *bots, "--seed", "3", *level, "--save", "played.json", code=7 if "crasher.py" in bots else 0)
    return Path("played.json").read_text()


class TestMatch:
    @LEVELS
    def test_what_each_bot_prints_is_shown_if_wanted(self, level: tuple[str, ...]) -> None:
        text = arena("match", "loud.py", "random", "--seed", "3", "--log", *level).stdout
        _, log = text.split("seat 0, loud, printed:\n")
        mine, _ = log.split("\n\nseat 1, random, printed nothing\n")
        lines = mine.splitlines()
        assert len(lines) > 10
        assert all(line.startswith("asked ") and line.endswith("\\x1b[31m") for line in lines[1:])
        assert lines[0].startswith("my seed is ")
        if level == NONE:
            assert "printed" not in arena("match", "loud.py", "random", "--seed", "3", *level).stdout

    @MOSTLY_HERE
    @LEVELS
    def test_a_bot_that_raises_shows_its_traceback(self, level: tuple[str, ...]) -> None:
        text = arena("match", "crasher.py", "random", "--seed", "3", *level, code=7).stdout
        assert "crash: choose raised ValueError: no more (line 9)\nTraceback (most recent call last):\n" + TRACEBACK in text
        if level == BEST:
            return
        data = json.loads(arena("match", "crasher.py", "random", "--seed", "3", "--json", *level, code=7).stdout)
        assert [TRACEBACK.strip() in seat["traceback"] for seat in data["seats"]] == [True, False]


def test_a_check_shows_each_traceback_once() -> None:
    text = arena("bots", "check", "crasher.py", "--seed", "1", *NONE, code=1).stdout
    assert "of tongiaki, " in text
    assert text.count(TRACEBACK) == 1


class TestAskingAgain:
    @MOSTLY_HERE
    @LEVELS
    def test_the_bot_that_played_decides_as_it_did(self, level: tuple[str, ...]) -> None:
        file = saved("loud.py", "greedy")
        for at in asked(file, 0)[4:5]:
            text = arena("replay", str(file), "--ask", "loud.py", "--at", str(at), *level).stdout
            move = json.loads(file.read_text())["decisions"][at][1]
            assert f"recorded: {move}\nnow:      {move} (the same, " in text
            assert text.startswith(f"Decision {at + 1} of ")
            assert "A replay doesn't record the bot's seed and limits, so the defaults of 'arena match' are used" in text
            assert "but not always" not in text

    @LEVELS
    def test_a_fault_is_shown_with_its_traceback(self, level: tuple[str, ...]) -> None:
        file = saved("crasher.py", "random")
        third, fourth = asked(file, 0)[2:4]
        text = arena("replay", str(file), "--ask", "crasher.py", "--at", str(third), *level).stdout
        assert "A substitute had taken that seat at decision " in text
        assert "now:      crash: choose raised ValueError: no more (line 9)\n" in text
        assert TRACEBACK in text
        if level == BEST:
            return
        other = saved("random", "greedy")
        later = arena("replay", str(other), "--ask", "crasher.py", "--at", str(asked(other, 0)[3]), *level).stdout
        assert f"now:      crash, already at decision {asked(other, 0)[2] + 1}: choose raised ValueError" in later
        assert third < fourth

    @pytest.mark.slow
    def test_a_match_of_a_tournament_gives_its_seed_and_its_limits(self, here: Path) -> None:
        (here / "cup.toml").write_text(
            dedent("""
                name = "cup"
                game = "tongiaki"
                bots = ["loud.py", "greedy"]
                [schedule]
                tables = [2]
                blocks = 1
                [clock]
                bank = 17.0
            """)
        )
        (here / "clocked.py").write_text(LOUD.replace("len(view.history)", "clock.bank > 16.0, clock.bank <= 17.0, clock.seconds"))
        arena("run", "cup.toml", "--db", "cup.db", "--executor", "inline", *NONE)
        listed = json.loads(arena("matches", "--db", "cup.db", "--json").stdout)
        for match in listed["matches"] if isinstance(listed, dict) else listed:
            seat = [each["bot"] for each in match["seats"]].index("loud")
            arena("replay", match["id"], "--db", "cup.db", "--save", f"{match['id']}.json")
            at = asked(Path(f"{match['id']}.json"), seat)[9]
            text = arena("replay", match["id"], "--db", "cup.db", "--ask", "loud.py", "--at", str(at), *BEST).stdout
            assert "The bot's seed and limits come from the tournament 'cup'.\n" in text
            assert "(the same, " in text
            assert "but not always" not in text
            timed = arena("replay", match["id"], "--db", "cup.db", "--ask", "clocked.py", "--at", str(at), *BEST).stdout
            assert timed.count("asked True True") == 10


def asked(file: Path, seat: int) -> list[int]:
    """The decisions of a replay that a seat had to make."""
    decisions = json.loads(file.read_text())["decisions"]
    return [index for index, decision in enumerate(decisions) if decision[0] == seat and decision[2] > 1]


FILE = VECTORS / "tongiaki" / "r2-323.json"

IN_PROCESS = ("--isolation", "none", "--clock", "nodes=20")


def table_of(*arguments: str) -> dict[str, str]:
    """The rows of the table by bot, each as one line."""
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["replay", str(FILE), *arguments, *IN_PROCESS])
    assert result.exit_code == 0, result.output
    rows = result.stdout.partition("\n\nbot ")[2].partition("\n\n")[0].splitlines()[1:]
    return {row.split()[0]: row for row in rows}


def test_every_reference_bot_is_asked_and_its_move_valued() -> None:
    rows = table_of("--at", "60", "--ask", "all")
    replay = read_replay(FILE.read_text())
    state, played = state_at(replay, 60), replay.decisions[60].move
    assert list(rows) == ["recorded", *REFERENCE_BOTS]
    assert played in rows["recorded"]
    legal = {str(move) for move in state.legal_moves}
    for bot, row in rows.items():
        assert "%" in row
        assert any(f" {move} " in row for move in legal)
        if bot != "recorded":
            assert ("the same" in row) == (f" {played} " in row)
            assert ("different" in row) != ("the same" in row)


def test_without_a_decision_it_says_what_to_give() -> None:
    result = CliRunner().invoke(app, ["replay", str(FILE), "--ask", "all"])
    assert result.exit_code == 2
    assert result.stderr == "error: --ask all needs a position; give --at K, the position after K decisions\n"


@pytest.mark.parametrize("bot", ["all", "greedy"])
def test_json_has_the_decision_and_the_answers(bot: str) -> None:
    result = CliRunner().invoke(app, ["replay", str(FILE), "--ask", bot, "--at", "60", "--json", *IN_PROCESS])
    known = json.loads(result.stdout)
    assert known["recorded"] == read_replay(FILE.read_text()).decisions[60].move
    assert [each["bot"] for each in known["answers"]] == (list(REFERENCE_BOTS) if bot == "all" else ["greedy"])
    legal = {str(move) for move in state_at(read_replay(FILE.read_text()), 60).legal_moves}
    assert all(each["move"] in legal for each in known["answers"])
