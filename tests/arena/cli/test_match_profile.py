"""``arena match --profile``: the planted function and the planted kind of decision come first; what can't be profiled says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from arena.cli.app import app

BOT = """
import time


class Thinker:
    def choose(self, view, clock):
        moves = list(view.legal_moves)
        if str(moves[0]).startswith("land "):
            self.ponder()
        return moves[0]

    def ponder(self):
        until = time.thread_time() + 0.003
        while time.thread_time() < until:
            pass


class Crash(Thinker):
    def ponder(self):
        raise KeyError("x")
"""


@pytest.fixture(autouse=True)
def bots(here: Path) -> None:
    (here / "bot.py").write_text(BOT)


def match(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["match", *arguments, "--game", "tongiaki", "--seed", "7"], prog_name="arena")


@pytest.mark.parametrize("isolation", ["none", pytest.param("L0", marks=pytest.mark.slow)])  # which starts processes
def test_what_takes_most_time_is_named_first(isolation: str) -> None:
    trust = ("--isolation", isolation, "--trust-bots")
    result = match("greedy", "bot.py:Thinker", "--profile", "--json", *trust)
    assert result.exit_code == 0, result.output
    (profile,) = json.loads(result.stdout)["profile"]
    assert (profile["seat"], profile["bot"], profile["reason"]) == (1, "Thinker", "")
    own, total = profile["functions"]["own"], profile["functions"]["total"]
    assert {each["name"] for each in own[:2]} == {"Thinker.ponder", "time.thread_time"}
    assert [(each["name"], each["place"]) for each in total[:2]] == [("Thinker.choose", "bot.py:6"), ("Thinker.ponder", "bot.py:12")]
    assert total[0]["calls"] == profile["asked"]
    assert all("disable" not in each["name"] for each in own)
    assert profile["functions"]["seconds"] >= total[0]["total"] * 0.99
    assert len(profile["slowest"]) == 10
    assert {each["kind"] for each in profile["slowest"][:5]} == {"landings"}
    assert profile["slowest"][0]["cpu_seconds"] >= 0.003


def test_without_profile_the_match_is_the_same_and_json_has_none() -> None:
    plain, profiled = (
        json.loads(match("bot.py:Thinker", "greedy", "--isolation", "none", "--json", *more).stdout) for more in ((), ("--profile",))
    )
    assert "profile" not in plain
    assert [seat["score"] for seat in plain["seats"]] == [seat["score"] for seat in profiled["seats"]]


def test_it_follows_the_match_within_80_columns() -> None:
    lines = match("bot.py:Thinker", "greedy", "--isolation", "none", "--profile").stdout.splitlines()
    after = lines[lines.index("Where the time of seat 0, Thinker, went") - 2 :]
    assert after[0].split()[-1].replace(".", "").isdigit()  # the last line of the table of seats
    assert "slows the bot down" in after[3]
    assert max(map(len, after)) <= 80
    assert [line for line in after if line.startswith(("Functions", "The slowest"))] == [
        "Functions by their own time",
        "Functions with all that they call",
        next(line for line in after if line.startswith("The slowest of its ")),
    ]


def test_reference_bots_are_profiled_only_if_no_other_plays_and_each_bot_once() -> None:
    for bots, seats in ((("greedy", "random", "greedy"), [0, 1]), (("greedy", "bot.py:Thinker", "bot.py:Thinker"), [1])):
        known = json.loads(match(*bots, "--isolation", "none", "--profile", "--json").stdout)
        assert [each["seat"] for each in known["profile"]] == seats


@pytest.mark.slow  # a process
def test_of_a_bot_that_failed_the_decisions_are_shown() -> None:
    result = match("bot.py:Crash", "greedy", "--isolation", "L0", "--trust-bots", "--profile")
    assert result.exit_code == 7
    why = "By decision only: it failed, and functions are reported only at the end of a match."
    assert why in " ".join(result.stdout.split())
    assert "The slowest of its " in result.stdout
