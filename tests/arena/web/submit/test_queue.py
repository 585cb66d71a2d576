"""Submissions are checked in turn, and each gets one verdict, whatever happens to the machine."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.entries.bot_check import CheckProgress, OnProgress
from arena.entries.check_report import CheckStage
from arena.run.ladder_entry import enter_version
from arena.run.results import standings
from arena.season.entry import hand_in
from arena.tournament import stored_spec
from arena.web.app import make_app
from arena.web.games import OfferedGames
from arena.web.settings import CheckSettings
from arena.web.submit import queue as server
from arena.web.submit.queue import Check, Checker, CheckQueue, in_turn, next_submission
from bots.errors import HostFaultError
from bots.loader.version import BotVersion, pack
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import Submission, SubmissionState, submissions, submit, versions
from tests.arena.web.conftest import OpenPage
from tests.arena.web.hosting import BOT, LADDER, checked, make_ladder, make_token, served, settings_for, sign_in, upload
from tests.world import claimed, person, sent, tournament_of, wait_for

NAMES = ("ant", "bee", "cow", "fox", "hen", "yak")
QUICK = CheckSettings(poll=0.02, pauses=(0.0, 0.05))
SLEEPER = b"import time\nclass Bot:\n    def choose(self, view, clock): time.sleep(1000)\n"
DUELLIST = (
    b"class Bot:\n    def start(self, info): assert info.players == 2\n    def choose(self, view, clock): return view.legal_moves[0]\n"
)


def accept(_store: Store, submission: Submission, _failures: int, _go_on: OnProgress) -> None:
    submission.state = SubmissionState.ACCEPTED


# Turns


def queued(number: int, author: str, name: str = "") -> Submission:
    moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=number)
    return Submission(id=str(number), author=author, name=name, digest="", sent=moment)


def order(waiting: list[Submission], seconds: float = 10.0) -> str:
    """The order in which they are checked, one after the other, if each takes so many seconds."""
    found, spent = "", dict[str | None, float]()
    while (chosen := next_submission(waiting, (), spent)) is not None:
        found += chosen.id
        spent[chosen.author] = spent.get(chosen.author, 0.0) + seconds
        waiting = [each for each in waiting if each is not chosen]
    return found


def test_authors_take_turns() -> None:
    assert order([queued(1, "Ana"), queued(2, "Ana"), queued(3, "Ana"), queued(4, "Ben"), queued(5, "Cid")]) == "14523"
    assert next_submission([queued(1, "Ana")], {"Ana"}, {}) is None, "another of her bots is checked"


def test_versions_of_a_bot_are_checked_in_the_order_in_which_they_came_also_when_the_first_was_interrupted() -> None:
    first = queued(1, "Ana", name="walker")
    later = [queued(2, "Ana", name="Walker"), queued(3, "Ben", name="walker"), queued(4, "Ana", name="other")]
    assert [each.id for each in in_turn([first, *later])] == ["1", "4"]
    assert [each.id for each in in_turn(later, ["walker"])] == ["4"]
    first.state = SubmissionState.CHECKING
    assert [each.id for each in in_turn([first, *later])] == ["4"]


# The queue


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    db = tmp_path / "queue.db"
    Store.create(db).__exit__()
    with Store.join(db) as found:
        yield found


@pytest.fixture
def start(store: Store) -> Iterator[Callable[..., CheckQueue]]:
    """Start the queue of a server, which is closed after the test."""
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor())

        def begin(check: Check, **more: Any) -> CheckQueue:
            checks = CheckQueue(store.name, check, replace(QUICK, **more), pool)
            stack.callback(checks.close)
            checks.start()
            return checks

        yield begin


def states(store: Store) -> list[str]:
    return [each.state.value for each in submissions(store)]


def test_what_the_machine_could_not_check_is_tried_again_and_the_host_sees_why(store: Store, start: Callable[..., CheckQueue]) -> None:
    goes_on = threading.Event()
    errors = [HostFaultError("the sandbox\nis gone"), OSError("no memory"), ValueError("a fault of ours")]
    known = []

    def check(store: Store, submission: Submission, failures: int, go_on: OnProgress) -> None:
        known.append(failures)
        if failures < 3:
            raise errors[failures]
        goes_on.wait(60)
        accept(store, submission, failures, go_on)

    sent(store, "Ana")
    start(check, pauses=(0.0, 0.05, 0.5))
    wait_for(lambda: submissions(store)[0].reason == "ValueError: a fault of ours")
    goes_on.set()
    wait_for(lambda: states(store) == ["accepted"])
    assert (known, submissions(store)[0].reason) == ([0, 1, 2, 3], "")


def test_a_check_that_was_cut_off_is_run_again(store: Store, start: Callable[..., CheckQueue]) -> None:
    sent(store, "Ana")
    claimed(store)  # by a server that was killed
    start(accept, at_once=1)
    wait_for(lambda: states(store) == ["accepted"])


def test_a_server_that_stops_puts_back_what_it_checked(store: Store, start: Callable[..., CheckQueue]) -> None:
    began = threading.Event()

    def check(_store: Store, _submission: Submission, _failures: int, go_on: OnProgress) -> None:
        began.set()
        while True:
            go_on(CheckProgress(CheckStage.PLAY))
            threading.Event().wait(0.01)

    sent(store, "Ana")
    checks = start(check)
    assert began.wait(60)
    checks.close()
    assert states(store) == ["waiting"]
    start(accept)
    wait_for(lambda: states(store) == ["accepted"])


# Entering


def test_bots_that_enter_a_ladder_at_the_same_time_are_all_in_it_once(tmp_path: Path) -> None:
    db = tmp_path / "league.db"
    make_ladder(db)
    with Store.join(db) as store:
        versions = [BotVersion(f"{name}", hashlib.sha256(name.encode()).hexdigest(), "a.py", "Bot", "class Bot: ...") for name in NAMES]
        kept = [submit(store, each.name, each.digest, person(store, each.name), b"") for each in versions]
        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(lambda at: enter_version(store, LADDER, kept[at % 6], versions[at % 6]), range(12)))
        ladder = tournament_of(store, LADDER)
        assert found == [(name, "") for name in NAMES * 2]
        assert sorted(bot.name for bot in stored_spec(ladder).bots) == sorted([*NAMES, "greedy", "random", "spoiler"])
        assert sorted(each.name for each in ladder.entrants) == sorted([*NAMES, "greedy", "random", "spoiler"])


@pytest.mark.slow  # sandboxes
def test_what_its_own_files_make_fail_is_refused_at_the_third_attempt(store: Store, start: Callable[..., CheckQueue]) -> None:
    path = f"{'x' * 256}/data"  # as if reading it had not refused it
    bot = BotVersion("bot0", "0" * 64, "bot0.zip", "", files=(("bot", b""), (path, b"")), command=("bot",))
    sent(store, "Ana", "bot0", pack(bot))
    start(Checker(settings_for(store.name), OfferedGames()).check)
    wait_for(lambda: states(store) == ["refused"])
    assert submissions(store)[0].reason == server._NO_RESULT


# Servers


def killed(*_arguments: object, **_more: object) -> None:
    raise OSError("as if the server were killed here")


@pytest.mark.slow  # two servers
def test_a_version_that_was_kept_when_its_server_was_killed_is_entered_and_not_checked_again(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = make_token(db)
    monkeypatch.setattr(server, "hand_in", killed)
    pauses = CheckSettings(poll=0.05, pauses=(60.0,))
    with TestClient(make_app(settings_for(db, checks=pauses))) as first:
        killed_one = upload(first, token, "killed", ladder=LADDER).json()["id"]
        with Store.read(db) as store:
            wait_for(lambda: submissions(store)[0].label)
    monkeypatch.setattr(server, "hand_in", hand_in)
    monkeypatch.setattr(server, "check_apart", killed)
    with TestClient(make_app(settings_for(db, checks=QUICK))) as second:
        found = checked(second, token, killed_one)
    assert [found["label"], found["entrant"], found["report"]["verdict"]] == ["killed@1", "killed", "passed"]
    with Store.read(db) as store:
        assert [each.label for each in versions(store, "killed")] == ["killed@1"]


@pytest.mark.slow  # a server, its sandbox, and a check of a second
def test_a_bot_that_hangs_keeps_its_place_no_longer_than_a_check_lasts(db: Path) -> None:
    token = make_token(db, "Slow")
    with TestClient(make_app(settings_for(db, checks=replace(QUICK, seconds=1.0)))) as client:
        found = checked(client, token, upload(client, token, "sleeper", SLEEPER).json()["id"])  # by its own limits, it might take minutes
    assert (found["report"]["verdict"], found["report"]["ended_after"], found["label"]) == ("failed", 1.0, "")
    assert found["reason"] in {"it made no decision in 1 s", "it was not ready after 1 s"}


@pytest.mark.slow  # a server and its sandbox
def test_a_bot_for_two_is_checked_at_the_tables_of_its_ladder_and_at_no_others(db: Path) -> None:
    token = make_token(db, "Duellist")
    with TestClient(make_app(settings_for(db, checks=QUICK))) as client:
        ladder, none = (
            upload(client, token, "duellist", DUELLIST + more, **kind).json()["id"]
            for more, kind in ((b"", {"ladder": LADDER}), (b"#", {}))
        )
        entered, refused = (checked(client, token, each) for each in (ladder, none))
        sign_in(client, token)
        page = client.get(f"/submit/{ladder}").text
    assert (entered["state"], entered["report"]["sizes"], entered["stage"], entered["planned"]) == ("accepted", [2], "play", 2)
    with Store.read(db) as store:
        assert store.speeds(tournament_of(store, LADDER))[entered["entrant"]] == entered["report"]["match_seconds"] > 0
    assert "Started in " in page
    assert "Played: 2 of 2 matches over, no failure in " in page
    assert (refused["state"], refused["report"]["sizes"]) == ("refused", [2, 4])


# Refusals


def test_the_size_of_a_submission_is_the_hosts_choice_for_the_server_and_for_a_ladder(tmp_path: Path) -> None:
    make_ladder(tmp_path / "large.db", rounds=1, runtime={"bundle": "6 MiB"})
    for limit, most in ((8 << 20, 8 << 20), (4 << 20, 6 << 20)):
        with TestClient(make_app(settings_for(tmp_path / "large.db", upload_limit=limit))) as client:
            assert client.get("/api/v1/limits").json()["upload_bytes"] == most
            codes = [client.post("/api/v1/submissions", content=b"x" * size).status_code for size in (most, most + 1)]
        assert codes == [401, 413]


def test_from_a_token_to_a_rating(tmp_path: Path, open_page: OpenPage) -> None:
    db = tmp_path / "league.db"
    make_ladder(db)
    (tmp_path / "walker.py").write_bytes(BOT)
    with served(settings_for(db)) as server:
        page = open_page(f"{server}/submit", server=server).page
        page.fill("#token", make_token(db))
        page.click("main button[type=submit]")
        page.fill("#name", "walker")
        page.set_input_files("#file", tmp_path / "walker.py")
        page.select_option("#ladder", LADDER)
        page.click("#submission button")
        page.wait_for_selector("text=walker@1")
        make_ladder(db, rounds=5)
        page.wait_for_selector("text=Its matches >> xpath=following-sibling::ul//a")  # the page looks again by itself
        page.goto(f"{server}/t/{LADDER}")
        line = page.locator("tbody tr", has=page.get_by_role("link", name="walker", exact=True)).first
        matches = line.locator("td").all_inner_texts()
        page.close()  # it follows the ladder until then
        with Store.read(db) as store:
            found = store.tournament(LADDER)
            assert found is not None
            [walker] = [each for each in standings(store, found) if each.bot == "walker"]
        assert walker.matches > 0
        assert str(walker.matches) in matches
        assert any(f"{walker.rating:.2f}" in text for text in matches)
