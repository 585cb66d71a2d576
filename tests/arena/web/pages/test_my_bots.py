"""The pages of signed-in authors: what they say, and that nobody else gets any of it, whatever they send."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.entries.check_report import CheckReport, CheckStage, Trouble
from arena.spec.spec import make_spec
from arena.web.submit.pages import steps
from engine.records import Fault, FaultKind
from leaderboard.storage.submissions import Submission, SubmissionState
from tests.arena.web.competition import play, visitor
from tests.arena.web.hosting import Open, make_token, matches_of, upload
from tests.arena.web.own_bots import keep_log
from tests.world import changed

CUP = "cup and co"
PRINTED, RAISED = "<i>printed-by-anas-bot</i>", "raised-by-anas-bot"
SHOWN = "&lt;i&gt;printed-by-anas-bot&lt;/i&gt;"
CRASHER = f"""
class Crasher:
    def start(self, info): self.seat = info.seat
    def choose(self, view, clock):
        if self.seat == 0: raise ValueError({RAISED!r})
        return view.legal_moves[0]
"""


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament that is over, with a bot of Ana's that fails in seat 0, and one of Ben's."""
    folder = tmp_path_factory.mktemp("mine")
    (folder / "crasher.py").write_text(CRASHER, encoding="utf-8")
    bots = [
        {"name": "crasher", "source": str(folder / "crasher.py"), "author": "Ana"},
        {"name": "bens", "source": "random", "author": "Ben"},
    ]
    data = {"name": CUP, "game": "tongiaki", "seed": 1, "bots": bots, "schedule": {"tables": [2], "blocks": 3}}
    spec = make_spec(data, "test")
    play(folder / "cup.db", spec)
    for match, seat in failures_in(folder / "cup.db"):  # what a bot prints is kept only of one in a process
        keep_log(folder / "cup.db", match, seat, log=PRINTED, messages=['{"type":"decide"}'])
    return folder / "cup.db"


def failures_in(db: Path) -> list[tuple[str, int]]:
    """The matches in which Ana's bot failed, newest first, each with its seat."""
    return [(each.id, 0) for each in matches_of(db, CUP) if each.seats[0].fault]


def test_an_author_sees_ratings_faults_by_cause_matches_and_the_way_to_each_log(browser: Open, db: Path) -> None:
    page = browser("Ana").get("/my").text
    match, seat = failures_in(db)[0]
    assert f'<b>3 times</b> <span class="fault">crash</span> <b class="bot">crasher</b> ValueError: {RAISED}' in page
    assert "line 5, in choose" in page
    assert f'href="/my/log/{match}/{seat}"' in page

    log = browser("Ana").get(f"/my/log/{match}/{seat}").text
    for part in (SHOWN, "line 5, in choose", "CPU time", f'href="/m/{match}#d=0"', "The last messages to the bot"):
        assert part in log
    assert PRINTED not in log
    assert browser("Ana").get(f"/my/log/{match}/{1 - seat}").status_code == 404


@pytest.mark.parametrize("author", ["", "Ben"])
def test_nobody_else_gets_a_log_or_learns_that_there_is_one(browser: Open, db: Path, author: str) -> None:
    match, seat = failures_in(db)[0]
    stranger = browser(author)
    there, nowhere = stranger.get(f"/my/log/{match}/{seat}"), stranger.get(f"/my/log/{'0' * 16}/{seat}")
    assert there.status_code == nowhere.status_code == (404 if author else 401)
    assert there.text.replace(match, "") == nowhere.text.replace("0" * 16, "")
    for path in ("/my", f"/my?in={CUP}", f"/my/log/{match[:8]}/{seat}", f"/my/log/{match}/1", f"/my/log/{match}/-1", f"/my/log/{match}/9"):
        text = stranger.get(path).text
        assert RAISED not in text
        assert "printed-by-anas-bot" not in text


def test_public_pages_are_the_same_for_an_author_and_say_nothing_of_logs(browser: Open, db: Path) -> None:
    match, _ = failures_in(db)[0]
    cup = "/t/cup%20and%20co"
    pages = ["/", f"/m/{match}", f"/m/{match}/viewer.json", f"/m/{match}/replay.json"]
    pages += [f"{cup}/about", f"{cup}/bots/crasher", f"/api/v1/matches/{match}"]
    ana, nobody = browser("Ana"), browser("")
    for path in pages:
        seen, public = ana.get(path), nobody.get(path)
        assert (seen.status_code, seen.text) == (200, public.text), path
        assert RAISED not in seen.text, path
        assert "printed-by-anas-bot" not in seen.text, path


def test_no_cache_may_keep_them(browser: Open, db: Path) -> None:
    match, seat = failures_in(db)[0]
    for author in ("Ana", ""):
        visit = browser(author)
        for path in ("/my", "/my/sign-in", f"/my/log/{match}/{seat}", "/submit"):
            answer = visit.get(path, headers={"if-none-match": "*"})
            assert answer.status_code in {200, 401}
            assert "no-store" in answer.headers["cache-control"], path
            assert "etag" not in answer.headers


def test_a_server_that_takes_no_bots_has_none_of_it(db: Path) -> None:
    with visitor(db) as reader:
        assert [reader.get(path).status_code for path in ("/my", "/my/sign-in", "/my/log/0/0", "/submit", "/play")] == [404] * 5
        assert upload(reader, "arena_x", "walker").status_code in {404, 405}
        assert reader.post("/my/sign-in", data={"token": make_token(db)}).status_code == 404
        assert 'href="/my"' not in reader.get("/").text


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
