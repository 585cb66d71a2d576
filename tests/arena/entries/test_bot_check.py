"""Which matches a check plays, when it stops early, and that what failed can be played again."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from arena.entries.bot_check import ALIKE, DIFFERED, REPEATED, CheckProgress, CheckTerms, check_bot
from arena.entries.check_report import CheckReport, CheckStage, report_data
from arena.spec.spec import make_spec
from bots.host.player_pool import PlayerPool
from bots.limits import STANDARD, Level
from bots.protocol import ClockSpec
from engine.core import OptionsError
from engine.registry import find_game
from tests.arena.conftest import MakeBot, Run
from tests.arena.web.hosting import LADDER, make_ladder

CRASHES = "class Bot:\n    def choose(self, view, clock): return 1 / 0\n"
NO_LIMITS = CheckTerms(find_game("tongiaki"), (2, 3, 4, 5, 6), ClockSpec(), STANDARD)
GOOD = "class Bot:\n    def choose(self, view, clock): return view.legal_moves[0]\n"


def checked(bot: MakeBot, source: str, seed: int = 7, terms: CheckTerms = NO_LIMITS, **more: Any) -> CheckReport:
    with PlayerPool(Level.NONE) as pool:
        return check_bot(bot(source), terms, pool, seed=seed, **more)


def test_a_check_for_a_tournament_is_on_its_terms(bot: MakeBot) -> None:
    data = {"name": "cup", "game": "sunda", "options": {"level": 2}, "bots": ["random", "greedy"], "seed": 1}
    spec = make_spec(data | {"schedule": {"format": "ladder", "tables": [2]}, "clock": {"move": 0.5, "bank": 20.0}}, "test")
    terms = CheckTerms.of_tournament(spec)
    assert (terms.game, terms.sizes, terms.clock) == (spec.make_game(), (2,), spec.clock.limits)
    assert (terms.clock.move, terms.clock.bank) == (0.5, 20.0)
    asserting = f"{GOOD}    def start(self, info): assert (info.players, info.game.options['level'], info.clock.bank) == (2, 2, 20.0)\n"
    report = checked(bot, asserting, terms=terms)
    assert (report.is_passed, report.matches, report.coverage, report.is_complete) == (True, 2, "every seat at tables of 2", True)


class GameFor:
    """A game as far as it says for how many it is."""

    def __init__(self, *sizes: int) -> None:
        self.sizes, self.min_players, self.max_players = sizes, min(sizes), max(sizes)

    def check_start(self, players: int, _seed: int) -> None:
        if players not in self.sizes:
            raise OptionsError("not for so many")


@pytest.mark.parametrize(
    ("sizes", "checked"),
    [((2, 3, 4, 5, 6), (2, 4)), ((1, 2, 3), (2, 3)), ((2,), (2,)), ((1,), (1,)), ((1, 5), (1,)), ((5, 6), (5,)), ((2, 4, 6), (2, 4))],
)
def test_without_a_tournament_a_bot_plays_at_a_small_table_and_one_of_up_to_four(sizes: tuple[int, ...], checked: tuple[int, ...]) -> None:
    assert CheckTerms.of_game(GameFor(*sizes), ClockSpec(), STANDARD).sizes == checked  # type: ignore[arg-type]


def test_a_check_of_some_tables_is_not_complete(bot: MakeBot) -> None:
    report = checked(bot, GOOD, players=[2])
    assert (report.matches, report.sizes, report.is_complete) == (2, (2,), False)
    with pytest.raises(OptionsError, match=r"^tongiaki is for 2 to 6 players, not 7$"):
        checked(bot, GOOD, players=[2, 7])


def test_the_match_of_a_bot_that_has_failed_is_played_to_its_end(bot: MakeBot, monkeypatch: pytest.MonkeyPatch) -> None:
    moves = count()
    seconds = 0.0

    def a_second_for_each_move(_progress: CheckProgress) -> None:
        nonlocal seconds
        seconds = float(next(moves))

    monkeypatch.setattr("arena.entries.bot_check.running_time", lambda: seconds)
    report = checked(bot, CRASHES, seconds=10, on_progress=a_second_for_each_move)
    assert (report.matches, len(report.troubles), report.is_passed) == (1, 1, False)


@pytest.mark.slow  # in processes, which are stopped when a second has passed
@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import time\ntime.sleep(1000)\n" + GOOD, "was not ready after 1 s"),
        ("import time\nclass Bot:\n    def choose(self, view, clock): time.sleep(1000)\n", "made no decision in 1 s"),
        ("class Bot:\n    def choose(self, view, clock):\n        while True: pass\n", "made no decision in 1 s"),
    ],
)
def test_a_bot_that_hangs_is_stopped_when_the_time_is_up(bot: MakeBot, source: str, words: str) -> None:
    with PlayerPool(Level.L0) as pool:
        began = monotonic()
        report = check_bot(bot(source), NO_LIMITS, pool, seconds=1)
        assert monotonic() - began < 60  # its limits would let it go on for forty seconds in each of three matches
    assert (report.matches, report.troubles, report.is_passed) == (0, (), False)
    assert report.failure in {words, "was not ready after 1 s"}  # which it may not have been on a busy machine


@pytest.mark.parametrize(
    ("choice", "note"), [("view.legal_moves[0]", REPEATED), ("view.legal_moves[randrange(len(view.legal_moves))]", DIFFERED)]
)
def test_the_first_match_is_played_twice(bot: MakeBot, choice: str, note: str) -> None:
    source = f"from random import randrange\nclass Bot:\n    def choose(self, view, clock): return {choice}\n"
    report = checked(bot, source, is_quick=True, players=[2])
    assert (report.notes, report.matches, report.is_passed) == ((note,), 1, True)


def test_a_bot_that_does_not_start_plays_no_further_match(bot: MakeBot) -> None:
    report = checked(bot, "class Bot:\n    def start(self, info): 1 / 0\n    def choose(self, view, clock): ...\n")
    assert (report.stage, report.matches, report.is_stopped) == (CheckStage.START, 1, True)
    assert (report.failure, report.troubles[0].stage, report.start_seconds) == ("did not start", CheckStage.START, None)


def test_a_check_stops_where_each_match_fails_for_one_cause(bot: MakeBot) -> None:
    report = checked(bot, CRASHES)
    assert (report.matches, report.planned, report.is_stopped) == (ALIKE, 20, True)
    assert report.failure == "failed in each of the first 3 matches for the same reason, and the check stopped there"
    assert [len(alike) for alike in report.causes] == [3]
    data = report_data(report)
    assert (data["verdict"], data["matches"], data["planned"], data["is_stopped"]) == ("failed", 3, 20, True)


@pytest.mark.slow  # two runs of the program
def test_a_check_for_a_ladder_of_a_database_is_at_its_tables(run: Run, tmp_path: Path) -> None:
    make_ladder(tmp_path / "league.db")
    (tmp_path / "duellist.py").write_text(f"{GOOD}    def start(self, info): assert info.players == 2\n")
    check = ("bots", "check", "duellist.py", "--isolation", "none", "--db", "league.db", "--ladder")
    done = run(*check, LADDER)
    assert (done.returncode, "every seat at tables of 2\n" in done.stdout) == (0, True), done.stdout + done.stderr
    refused = run(*check, "cup")
    assert (refused.returncode, refused.stderr) == (2, f"error: there is no ladder 'cup' here; the ladders are: {LADDER}\n")
