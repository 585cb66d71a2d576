"""A broadcast: everybody sees the same match at the same moment, one after the other, without its end and without open decks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.analysis.drama import Drama
from arena.web.analyses.analyses import Analyses
from arena.web.analyses.dramas import Dramas
from arena.web.app import make_app
from arena.web.data.queries import Queries
from arena.web.pages.broadcast import PAUSE_SECONDS, Broadcasts, in_words
from leaderboard.records.stored import StoredMatch
from leaderboard.storage.match_queries import MatchFilter
from tests.arena.web.competition import EMPTY, HALF, OVER, settings_of


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.moment = datetime(2100, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def go(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_who_comes_later_sees_the_same_match_further_on(queries: Queries, clock: Clock) -> None:
    broadcasts, tournament = Broadcasts(queries, clock), queries.tournament(OVER)
    first, begun = broadcasts.now(tournament)
    clock.go(5)

    second, moment = broadcasts.now(tournament)

    assert second is first
    assert second is not None
    assert second.elapsed(moment) - second.elapsed(begun) == pytest.approx(5)


def test_a_match_begins_under_way_unless_somebody_has_watched_the_one_before_it(queries: Queries, clock: Clock) -> None:
    broadcasts, tournament = Broadcasts(queries, clock), queries.tournament(OVER)
    elapsed = []
    for pause in (PAUSE_SECONDS + 0.3, PAUSE_SECONDS + 600, 0):
        showing, moment = broadcasts.now(tournament)
        assert showing is not None
        elapsed.append(showing.elapsed(moment) / showing.seconds)
        clock.go(showing.left(moment) + pause)

    assert elapsed == [pytest.approx(1 / 3, abs=0.02), 0, pytest.approx(1 / 3, abs=0.02)]


def test_matches_whose_deck_is_open_follow_each_other_and_none_is_shown_twice_before_all_were(queries: Queries, clock: Clock) -> None:
    broadcasts, tournament = Broadcasts(queries, clock), queries.tournament(HALF)
    matches = []
    for _ in range(4):  # of the four that were played, three are of a block that is over
        showing, _ = broadcasts.now(tournament)
        assert showing is not None
        assert queries.is_block_over(tournament, showing.listed.match)
        matches.append(showing.listed.match.id)
        clock.go(showing.left(clock()) + 0.01)
        assert showing.is_over(clock())
        assert showing.left(clock()) == pytest.approx(PAUSE_SECONDS, abs=0.1)
        clock.go(PAUSE_SECONDS)

    assert len(set(matches[:-1])) == len(matches) - 1
    assert matches[-1] == matches[0]


def test_the_most_dramatic_match_is_shown_first_then_the_newest(queries: Queries, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = queries.tournament(OVER)
    newest, *_, third = [each.match.id for each in queries.matches(tournament, MatchFilter()).matches[:3]]
    dramas, looked = Dramas(Analyses(), ""), []
    known = {third: Drama(players=2, winner=0, changes=3, swing=0.4, decided=0.9, low=0.08, at=5)}
    monkeypatch.setattr(dramas, "look", lambda _queries, _shown: known)
    broadcasts = Broadcasts(queries, clock, dramas)
    for _ in range(2):
        showing, _ = broadcasts.now(tournament)
        assert showing is not None
        looked.append(showing.listed.match.id)
        clock.go(showing.left(clock()) + PAUSE_SECONDS + 0.1)
    assert looked == [third, newest]


def test_where_there_is_nothing_to_show_visitors_do_not_have_it_looked_for_each_time(
    queries: Queries, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    broadcasts, tournament, asked = Broadcasts(queries, clock), queries.tournament(OVER), []

    def is_open(_tournament: object, match: StoredMatch) -> bool:
        asked.append(match.id)
        return False

    monkeypatch.setattr(queries, "is_block_over", is_open)
    assert broadcasts.now(tournament)[0] is None
    once = len(asked)
    assert broadcasts.now(tournament)[0] is None
    assert len(asked) == once > 0
    monkeypatch.undo()
    assert broadcasts.now(tournament)[0] is None
    clock.go(5)
    assert broadcasts.now(tournament)[0] is not None


def test_the_outcome_is_told_only_when_it_has_been_shown(db: Path, clock: Clock) -> None:
    app = make_app(settings_of(db))
    app.state.broadcasts = Broadcasts(app.state.queries, clock)
    with TestClient(app, headers={"accept": "text/html"}) as guest:
        before = guest.get(f"/t/{OVER}/live.json").json()
        page = guest.get(f"/t/{OVER}/live").text
        clock.go(before["left"] + 0.1)
        after = guest.get(f"/t/{OVER}/live.json").json()

    assert before["outcome"] is None
    assert "on the air" in page
    assert "Ending:" not in page
    assert after["match"] == before["match"]
    assert len(after["outcome"]) == len(before["players"])


def test_nothing_is_shown_before_the_first_match_and_nothing_in_a_site_of_files(db: Path) -> None:
    with TestClient(make_app(settings_of(db))) as guest, TestClient(make_app(settings_of(db, is_static=True))) as reader:
        assert guest.get(f"/t/{EMPTY}/live.json").json()["match"] is None
        assert "No match can be shown yet" in guest.get(f"/t/{EMPTY}/live").text
        assert reader.get(f"/t/{OVER}/live").status_code == 404
        assert "/live" not in reader.get(f"/t/{OVER}/matches").text


@pytest.mark.parametrize(
    ("seconds", "words"), [(20, "less than a minute ago"), (61, "1 minute ago"), (185, "3 minutes ago"), (2 * 86400, "2 days ago")]
)
def test_how_long_ago_is_said_in_words(seconds: float, words: str) -> None:
    assert in_words(seconds) == words
