"""Dramas beside the analyses: computed when nobody waits, rarely, of matches that may be seen; home and the list of matches show them."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from arena.analysis.drama import Drama
from arena.web.analyses import dramas as module
from arena.web.analyses.analyses import Analyses
from arena.web.analyses.dramas import SAVED, SHARE, Dramas, Highlight, match_of_the_day, most_dramatic
from arena.web.analyses.jobs import DramaAnswer, DramaJob
from arena.web.data.front import ShownMatch, latest_of
from arena.web.data.queries import Queries
from arena.web.pages import front
from tests.arena.web.competition import HALF, OVER, visitor
from tests.waiting import wait_for

SPENT = 1.5 * SAVED * SHARE
"""CPU seconds after which a job is followed by a rest."""
FAR_BEHIND = Drama(players=2, winner=0, changes=3, swing=0.4, decided=0.9, low=0.08, at=5)


class Jobs(Analyses):
    """Analyses that only note what they are asked for, and are answered by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[DramaJob] = []
        self.answer: DramaAnswer | None = None
        self.idle = True

    @property
    def is_idle(self) -> bool:
        return self.idle

    def ask(self, key: object, job: object, who: str = "") -> bool:
        assert isinstance(job, DramaJob)
        assert key == job.matches
        self.jobs.append(job)
        return True

    def find(self, key: object) -> DramaAnswer | None:
        return self.answer if key else None

    def is_asked(self, key: object) -> bool:
        return bool(key) and self.answer is None


@pytest.fixture(scope="module")
def db(competition: Path) -> Path:
    return competition


def shown_of(queries: Queries, tournament: str) -> tuple[ShownMatch, ...]:
    return latest_of(queries, [queries.tournament(tournament)], 50)


def test_matches_are_looked_at_once_and_only_when_nobody_waits_and_after_a_rest(queries: Queries) -> None:
    now, jobs = 0.0, Jobs()
    dramas, shown = Dramas(jobs, "db", lambda: now), shown_of(queries, OVER)
    jobs.idle = False
    assert dramas.look(queries, shown) == {}
    assert jobs.jobs == []
    jobs.idle = True
    dramas.look(queries, shown)
    dramas.look(queries, shown)
    [first] = jobs.jobs
    jobs.answer = DramaAnswer(dict.fromkeys(first.matches[:-1], FAR_BEHIND), SPENT)

    assert dramas.look(queries, shown) == dict.fromkeys(first.matches[:-1], FAR_BEHIND)
    assert len(jobs.jobs) == 1
    now = SPENT / SHARE - SAVED
    dramas.look(queries, shown)
    assert first.matches[-1] == jobs.jobs[1].matches[0]
    assert not set(first.matches[:-1]) & set(jobs.jobs[1].matches)


def test_a_match_whose_deck_is_still_played_on_is_not_looked_at(queries: Queries) -> None:
    jobs, tournament = Jobs(), queries.tournament(HALF)
    Dramas(jobs, "db", lambda: 0.0).look(queries, shown_of(queries, HALF))

    for match in queries.look_up(jobs.jobs[0].matches):
        assert queries.is_block_over(tournament, match.match)


def test_what_a_new_server_has_saved_lets_jobs_follow_each_other(queries: Queries) -> None:
    jobs = Jobs()
    dramas, shown = Dramas(jobs, "db", lambda: 0.0), shown_of(queries, OVER)
    dramas.look(queries, shown)
    jobs.answer = DramaAnswer({}, SAVED * SHARE / 4)
    for _ in range(9):
        dramas.look(queries, shown)
    assert len(jobs.jobs) == 5


def test_the_match_of_the_day_is_the_most_dramatic_comeback_or_else_match(queries: Queries) -> None:
    shown = shown_of(queries, OVER)[:3]
    lows = (0.15, 0.08, 0.9)
    dramas = {
        each.listed.match.id: replace(FAR_BEHIND, low=low, changes=at) for at, (each, low) in enumerate(zip(shown, lows, strict=True))
    }
    assert match_of_the_day(shown, dramas) == Highlight(shown[1], dramas[shown[1].listed.match.id])

    open_ones = {match: replace(drama, low=0.3) for match, drama in dramas.items()}
    assert match_of_the_day(shown, open_ones) == most_dramatic(shown, open_ones) == Highlight(shown[2], open_ones[shown[2].listed.match.id])
    assert match_of_the_day((), dramas) is match_of_the_day(shown, {}) is None


