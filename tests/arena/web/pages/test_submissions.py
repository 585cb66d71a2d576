"""The steps of a check on a submission's page: what is done, what goes on, and what failed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from arena.entries.check_report import CheckReport, CheckStage, Trouble
from arena.web.submit.pages import steps
from engine.records import Fault, FaultKind
from leaderboard.storage.submissions import Submission, SubmissionState
from tests.rows import changed

WAITING = Submission(id="a", name="ant", digest="0", game="tongiaki", sent=datetime(2026, 1, 1, tzinfo=UTC))
STARTING = changed(WAITING, state=SubmissionState.CHECKING, stage="start")
PLAYING = changed(STARTING, stage="play", done=1, planned=2, decisions=30)
REFUSED = changed(PLAYING, state=SubmissionState.REFUSED)
ACCEPTED = changed(PLAYING, state=SubmissionState.ACCEPTED, number=1, done=2)
CRASH = Trouble(2, 0, 1, CheckStage.PLAY, Fault(FaultKind.CRASH, 3, "it broke"))
PASSED = CheckReport(
    bot="ant", version="0", game="tongiaki", isolation="L3", seed=1, stage=CheckStage.PLAY, matches=2, planned=2, sizes=(2,),
    coverage="every seat at tables of 2", is_complete=True, decisions=60, troubles=(), notes=(), start_seconds=0.42, seconds={},
    cpu_seconds={}, memory=None, log="",
)  # fmt: skip
IN_PLAY = replace(PASSED, troubles=(CRASH,))
NOT_STARTED = replace(PASSED, stage=CheckStage.START, matches=1, decisions=0, troubles=(replace(CRASH, stage=CheckStage.START),))


@pytest.mark.parametrize(
    ("submission", "report", "lines"),
    [
        (WAITING, None, ["to-do: Start", "to-do: Play"]),
        (STARTING, None, ["now: Starting", "to-do: Play"]),
        (PLAYING, None, ["done: Started", "now: Playing: 1 of 2 matches over, no failure in 30 decisions"]),
        (changed(PLAYING, failed=1), None, ["done: Started", "now: Playing: 1 of 2 matches over, failed in 1"]),
        (REFUSED, IN_PLAY, ["done: Started in 0.4 s", "failed: Played: 2 of 2 matches over, failed in 1"]),
        (REFUSED, NOT_STARTED, ["failed: It did not start", "to-do: Play"]),
        (ACCEPTED, PASSED, ["done: Started in 0.4 s", "done: Played: 2 of 2 matches over, no failure in 60 decisions"]),
        (REFUSED, PASSED, ["done: Started in 0.4 s", "done: Played: 2 of 2 matches over, no failure in 60 decisions"]),
    ],
)
def test_the_steps_say_where_a_check_is_and_where_it_failed(submission: Submission, report: CheckReport | None, lines: list[str]) -> None:
    assert [f"{state}: {words}" for state, words in steps(submission, report)] == ["done: Read: the file is valid", *lines]


@pytest.mark.parametrize(
    ("log", "most", "end"),
    [
        ("one\ntwo\nthree\n", 8, "three\n"),
        ("one\ntwo\nthree\n", 6, "three\n"),
        ("one\ntwo\n", 100, "one\ntwo\n"),
        ("one\n", 4, "one\n"),
        ("a line without an end", 3, "end"),
        ("", 9, ""),
    ],
)
def test_the_end_of_a_log_begins_with_a_whole_line(log: str, most: int, end: str) -> None:
    assert replace(PASSED, log=log).end_of_log(most) == end
