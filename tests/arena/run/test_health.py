"""A run pauses where most bots fail or become slow, says why, and goes on by command; one bot alone never pauses it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.app import app
from arena.cli.output import Exit
from arena.play.executors.base import Job, Played, Tickets
from arena.run.runner import run_tournament
from arena.run.watch import PACE_SECONDS, WINDOW, Health, PausedError
from arena.spec.spec import Spec
from bots.loader.version import BotVersion
from engine.records import Fault, FaultKind, MatchResult, SeatResult, Ticket, pack_replay
from leaderboard.storage.store import Store
from tests.arena.conftest import MakeSpec
from tests.arena.fakes import FakeExecutor, without_pauses

Versions = Callable[[Spec], dict[str, BotVersion]]

FOUR = """
    bots = [{name = "ann", source = "random"}, {name = "bob", source = "random"},
            {name = "cid", source = "random"}, {name = "dan", source = "random"}]
    schedule = {tables = [2], blocks = 10}
"""
SWISS = FOUR.replace("schedule = {tables = [2], blocks = 10}", 'schedule = {format = "swiss", tables = [2], rounds = 4, blocks = 3}')


def result(number: int, seats: Sequence[str], failing: Sequence[str] = (), seconds: float = 1.0) -> MatchResult:
    ticket = Ticket(f"{number:016x}", tuple(seats), 0, 0, tuple(seats), number)
    return of(ticket, failing, seconds)


def of(ticket: Ticket, failing: Sequence[str], seconds: float = 1.0) -> MatchResult:
    fault = Fault(FaultKind.INIT_TIMEOUT, 0, "it had not answered")
    return MatchResult(
        ticket,
        tuple(
            SeatResult(bot, 1, place, fault if bot in failing else None, 10, 10 * seconds)
            for place, bot in enumerate(ticket.seats, start=1)
        ),
        "waters", 40, 1.0, pack_replay(f"replay of {ticket.id}"),
    )  # fmt: skip


PAIRS = [("ann", "bob"), ("ann", "cid"), ("ann", "dan"), ("bob", "cid"), ("bob", "dan"), ("cid", "dan")]


def feed(health: Health, failing: Sequence[str], matches: int, first: int = 0) -> list[str]:
    """Take so many matches of all pairs; return the ids of what may be stored."""
    return [
        each.ticket.id
        for number in range(first, first + matches)
        for each in health.take(result(number, PAIRS[number % len(PAIRS)], failing))
    ]


@pytest.mark.parametrize("failing", [["ann", "bob", "cid"], ["ann", "bob", "cid", "dan"]])
def test_a_run_in_which_most_bots_fail_pauses_and_nothing_of_it_may_be_stored(failing: list[str]) -> None:
    health = Health()
    assert feed(health, failing, WINDOW - 1) == []
    with pytest.raises(PausedError, match=rf"{len(failing)} of 4 bots failed in most of the last {WINDOW} matches \(\d+ x init timeout;"):
        feed(health, failing, 1, WINDOW - 1)


def test_it_pauses_before_the_first_match_that_failed_is_stored_when_the_machine_fails_in_mid_run() -> None:
    health = Health()
    assert len(feed(health, [], 50)) == 50
    with pytest.raises(PausedError):
        assert feed(health, ["ann", "bob", "cid", "dan"], WINDOW, 50) == []


@pytest.mark.parametrize("failing", [["ann"], ["ann", "bob"]])
def test_half_of_the_bots_may_fail_for_ever_and_what_they_play_is_stored(failing: list[str]) -> None:
    health = Health()
    stored = feed(health, failing, 200)
    held = [each.ticket.id for each in health.release()]
    assert sorted(stored + held) == [f"{number:016x}" for number in range(200)]
    assert len(held) < WINDOW


class Times:
    """A clock that the test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def pace(health: Health, times: Times, seconds: Callable[[str], float], bots: Sequence[Sequence[str]] = PAIRS) -> None:
    """Have a minute and a window of matches pass in which each bot takes so long for a decision."""
    for number in range(WINDOW):
        times.now += 2 * PACE_SECONDS / WINDOW
        seats = bots[number % len(bots)]
        match = result(number, seats)
        slow = [SeatResult(seat.bot, 1, seat.rank, None, 10, 10 * seconds(seat.bot)) for seat in match.seats]
        health.take(MatchResult(match.ticket, tuple(slow), "waters", 40, 1.0, match.replay))


