"""The state of a database in lines."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from arena.report.host_report import host_lines, seal_text, span
from leaderboard.records import Ending, Space
from leaderboard.storage.activity import NewestSeal
from leaderboard.storage.submissions import QueueCount
from tests.arena.run.test_status import FINE, NOW, RUN


def test_lines_of_a_run() -> None:
    status = replace(FINE, uploads=QueueCount(3, 1, NOW - timedelta(minutes=5)))
    assert host_lines(status) == [
        ("recent", "3000 matches since 11:00 UTC"),
        ("driver", "process 17 on node, in 4 processes, 9000 matches since 2026-02-28 12:00 UTC; last seen 2 s ago"),
        ("uploads", "3 waiting, the oldest sent 5 min ago; 1 being checked"),
        ("disk", "50.0 GiB of 100.0 GiB left; the database takes up 1.0 GiB"),
    ]


def test_lines_without_a_run_and_of_a_server() -> None:
    status = replace(FINE, is_running=False, space=Space(5 << 20))
    assert dict(host_lines(replace(status, is_paused=True)))["recent"] == "paused by the host; 3000 matches since 11:00 UTC"
    killed = "none; the last run (process 17 on node, in 4 processes, 9000 matches) was killed"
    assert dict(host_lines(status))["driver"] == killed
    ended = replace(status, run=RUN.model_copy(update={"ending": Ending.STOPPED}))
    assert dict(host_lines(ended))["driver"] == killed.replace("was killed", "was stopped by its host")
    assert dict(host_lines(replace(status, run=None)))["driver"] == "no run yet"
    assert dict(host_lines(status))["disk"] == "the database takes up 5.0 MiB; only the database server knows the free space"


@pytest.mark.parametrize(
    ("seal", "text"),
    [
        (
            NewestSeal(2, "2026-03-01T11:00:00Z", 100, is_final=True),
            "2 is the newest: 2026-03-01 11:00:00 UTC, 100 of 120 matches, final",
        ),
        (NewestSeal(2), "2 is the newest, but can't be read; see 'arena verify'"),
        (NewestSeal(0), "none for its 120 matches"),
    ],
)
def test_a_seal(seal: NewestSeal, text: str) -> None:
    assert seal_text(seal, 120) == text


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
