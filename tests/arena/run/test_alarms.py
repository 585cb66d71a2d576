"""Alarms of made-up states: each on one side of its threshold and on the other."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from arena.run.host_status import GIB, AlarmKind, HostStatus, find_alarms
from leaderboard.records import ClockStep, Ending, Space
from leaderboard.storage.activity import Activity, BotFaults
from leaderboard.storage.submissions import QueueCount
from leaderboard.storage.tournaments import Run

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def run_with(**facts: Any) -> Run:
    """A run that goes on, but for these facts."""
    known = {"host": "node", "process": 17, "place": "4 processes", "began": NOW - timedelta(days=1), "seen": NOW - timedelta(seconds=2)}
    return Run(**{"tournament_id": 1, "matches": 9000, **known, **facts})


RUN = run_with()
FINE = HostStatus(
    database="cup.db",
    moment=NOW,
    is_running=True,
    is_paused=False,
    newest=NOW - timedelta(seconds=1),
    activity=Activity(NOW - timedelta(hours=1), 3000, ()),
    left=(),
    tournament="cup",
    run=RUN,
    uploads=QueueCount(0, 0, None),
    space=Space(GIB, 50 * GIB, 100 * GIB),
    seals=(),
)


def kinds(status: HostStatus) -> list[str]:
    return [each.kind.value for each in find_alarms(status)]


def test_of_what_is_as_it_should_be_there_are_none() -> None:
    assert find_alarms(FINE) == ()
    assert find_alarms(replace(FINE, is_running=False, tournament=None, run=None, newest=None)) == ()


class TestBots:
    @pytest.mark.parametrize(
        ("faults", "matches", "is_alarm"), [(6, 10, True), (5, 10, False), (9, 9, False), (500, 1000, False), (501, 1000, True)]
    )
    def test_one_that_fails_in_more_than_half_of_at_least_ten(self, faults: int, matches: int, is_alarm: bool) -> None:
        failing = BotFaults("cup", "walker", matches, faults, {"crash": faults})
        assert kinds(replace(FINE, activity=replace(FINE.activity, faults=(failing,)))) == ["bot"] * is_alarm

    def test_each_has_an_alarm_of_its_own(self) -> None:
        faults = [BotFaults("cup", bot, 12, 12, {"crash": 10, "memory": 2}) for bot in ("a", "b")]
        alarms = find_alarms(replace(FINE, activity=replace(FINE.activity, faults=tuple(faults))))
        assert [each.text for each in alarms] == [
            f"{bot} failed in 12 of its 12 matches of cup since 11:00 UTC (10 x crash, 2 x memory)" for bot in ("a", "b")
        ]


class TestDisk:
    @pytest.mark.parametrize(
        ("free", "total", "is_alarm"),
        [(GIB - 1, 10 * GIB, True), (GIB, 10 * GIB, False), (5 * GIB, 101 * GIB, True), (5 * GIB, 100 * GIB, False), (0, 0, True)],
    )
    def test_little_of_it_is_left(self, free: int, total: int, is_alarm: bool) -> None:
        assert kinds(replace(FINE, space=Space(1, free, total))) == ["disk"] * is_alarm

    def test_that_of_a_server_is_not_known(self) -> None:
        assert kinds(replace(FINE, space=Space(1))) == []


class TestClock:
    @pytest.mark.parametrize(("ahead", "is_alarm"), [(60, False), (61, True)])
    def test_a_result_of_the_future(self, ahead: float, is_alarm: bool) -> None:
        assert kinds(replace(FINE, newest=NOW + timedelta(seconds=ahead))) == ["clock"] * is_alarm

    def test_a_sign_of_life_of_the_future(self) -> None:
        assert kinds(replace(FINE, run=run_with(seen=NOW + timedelta(hours=2)))) == ["clock"]

    @pytest.mark.parametrize(("age", "is_alarm"), [(3599, True), (3600, False), (-7200, True)])
    def test_a_jump_of_the_last_hour(self, age: float, is_alarm: bool) -> None:
        stepped = run_with(step=ClockStep(NOW - timedelta(seconds=age), -90.0))
        assert kinds(replace(FINE, run=stepped)) == ["clock"] * is_alarm

    def test_it_says_by_how_much(self) -> None:
        [alarm] = find_alarms(replace(FINE, run=run_with(step=ClockStep(NOW, 3600.0))))
        assert alarm.text == "the clock of node jumped by +3600 s at 12:00 UTC: it was set, or the machine slept"


class TestRuns:
    def test_one_that_was_killed(self) -> None:
        [alarm] = find_alarms(replace(FINE, is_running=False))
        assert alarm.kind is AlarmKind.RUN
        assert alarm.text == "the run of cup (process 17 on node) was killed after 2026-03-01 11:59:58 UTC; the same command continues it"

    @pytest.mark.parametrize("ending", [Ending.PAUSED, Ending.FAILED])
    def test_one_that_could_not_go_on(self, ending: Ending) -> None:
        [alarm] = find_alarms(replace(FINE, is_running=False, run=run_with(ending=ending, reason="no disk")))
        assert alarm.text == f"the run of cup has {ending}: no disk"

    @pytest.mark.parametrize("ending", [Ending.COMPLETE, Ending.STOPPED])
    def test_one_that_ended_as_it_should(self, ending: Ending) -> None:
        assert kinds(replace(FINE, is_running=False, run=run_with(ending=ending))) == []