def test_a_run_that_has_come_to_a_tenth_of_its_pace_pauses() -> None:
    times = Times()
    health = Health(clock=times)
    pace(health, times, lambda _bot: 0.1)
    pace(health, times, lambda _bot: 0.5)
    with pytest.raises(PausedError, match="4 of 4 bots took over 10 times as long for a decision"):
        pace(health, times, lambda _bot: 4.0)


class Failing(FakeExecutor):
    """An executor on whose machine all bots fail in the matches numbered ``first`` to ``last``."""

    def __init__(self, first: int, last: int = 10**9) -> None:
        self.first, self.last = first, last
        self.played = 0

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        for ticket in without_pauses(tickets):
            failing = ticket.seats if self.first <= self.played < self.last else ()
            self.played += 1
            yield [of(ticket, failing)]


@pytest.mark.parametrize("more", [FOUR, SWISS], ids=["blocks", "swiss"])
def test_what_a_paused_run_has_not_stored_is_played_again_with_the_same_digests(
    more: str, spec: MakeSpec, versions: Versions, tmp_path: Path
) -> None:
    plan = spec(more)
    with Store.create(tmp_path / "whole.db") as store:
        whole = run_tournament(plan, versions(plan), store, Failing(10**9))
    with Store.create(tmp_path / "paused.db") as store:
        with pytest.raises(PausedError):
            run_tournament(plan, versions(plan), store, Failing(whole.stored // 4))
        stored = store.count_matches(store.tournament(plan.name))  # type: ignore[arg-type]  # it is there
        assert stored < whole.stored
        again = run_tournament(plan, versions(plan), store, Failing(10**9))
    assert again.played == whole.stored - stored
    assert (again.results_digest, again.ratings_digest) == (whole.results_digest, whole.ratings_digest)
    assert again.is_complete


def test_bots_that_fail_for_a_moment_change_no_digest_and_store_all(spec: MakeSpec, versions: Versions, tmp_path: Path) -> None:
    plan = spec(SWISS)
    digests = set()
    for name, is_sure in (("a", True), ("b", False)):
        with Store.create(tmp_path / f"{name}.db") as store:
            digests.add(run_tournament(plan, versions(plan), store, Failing(5, 12), go_on_anyway=is_sure).results_digest)
    assert len(digests) == 1


def test_the_command_pauses_with_a_code_of_its_own_and_goes_on_with_an_option(tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text("class Crash:\n    def choose(self, view, clock):\n        raise ValueError('no')\n")
    bots = ", ".join(f'{{name = "{name}", source = "crash.py"}}' for name in ("ann", "bob", "cid"))
    spec = f'name = "cup"\ngame = "tongiaki"\nseed = 1\nbots = [{bots}]\n[schedule]\ntables = [2]\nblocks = 4\n'
    (tmp_path / "cup.toml").write_text(spec)
    command = ["run", str(tmp_path / "cup.toml"), "--db", str(tmp_path / "cup.db"), "--executor", "inline", "--isolation", "none"]

    paused = CliRunner().invoke(app, command)

    assert paused.exit_code == Exit.PAUSED == 6
    assert "the run has paused, since 3 of 3 bots failed" in " ".join(paused.stderr.split())
    with Store.read(tmp_path / "cup.db") as store:
        assert store.count_matches(store.tournament("cup")) == 0  # type: ignore[arg-type]  # it is there
    assert CliRunner().invoke(app, [*command, "--go-on-anyway"]).exit_code == Exit.DONE