def test_where_no_match_may_be_looked_at_visitors_do_not_have_it_searched_for_each_time(
    queries: Queries, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, jobs, searched = 0.0, Jobs(), []
    dramas, shown = Dramas(jobs, "db", lambda: now), shown_of(queries, OVER)
    monkeypatch.setattr(queries, "is_block_over", lambda _tournament, match: searched.append(match.id))
    dramas.look(queries, shown)
    dramas.look(queries, shown)
    assert len(searched) == len(set(searched)) > 0
    assert jobs.jobs == []
    monkeypatch.undo()
    dramas.look(queries, shown_of(queries, HALF))
    assert len(jobs.jobs) == 1  # other tournaments do not wait for that
    jobs.jobs.clear()
    jobs.answer = DramaAnswer({}, 0.0)
    now = module.SEARCH_AGAIN
    dramas.look(queries, shown)
    assert len(jobs.jobs) == 1


def test_it_is_at_work_until_its_rest_after_a_job_is_over(queries: Queries) -> None:
    now, jobs = 0.0, Jobs()
    dramas, shown = Dramas(jobs, "db", lambda: now), shown_of(queries, OVER)
    at_work = [dramas.is_at_work]
    dramas.look(queries, shown)
    at_work.append(dramas.is_at_work)
    jobs.answer = DramaAnswer({}, SPENT)
    dramas.look(queries, ())
    at_work.append(dramas.is_at_work)
    now = SPENT / SHARE
    at_work.append(dramas.is_at_work)
    jobs.idle = False
    at_work.append(dramas.is_at_work)
    assert at_work == [False, True, True, False, True]


def test_an_order_keeps_the_filters(competition: Path) -> None:
    with visitor(competition, analyses=True) as client:
        page = client.get(f"/t/{OVER}/matches?bot=ann").text
    assert re.search(r'<p class="orders"><a class="aim" href="[^"]*\?bot=ann" aria-current="true">Newest</a>', page)
    assert re.search(r'href="[^"]*\?bot=ann&amp;order=drama">Most dramatic</a>', page)


def test_an_empty_order_renews_itself_while_matches_are_looked_at(competition: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with visitor(competition, analyses=True) as client:
        monkeypatch.setattr(Dramas, "look", lambda *_: {})
        idle = client.get(f"/t/{OVER}/matches?order=drama").text
        monkeypatch.setattr(Dramas, "is_at_work", True)
        busy = client.get(f"/t/{OVER}/matches?order=drama").text
    assert [("data-pending" in page, "renew" in page) for page in (idle, busy)] == [(False, False), (True, True)]


def test_without_analyses_there_is_no_order_by_drama(competition: Path) -> None:
    with visitor(competition) as client:
        answer = client.get(f"/t/{OVER}/matches?order=drama")
    assert answer.status_code == 422
    assert "there is no order 'drama' here; leave it out" in unescape(answer.text)


def test_home_plays_the_decisions_around_the_turning_point(competition: Path, queries: Queries, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_of(queries, OVER)[0]
    monkeypatch.setattr(front, "match_of_the_day", lambda *_: Highlight(shown, FAR_BEHIND))
    with visitor(competition, analyses=True) as client:
        page = client.get("/").text
        address = f"/m/{shown.listed.match.id}/excerpt.json?at=5"
        parts = {each: client.get(each).json() for each in re.findall(r'data-document="([^"]+)" data-plays data-pace', page)}

    assert [(each, part["first"], len(part["frames"])) for each, part in parts.items()] == [(address, 1, 9)]


@pytest.mark.parametrize("is_computing", [False, True])
def test_a_highlight_is_analysed_before_anybody_asks(
    competition: Path, queries: Queries, is_computing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = shown_of(queries, OVER)[0]
    monkeypatch.setattr(Dramas, "look", lambda *_: {shown.listed.match.id: FAR_BEHIND})
    monkeypatch.setattr(Dramas, "is_computing", is_computing)
    monkeypatch.setattr(Analyses, "_do", lambda *_: None)
    with visitor(competition, analyses=True) as client:
        for page in ("/", f"/t/{OVER}"):
            assert f"/m/{shown.listed.match.id}" in client.get(page).text
        answer = client.get(f"/m/{shown.listed.match.id}/analysis.json", headers={"accept": "application/json"})
    assert answer.status_code == (404 if is_computing else 202)


@pytest.mark.slow  # starts a process that computes chances
def test_home_shows_the_comeback_and_matches_are_sorted_by_drama(competition: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Drama, "is_comeback", property(lambda _: True))
    with visitor(competition, analyses=True, fresh_seconds=0.0) as client:
        wait_for(lambda: "Comeback of the day" in client.get("/").text, 200)
        wait_for(lambda: "Most dramatic match:" in client.get(f"/t/{OVER}").text, 200)
        wait_for(lambda: "Drama " in client.get(f"/t/{OVER}/matches?order=drama").text, 200)
        figures = [int(each) for each in re.findall(r"Drama (\d+)\.", client.get(f"/t/{OVER}/matches?order=drama").text)]
        assert figures == sorted(figures, reverse=True)
        assert client.get(f"/t/{OVER}/matches?order=loud").status_code == 422
