"""Swiss and knockout tournaments: places by their own rules, brackets with what is to come, rounds with points before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.spec.spec import Spec, make_spec
from arena.web.pages.rounds import Course, columns, find_course, places
from arena.web.queries import Queries
from tests.arena.web.competition import play, settings_of
from tests.arena.web.conftest import OpenPage
from tests.arena.web.hosting import served

BOTS = ("ann", "bob", "cleo", "dan", "eve")
CUP, HALF, SWISS, TABLES, LEAGUE, FINAL = "cup", "half a cup", "swiss", "cup of three", "league", "final"


def spec_of(name: str, bots: tuple[str, ...] = BOTS, **schedule: Any) -> Spec:
    entries = [{"name": bot, "source": "random"} for bot in bots]
    return make_spec({"name": name, "game": "tongiaki", "seed": 5, "bots": entries, "schedule": {"tables": [2], **schedule}}, "test")


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rounds") / "rounds.db"
    play(path, spec_of(CUP, format="knockout"))
    play(path, spec_of(HALF, format="knockout"), most=2)
    play(path, spec_of(SWISS, format="swiss", rounds=3))
    play(path, spec_of(TABLES, format="knockout", tables=[3]))
    play(path, spec_of(LEAGUE, BOTS[:2]))
    play(path, spec_of(FINAL, format="final", until={"places": 1, "budget": 24}))
    return path


def course_of(queries: Queries, name: str) -> Course:
    course = find_course(queries, queries.tournament(name))
    assert course is not None
    return course


def test_a_bracket_narrows_to_its_winner_and_has_the_byes_of_the_best_seeds(queries: Queries) -> None:
    course = course_of(queries, CUP)

    first, semifinals, final = columns(course)

    assert [column.title for column in (first, semifinals, final)] == ["Quarterfinals", "Semifinals", "Final"]
    assert {tie.sides for tie in first.ties if tie.is_bye} == {(("ann",),), (("bob",),), (("cleo",),)}
    assert final.ties[0].winner == (course.winner,)
    through = [tie.winner for tie in semifinals.ties]
    assert list(final.ties[0].sides) == through


def test_a_bracket_says_who_may_meet_next_while_it_is_played(queries: Queries) -> None:
    course = course_of(queries, HALF)

    *_, final = columns(course)

    assert course.winner is None
    assert not final.has_begun
    assert {name for side in final.ties[0].sides for name in side} <= set(BOTS)
    assert all(len(side) > 1 for side in final.ties[0].sides)


@pytest.mark.parametrize("name", [CUP, SWISS])
def test_the_api_lists_bots_in_the_order_of_their_places(client: TestClient, queries: Queries, name: str) -> None:
    own = places(queries, queries.tournament(name))
    assert own is not None

    lines = client.get(f"/api/v1/tournaments/{name}/standings").json()

    assert [(line["bot"], line["place"]) for line in lines] == [(each.bot, each.place) for each in own]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (f"/t/{CUP}/bracket", "won."),
        (f"/t/{HALF}/bracket", "the winner is still open"),
        (f"/t/{TABLES}/bracket", "At each table"),
        (f"/t/{SWISS}/rounds", "Round 3 of 3"),
        (f"/t/{SWISS}/rounds/1", "points for the bye"),
    ],
)
def test_brackets_and_rounds_are_pages_with_links_to_matches(client: TestClient, address: str, said: str) -> None:
    page = client.get(address)

    assert page.status_code == 200
    assert said in page.text
    assert 'class="block-link" href="/m/' in page.text
    assert page.text.count("<h1") == 1


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (f"/t/{LEAGUE}/bracket", "is a round-robin tournament and has no bracket"),
        (f"/t/{CUP}/rounds", "is a knockout tournament and has no rounds"),
        (f"/t/{SWISS}/rounds/9", "rounds 1 to 3 are paired"),
        (f"/t/{SWISS}/rounds/x", "rounds 1 to 3 are paired"),
    ],
)
def test_what_is_not_there_is_refused_in_a_sentence(client: TestClient, address: str, said: str) -> None:
    answer = client.get(address)

    assert answer.status_code == 404
    assert said in answer.text.replace("&#39;", "'")


def test_a_shared_place_is_called_shared_and_ratings_that_decide_nothing_are_not_set_off(client: TestClient) -> None:
    own, career, standings = (client.get(address).text for address in (f"/t/{FINAL}/bots/ann", "/bots/ann", f"/t/{FINAL}"))

    assert "<b>first</b> of 5, a place that it shares with" in own
    assert "which of them is better is not certain" in own
    assert "none of this is certain" in own
    assert '<span class="medal place1">1</span><span title="tied">=</span> of 5' in career
    assert "Another round would exceed the budget of 24 matches." in standings
    assert 'class="number strong" data-label="rating"' not in standings
    assert 'class="number strong" data-label="rating"' in client.get(f"/t/{LEAGUE}").text


def test_more_figures_do_not_make_the_page_wider_than_the_window(db: Path, open_page: OpenPage) -> None:
    with served(settings_of(db)) as address:
        page = open_page(f"{address}/t/{FINAL}", server=address, size=(1000, 800)).page
        page.get_by_label("More figures").check()
        assert page.evaluate("document.documentElement.scrollWidth") == 1000
