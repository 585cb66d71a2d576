"""Alarms of made-up states: each on one side of its threshold and on the other."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from arena.run.host_status import GIB, AlarmKind, HostStatus, find_alarms
from leaderboard.records import Ending, Space
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
    matches=3000,
    tournament="cup",
    run=RUN,
    uploads=QueueCount(0, 0, None),
    space=Space(GIB, 50 * GIB, 100 * GIB),
)


def kinds(status: HostStatus) -> list[str]:
    return [each.kind.value for each in find_alarms(status)]


def test_of_what_is_as_it_should_be_there_are_none() -> None:
    assert not kinds(FINE)
    assert not kinds(replace(FINE, is_running=False, tournament=None, run=None))


class TestDisk:
    @pytest.mark.parametrize(
        ("free", "total", "is_alarm"),
        [(GIB - 1, 10 * GIB, True), (GIB, 10 * GIB, False), (5 * GIB, 101 * GIB, True), (5 * GIB, 100 * GIB, False), (0, 0, True)],
    )
    def test_little_of_it_is_left(self, free: int, total: int, is_alarm: bool) -> None:
        assert kinds(replace(FINE, space=Space(1, free, total))) == ["disk"] * is_alarm


class TestRuns:
    def test_one_that_was_killed(self) -> None:
        [alarm] = find_alarms(replace(FINE, is_running=False))
        assert alarm.kind is AlarmKind.RUN
        assert alarm.text == "the run of cup (process 17 on node) was killed after 2026-03-01 11:59:58 UTC; the same command continues it"

    @pytest.mark.parametrize("ending", [Ending.PAUSED, Ending.FAILED])
    def test_one_that_could_not_go_on(self, ending: Ending) -> None:
        [alarm] = find_alarms(replace(FINE, is_running=False, run=run_with(ending=ending, reason="no disk")))
        assert alarm.text == f"the run of cup has {ending}: no disk"
