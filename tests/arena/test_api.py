"""The hosts' API: its names are a promise, its examples play, and it loads nothing before it is used."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arena
import leaderboard
from arena.run import runner
from bots import BotError, Clock, Move, View
from engine import find_game
from engine.records import MatchResult

ROOT = Path(__file__).parents[2]

CUP = """
name = "cup"
game = "tongiaki"
bots = ["greedy", "mine.py"]
[schedule]
tables = [2]
"""
CLIENT = """
from random import Random

import arena
import leaderboard
from bots import Clock, MatchInfo, Move, View
from engine import find_game, read_replay


class Mine:
    def start(self, info: MatchInfo) -> None:
        self.rng = Random(info.seed)

    def choose(self, view: View, clock: Clock) -> Move:
        def points(move: Move) -> float:
            state = view.sample(self.rng)
            state.play(move)
            return float(state.tally()["points"][view.seat]) + self.rng.random()

        return max(view.legal_moves, key=points)


game = find_game("sunda", level=1)
ticket = arena.make_ticket(game, ["mine", "other"], seed=7)
result = arena.play_match(game, ticket, [arena.seat_bot(Mine), arena.seat_bot("random")])
comparison = arena.compare(Mine(), "random", game="sunda", options={"level": 1}, seed=1)
print(comparison.test.verdict, len(read_replay(result.replay).decisions), [seat.rank for seat in result.seats])
spec = arena.make_spec({"name": "t", "game": "sunda", "seed": 1, "bots": ["random", "greedy"], "schedule": {"tables": [2], "blocks": 2}})
with arena.Store.create("t.db") as store:
    results = leaderboard.read_results(store, arena.run_tournament(spec, store=store).tournament)
strengths: tuple[leaderboard.Strength, ...] = leaderboard.strengths(leaderboard.find_blocks(results, spec.schedule.count_seatings))
"""
HOST = """
import arena
spec = arena.read_spec("cup.toml")
with arena.Store.create("cup.db") as store:
    summary = arena.run_tournament(spec, store=store)
print(summary.stored, arena.verify("cup.db").agrees)
"""


@pytest.mark.parametrize("package", [arena, leaderboard], ids=["arena", "leaderboard"])
def test_every_name_that_is_exported_is_there_and_described(package: Any) -> None:
    assert set(dir(package)) >= set(package.__all__)
    for name in package.__all__:
        assert getattr(package, name).__doc__, name
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'walk'"):
        package.walk  # noqa: B018


@pytest.mark.parametrize("module", [arena, leaderboard, runner])
def test_the_examples_play(module: object) -> None:
    tried = doctest.testmod(module)  # type: ignore[arg-type]
    assert tried.attempted > 0
    assert tried.failed == 0


class First:
    """A bot as somebody writes one in a notebook."""

    def __init__(self, place: int = 0) -> None:
        self.place = place

    def choose(self, view: View, clock: Clock) -> Move:
        return view.legal_moves[self.place]


class Broken(First):
    def choose(self, view: View, clock: Clock) -> Move:
        raise ValueError("no idea")


def play(*bots: Any) -> MatchResult:
    game = find_game("tongiaki")
    return arena.play_match(game, arena.make_ticket(game, ["one", "other"], seed=7), [arena.seat_bot(bot) for bot in bots])


def test_a_class_an_object_and_what_makes_one_are_bots() -> None:
    results = [play(First, "random"), play(First(), "random"), play(lambda: First(0), "random")]
    assert [seat.fault for result in results for seat in result.seats] == [None] * 6
    assert len({result.replay.digest for result in results}) == 1


def test_a_fault_of_a_class_names_its_line_and_has_its_traceback() -> None:
    seat, _ = play(Broken, "random").seats
    assert seat.fault is not None
    assert re.fullmatch(r"choose raised ValueError: no idea \(line \d+\)", seat.fault.detail)
    assert 'raise ValueError("no idea")' in seat.traceback


@pytest.mark.parametrize(
    ("bot", "sentence"),
    [
        (3, "the bot int lacks a method: its class int must define 'choose(self, view, clock)'"),
        (dict, "the bot dict lacks a method: its class dict must define"),
        (type("Greek\u03b1", (First,), {}), "can't be a bot's name: use at most 40 characters"),
        (type("Needs", (First,), {"__init__": lambda self, place: None}), "the bot Needs can't be created: Needs() raised TypeError"),
    ],
)
def test_what_is_no_bot_is_told_in_a_sentence(bot: Any, sentence: str) -> None:
    with pytest.raises(BotError) as raised:
        arena.seat_bot(bot)
    assert sentence in str(raised.value)


@pytest.mark.slow  # mypy reads all packages
def test_a_client_passes_mypy_strictly(tmp_path: Path) -> None:
    (tmp_path / "client.py").write_text(CLIENT)
    strict = ["--strict", "--follow-imports=silent", "--config-file=", f"--cache-dir={tmp_path / 'cache'}"]
    command = [sys.executable, "-m", "mypy", *strict, "client.py"]
    checked = subprocess.run(command, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    assert checked.stdout == "Success: no issues found in 1 source file\n"
    played = subprocess.run([sys.executable, "client.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert played.stdout.split()[0] == "better"


def test_a_host_runs_a_tournament_in_five_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    (tmp_path / "mine.py").write_text("class Mine:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n")
    monkeypatch.chdir(tmp_path)
    exec(HOST, {})  # noqa: S102  # the lines above
    assert capsys.readouterr().out == "2 True\n"
