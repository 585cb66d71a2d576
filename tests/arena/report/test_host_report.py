"""The state of a database in lines and tables."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from arena.report.host_report import ago, fault_table, host_lines, size, span, worker_table
from leaderboard.records import Ending, Space, WorkerRecord
from leaderboard.storage.activity import BotFaults, NewestSeal
from leaderboard.storage.submissions import QueueCount
from tests.arena.run.test_alarms import FINE, NOW, RUN


def test_lines_of_a_run() -> None:
    status = replace(FINE, uploads=QueueCount(3, 1, NOW - timedelta(minutes=5)))
    assert host_lines(status) == [
        ("lately", "3000 matches since 11:00 UTC"),
        ("workers", "4 processes, driver node:17, 9000 matches since 2026-02-28 12:00 UTC; last seen 2 s ago"),
        ("uploads", "3 waiting, the oldest sent 5 min ago; 1 being checked"),
        ("disk", "50.0 GiB of 100.0 GiB left; the database takes 1.0 GiB"),
    ]


def test_lines_without_a_run_and_of_a_server() -> None:
    status = replace(FINE, is_running=False, space=Space(5 << 20))
    assert dict(host_lines(replace(status, is_paused=True)))["lately"] == "paused by the host; 3000 matches since 11:00 UTC"
    killed = "none; the last run (4 processes, driver node:17, 9000 matches) was killed"
    assert dict(host_lines(status))["workers"] == killed
    ended = replace(status, run=RUN.model_copy(update={"ending": Ending.STOPPED}))
    assert dict(host_lines(ended))["workers"] == killed.replace("was killed", "was stopped by its host")
    assert dict(host_lines(replace(status, run=None)))["workers"] == "no run yet"
    assert dict(host_lines(status))["disk"] == "the database takes 5.0 MiB; only its server knows the free space"


def test_the_seals_of_one_tournament() -> None:
    sealed = NewestSeal("cup", 120, 2, "2026-03-01T11:00:00Z", 100, is_signed=True)
    seals = (sealed, replace(sealed, tournament="odd", time=None, matches=None), NewestSeal("new", 7, 0))
    shown = {each.tournament: dict(host_lines(replace(FINE, seals=seals), each.tournament))["seals"] for each in seals}
    assert shown == {
        "cup": "2, the newest of 2026-03-01 11:00:00 UTC for 100 of 120 matches, signed",
        "odd": "2, the newest can't be read; see 'arena verify'",
        "new": "none for its 7 matches",
    }


def test_tables() -> None:
    faults = tuple(BotFaults("cup", f"b{at}", 20, 9, {"crash": 7, "memory": 2}) for at in range(13))
    workers = tuple(WorkerRecord(f"node:{at}", at, NOW - timedelta(seconds=at)) for at in range(3))
    activity = replace(FINE.activity, faults=faults)
    status = replace(FINE, activity=activity, run=RUN.model_copy(update={"workers": workers}))
    shown = fault_table(status)
    assert (shown.rows[0], len(shown.rows), shown.notes) == (("b0", "9", "20", "7 x crash, 2 x memory"), 10, ("and 3 more",))
    assert shown.title == "faults since 11:00 UTC, in 3000 matches"
    assert worker_table(status).rows == [("node:2", "2", "2 s ago"), ("node:1", "1", "1 s ago"), ("node:0", "0", "0 s ago")]
    assert worker_table(replace(status, is_running=False)).rows == []


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59.6, "60 s"),
        (60, "1 min"),
        (119, "119 s"),
        (120, "2 min"),
        (3600, "1 h"),
        (7199, "120 min"),
        (86400, "1 d"),
        (10**6, "12 d"),
    ],
)
def test_a_duration_is_in_the_unit_that_suits_it(seconds: float, text: str) -> None:
    assert span(seconds) == text


def test_what_is_dated_in_the_future() -> None:
    assert ago(NOW + timedelta(seconds=2), NOW) == "in the future"
    assert ago(NOW + timedelta(seconds=0.5), NOW) == "0 s ago"


def test_sizes() -> None:
    assert [size(each) for each in (0, 1 << 20, (1 << 30) - 1, 3 << 29)] == ["0.0 MiB", "1.0 MiB", "1024.0 MiB", "1.5 GiB"]
