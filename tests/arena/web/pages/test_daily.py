"""The position of the day: which one it is, whose answers are counted, and what is said where there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from limits import RateLimitItemPerDay
from sqlalchemy import delete
from starlette.testclient import TestClient

from arena.analysis.standings import standings
from arena.web.analyses.jobs import Failure, MatchAnswer
from arena.web.pages import daily
from arena.web.viewer.schema import Analysis, Better, Mark
from engine.replay.format import read_replay
from engine.replay.verifier import ReplayTimeline, timeline_of
from leaderboard.storage.server_tables import DAILY_ANSWER
from leaderboard.storage.store import Store
from tests.arena.web.competition import visitor
from tests.arena.web.conftest import OpenPage, wait_until
from tests.arena.web.every_page import DESK, NOT_OURS, problems_of
from tests.arena.web.hosting import served, settings_for
from tests.arena.web.play.test_moments import MOMENTS, SCRIPT, Known, others
from tests.stored import tournament_of

TOMORROW = datetime.now(UTC) + timedelta(days=1)
"""The matches of the competition have finished today."""
DAY = str(TOMORROW.date())
PLACE = re.compile(r'data-at="(\d+)" data-back="/m/([^/]+)/replay"')


@pytest.fixture
def client(people: Path) -> Iterator[TestClient]:
    with visitor(people, analyses=True, allow_play=True, now=lambda: TOMORROW, fresh_seconds=60.0) as found:
        yield with_known(found)
    with Store.join(people) as store, store.writing() as connection:
        connection.execute(delete(DAILY_ANSWER))


def with_known(client: TestClient) -> TestClient:
    app: Any = client.app
    app.state.analyses = Known()
    return client


def known_of(client: TestClient) -> Known:
    app: Any = client.app
    known: Known = app.state.analyses
    return known


@cache
def _timeline(replay: str) -> ReplayTimeline:
    return timeline_of(read_replay(replay))


def analyse(client: TestClient, people: Path, losses: list[float], *, of_strong: bool = True) -> list[str]:
    """Answer every job with a mark of that loss, of a bot in the better half of the standings if there is one.

    Returns the matches, in the order in which they were asked for. Without ``of_strong``, the largest loss is another bot's.
    """
    known, asked = known_of(client), list[str]()
    while "being chosen" in client.get("/daily").text:
        [match] = [str(key) for key in known.jobs if key not in known.answers]
        with Store.read(people) as store:
            timeline = _timeline(store.replay(match))
            stored = store.matches([match])[match]
            bots = [line.bot for line in standings(store, tournament_of(store, stored.tournament))]
        best = {bot: place for place, bot in enumerate(bots)}
        wanted = min if of_strong or losses[len(asked)] < max(losses) else max
        seat = wanted(range(len(stored.seats)), key=lambda seat: best[stored.seats[seat].bot])
        at = next(at for at, each in enumerate(timeline.replay.decisions) if each.legal > 2 and each.seat == seat)
        mark = Mark(at, "mistake", losses[len(asked)], "", Better(others(timeline, at)[0], "goes elsewhere"))
        known.answers[match] = MatchAnswer(Analysis("chance", "", "How.", [], [mark]), [])
        asked.append(match)
    return asked


def position(client: TestClient) -> tuple[int, str, str]:
    """The decision of the page, its match, and the better move."""
    found = PLACE.search(client.get("/daily").text)
    assert found is not None
    match = found[2]
    answer = known_of(client).answers[match]
    assert isinstance(answer, MatchAnswer)
    [mark] = answer.analysis.marks
    assert mark.better is not None
    return int(found[1]), match, mark.better.notation


def played(people: Path, match: str, at: int) -> str:
    with Store.read(people) as store:
        return read_replay(store.replay(match)).decisions[at].move


def send(client: TestClient, at: int, move: str, **headers: str) -> Any:
    return client.post(f"/daily/{DAY}/moment.json", json={"at": at, "move": move}, headers=SCRIPT | headers)


def newcomer(client: TestClient) -> TestClient:
    """The same server in another browser, which has not been anywhere."""
    return TestClient(client.app, headers={"accept": "text/html"})


LOSSES = [0.1, 0.2, 0.5, 0.3, 0.5, 0.1]


def test_the_clearest_decision_of_some_matches_is_the_position(client: TestClient, people: Path) -> None:
    asked = analyse(client, people, LOSSES)

    assert len(asked) == daily.CANDIDATES
    with Store.read(people) as store:
        digests = {match: store.matches([match])[match].digest for match in asked}
    assert asked == sorted(asked, key=digests.__getitem__)
    assert position(client)[1] == asked[2]
    assert f"Position of the day, {DAY}" in client.get(f"/daily?day={DAY}").text
    at = position(client)[0]
    assert client.get(f"/daily/{DAY}/moment.json?at={at}").json()["at"] == at


def test_decisions_of_the_weaker_half_come_last(client: TestClient, people: Path) -> None:
    asked = analyse(client, people, [0.1, 0.2, 0.3, 0.2, 0.9, 0.1], of_strong=False)
    assert position(client)[1] == asked[2]


def test_the_first_answer_of_a_browser_is_counted_and_the_share_told(client: TestClient, people: Path) -> None:
    analyse(client, people, LOSSES)
    at, match, best = position(client)

    wrong, again = send(client, at, played(people, match, at)).json(), send(client, at, best).json()
    second = newcomer(client)
    second.get("/daily")
    right = send(second, at, best).json()

    assert wrong["words"].endswith(" 0 of 1 visitor found it at the first try.")
    assert (again["is_right"], again["words"].endswith(" 0 of 1 visitor found it at the first try.")) == (True, True)
    assert right["words"].endswith(" 1 of 2 visitors found it at the first try.")
    assert "1 of 2 visitors found it at the first try." in newcomer(client).get("/daily").text


def test_a_browser_without_the_cookie_of_the_page_is_not_counted(client: TestClient, people: Path) -> None:
    analyse(client, people, LOSSES)
    at, _, best = position(client)
    stranger = newcomer(client)

    sent = [send(stranger, at, best, cookie=cookie) for cookie in ("", "daily=short", "player=" + 32 * "a")]

    assert all(each.json()["is_right"] and "first try" not in each.json()["words"] for each in sent)


def test_an_address_can_add_only_so_many_answers_a_day(client: TestClient, people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily, "COUNTED", RateLimitItemPerDay(2))
    analyse(client, people, LOSSES)
    at, _, best = position(client)

    sent = [send(newcomer(client), at, best, cookie=f"daily={letter * 32}") for letter in "abcd"]

    assert [each.json()["words"].rpartition(". ")[2] for each in sent[1:]] == 3 * ["2 of 2 visitors found it at the first try."]


def test_a_position_with_answers_stays_when_analyses_change(client: TestClient, people: Path) -> None:
    asked = analyse(client, people, LOSSES)
    at, match, best = position(client)
    send(client, at, best)
    known_of(client).answers[asked[0]] = Failure("It can't be analysed.")
    with visitor(people, analyses=True, allow_play=True, now=lambda: TOMORROW) as other:
        app: Any = with_known(other).app
        assert "being chosen" in other.get("/daily").text
        assert list(app.state.analyses.jobs) == [match]

    assert position(client)[:2] == (at, match)


def test_a_server_that_only_shows_counts_nothing(people: Path) -> None:
    with visitor(people, analyses=True, now=lambda: TOMORROW, fresh_seconds=60.0) as client:
        analyse(with_known(client), people, LOSSES)
        at, _, best = position(client)
        assert send(client, at, best).json()["is_right"]
        assert "first try" not in client.get("/daily").text


def test_where_there_is_none_a_sentence_says_so(client: TestClient) -> None:
    assert "the day before has no match that can be shown." in client.get("/daily?day=2020-01-01").text
    known_of(client).full = True
    assert "Other matches are being analysed; try again in a minute." in client.get("/daily").text
    known_of(client).full = False
    for _ in range(daily.CANDIDATES):
        page = client.get("/daily").text
        known_of(client).answers |= dict.fromkeys(known_of(client).jobs, Failure("It can't be analysed."))
    assert "being chosen" in page
    assert "in no match of the day before a decision gave much away." in client.get("/daily").text


def test_without_analyses_there_is_no_position(people: Path) -> None:
    with visitor(people, now=lambda: TOMORROW) as client:
        assert client.get("/daily").status_code == 404
        assert "/daily" not in client.get("/").text


def test_bad_input_is_refused_in_a_sentence(client: TestClient, people: Path) -> None:
    analyse(client, people, LOSSES)
    at, _, best = position(client)
    later = str(TOMORROW.date() + timedelta(days=1))
    refused = {
        "words": (client.get("/daily?day=tomorrow", headers=SCRIPT), 422),
        "no day of the calendar": (client.get("/daily?day=2026-02-30", headers=SCRIPT), 422),
        "another way to write it": (client.get("/daily?day=20261127", headers=SCRIPT), 422),
        "very long": (client.get(f"/daily?day={'9' * 5000}", headers=SCRIPT), 422),
        "to come": (client.get(f"/daily?day={later}", headers=SCRIPT), 404),
        "the first": (client.get("/daily?day=0001-01-01", headers=SCRIPT), 404),
        "another decision": (client.get(f"/daily/{DAY}/moment.json?at={at + 1}", headers=SCRIPT), 404),
        "no move": (send(client, at, "nonsense"), 422),
        "another decision's move": (send(client, at + 1, best), 404),
        "another site": (send(client, at, best, origin="https://elsewhere.example"), 403),
    }

    assert {why: answer.status_code for why, (answer, _) in refused.items()} == {why: status for why, (_, status) in refused.items()}
    assert all(answer.json()["error"] for answer, _ in refused.values())


@pytest.mark.slow  # a browser, and real analyses
def test_a_visitor_solves_it_in_a_browser(people: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path))
    monkeypatch.setattr(daily, "CANDIDATES", 2)
    with served(settings_for(people, analyses=True, now=lambda: TOMORROW)) as server:
        watched = open_page(f"{server}/daily", server=server, size=DESK, motion="reduce")
        page = watched.page
        page.locator("[data-pending]").wait_for(state="detached")
        wait_until(page, f"{MOMENTS}.sight")
        assert problems_of(page) == []
        for _ in range(12):
            if page.evaluate(f"Boolean({MOMENTS}.choosing.pending)"):
                break
            page.keyboard.press("1")
        page.get_by_role("button", name="Confirm").click()
        wait_until(page, f"{MOMENTS}.verdict")
        assert re.search(r"[01] of 1 visitor found it at the first try\.", page.locator(".more").inner_text())
        watched.complaints[:] = [each for each in watched.complaints if NOT_OURS not in each]


def test_the_home_page_has_one_match_after_the_other_analysed_in_advance(client: TestClient) -> None:
    now, known, app = [0.0], known_of(client), client.app
    assert isinstance(app, FastAPI)
    app.state.daily = daily.Preparation(lambda: now[0])
    for number, seconds in enumerate((0.0, 0.0, daily.REST)):
        now[0] += seconds
        client.get("/")
        asked = [key for key in known.jobs if isinstance(key, str)]
        assert len(asked) == (1, 1, 2)[number]
        known.answers |= dict.fromkeys(asked, Failure("It can't be analysed."))


def test_days_that_visitors_make_up_displace_no_page_from_memory(client: TestClient) -> None:
    app: Any = client.app
    client.get("/daily")
    before = len(app.state.queries._cache._entries)
    for year in range(1, 6):
        assert client.get(f"/daily?day=200{year}-01-01").status_code == 200
    assert len(app.state.queries._cache._entries) == before
