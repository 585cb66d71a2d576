"""Which matches a check plays, when it stops early, and that what failed can be played again."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from arena.cli.bots.check import CheckProgress
from arena.entries.bot_check import ALIKE, CheckReport, Trouble, check_bot, plan_check, report_data
from bots.host.player_pool import PlayerPool
from bots.protocol import ClockMode, ClockSpec
from bots.sandbox.levels import Level
from engine.core import OptionsError
from engine.records import Fault, FaultKind
from engine.registry import find_game
from tests.arena.conftest import MakeBot, Run
from tests.bots.wasm import modules

CRASHES = "class Bot:\n    def choose(self, view, clock): return 1 / 0\n"
CRASHES_IN_SOME = """
class Bot:
    def start(self, info): self.players = info.players
    def choose(self, view, clock): return view.legal_moves[0] if self.players == 3 else 1 / 0
"""
CRASHES_VARIOUSLY = """
class Bot:
    def start(self, info): self.seat = info.seat
    def choose(self, view, clock): return 1 / 0 if self.seat else {}[0]
"""


def checked(bot: MakeBot, source: str, seed: int = 7, **more: int | bool) -> CheckReport:
    with PlayerPool(Level.NONE) as pool:
        return check_bot(bot(source), find_game("tongiaki"), pool, ClockSpec(), seed=seed, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [0, 7, 123456789])
def test_a_full_check_begins_with_a_quick_one(seed: int) -> None:
    game = find_game("tongiaki")
    quick, full = plan_check(game, seed, is_quick=True), plan_check(game, seed)
    assert [size for size, _ in quick] == [2, 3, 4, 5, 6]
    assert full[:5] == quick
    assert sorted(full) == [(size, seat) for size in (2, 3, 4, 5, 6) for seat in range(size)]


def test_a_check_of_one_table_plays_each_of_its_seats() -> None:
    assert sorted(plan_check(find_game("tongiaki"), 1, players=3)) == [(3, 0), (3, 1), (3, 2)]
    with pytest.raises(OptionsError, match=r"^tongiaki is for 2 to 6 players, not 7$"):
        plan_check(find_game("tongiaki"), 1, players=7)


def test_a_check_that_ends_early_is_judged_by_the_matches_that_are_over(bot: MakeBot, monkeypatch: pytest.MonkeyPatch) -> None:
    moves = count()
    monkeypatch.setattr("arena.entries.bot_check.monotonic", lambda: float(next(moves)))  # a second for each move
    good = "class Bot:\n    def choose(self, view, clock): return view.legal_moves[0]\n"
    report = checked(bot, good, seconds=1000)
    assert 0 < report.matches < report.planned
    assert (report.ended_after, report.is_stopped, report.is_passed) == (1000, False, True)
    assert report.notes == (f"the check ended after 1000 s, when {report.matches} of {report.planned} matches were over",)
    unfinished = checked(bot, good, seconds=3)
    assert (unfinished.matches, unfinished.is_passed, unfinished.failure) == (0, False, "finished no match in 3 s")


def test_a_check_stops_where_each_match_fails_for_one_cause(bot: MakeBot) -> None:
    report = checked(bot, CRASHES)
    assert (report.matches, report.planned, report.is_stopped) == (ALIKE, 20, True)
    assert report.failure == "stopped after 3 matches, all of which failed for the same reason"
    assert [len(alike) for alike in report.causes] == [3]
    data = report_data(report)
    assert (data["verdict"], data["matches"], data["planned"], data["is_stopped"]) == ("failed", 3, 20, True)


@pytest.mark.parametrize(("source", "failed", "causes"), [(CRASHES_IN_SOME, 17, 1), (CRASHES_VARIOUSLY, 20, 2)])
def test_a_check_goes_on_where_matches_differ(bot: MakeBot, source: str, failed: int, causes: int) -> None:
    report = checked(bot, source, seed=2)
    assert (report.matches, report.is_stopped, len(report.causes)) == (20, False, causes)
    assert report.failure == f"failed in {failed} of 20 matches"
    assert [(trouble.players, trouble.seat) for trouble in report.troubles] == sorted((each.players, each.seat) for each in report.troubles)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("KeyError: 17 (line 9)", "KeyError: 3 (line 9)", True),
        ("KeyError: 17 (line 9)", "KeyError: 17 (line 90)", False),
        ("<Move object at 0x7f31ab> is not legal", "<Move object at 0x7e0042> is not legal", True),
        ("no answer in 2.13 s", "no answer in 2.7 s", True),
        ("it used 1,972,277 units", "it used 372,319 units", True),
    ],
)
def test_faults_of_one_cause_differ_in_numbers_only(one: str, other: str, is_same: bool) -> None:
    trouble = Trouble(2, 0, 1, Fault(FaultKind.CRASH, 0, one))
    assert (trouble.cause == replace(trouble, fault=replace(trouble.fault, detail=other)).cause) == is_same


def test_the_command_plays_a_failed_match_again(run: Run, tmp_path: Path) -> None:
    source = "import random\nclass Bot:\n    def start(self, info): self.rng = random.Random(info.seed)\n"
    source += "    def choose(self, view, clock): return view.legal_moves[0] if self.rng.random() < 0.9 else 1 / 0\n"
    (tmp_path / "unlucky.py").write_text(source)
    told = run("bots", "check", "unlucky.py", "--game", "tongiaki", "--seed", "3", "--quick", "--isolation", "none")
    assert told.returncode == 1
    [again] = [line.split("again: arena ")[1].split() for line in told.stdout.splitlines() if "again: " in line]
    [where] = [line for line in told.stdout.splitlines() if line.startswith("  with ")]
    fault = next(seat["fault"] for seat in json.loads(run(*again, "--isolation", "none", "--json").stdout)["seats"] if seat["fault"])
    assert f"decision {fault['index'] + 1}, and in" in where


def test_quick_and_players_are_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "last.py").write_text("class Bot:\n    def choose(self, view, clock): return view.legal_moves[-1]\n")
    check = ("bots", "check", "last.py", "--game", "tongiaki", "--isolation", "none")
    quick = run(*check, "--quick", "--players", "3")
    assert (quick.returncode, quick.stderr) == (0, "")  # no progress where there is no terminal
    assert "1 match of tongiaki, one seat at a table of 3" in quick.stdout
    assert "2 matches of tongiaki, every seat at a table of 2" in run(*check, "--players", "2").stdout
    refused = run(*check, "--players", "9")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "error: tongiaki is for 2 to 6 players, not 9\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "is_shown"), [(Terminal(), True), (io.StringIO(), False)])
def test_progress_is_for_terminals(stream: io.StringIO, is_shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with CheckProgress("checking mine") as progress:
        progress.show(3, 20)
    assert ("checking mine" in stream.getvalue() and "3/20" in stream.getvalue()) == is_shown
    assert bool(stream.getvalue()) == is_shown


def test_a_check_counts_the_fuel_of_all_decisions_of_a_match() -> None:
    clock = ClockSpec(ClockMode.FUEL, start=None, move=None, wall_bank=None, start_fuel=10**9, move_fuel=10**9, bank_fuel=10**6)
    with PlayerPool(Level.NONE) as pool:
        report = check_bot(modules.bot(), find_game("tongiaki"), pool, clock, seed=7, players=2)
    assert [trouble.fault.kind for trouble in report.troubles] == [FaultKind.MOVE_TIMEOUT] * 2
    assert all(trouble.fault.index > 0 for trouble in report.troubles)
