"""The pages of a tournament with more bots than fit a grid, and of a ladder with orders."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from arena.run import orders
from arena.run.orders import Reason
from arena.run.results import chance_of_first, standings
from arena.web.app import make_app
from arena.web.pages.head_to_head import MOST_IN_GRID, record_of
from arena.web.queries import Queries
from benchmarks.web_data import bot_names, play, spec_of
from leaderboard.storage.store import Store
from tests.arena.format_plans import plan
from tests.arena.run.test_ladder_orders import ORDERS, give
from tests.arena.running import run
from tests.arena.web.competition import settings_of, visitor
from tests.arena.web.conftest import OpenPage, wait_until
from tests.arena.web.hosting import served
from tests.world import tournament_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAME, BOTS = "many", 16
T = f"/t/{NAME}"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "many.db"
    with Store.create(path) as store:
        play(store, spec_of(NAME, bot_names(BOTS)))
        play(store, spec_of("long ladder", bot_names(2), format="ladder", rounds=120))
    return path


def column(page: Page, number: int) -> list[str]:
    cells: list[str] = page.evaluate(
        "(at) => [...document.querySelectorAll('#standings tr:not([hidden])')].map((row) => row.cells[at].innerText)", number
    )
    return cells


def test_standings_are_sorted_and_filtered_and_stay_so_while_rows_are_replaced(db: Path, open_page: OpenPage) -> None:
    with served(settings_of(db)) as address:
        page = open_page(f"{address}{T}", server=address, size=(1280, 720)).page
        given = column(page, 1)
        page.get_by_label("More figures").check()
        head = page.locator(".standings thead th", has_text="wins")
        head.get_by_role("button").press("Enter")
        wins = [float(each.rstrip("%")) for each in column(page, 6)]
        assert (head.get_attribute("aria-sort"), wins) == ("descending", sorted(wins, reverse=True))
        head.get_by_role("button").click()
        assert (head.get_attribute("aria-sort"), column(page, 6)) == ("ascending", [f"{each:.1f}%" for each in sorted(wins)])

        page.get_by_label("Find a bot").fill("ALO")
        wanted = [bot for bot in column(page, 1) if "alo" in bot.lower()]
        assert column(page, 1) == wanted
        assert page.locator("output").inner_text() == f"{len(wanted)} of {BOTS} bots"
        page.evaluate("""() => {
          const body = document.getElementById("standings");
          const rows = [...body.rows].map((row) => row.outerHTML.replace(" hidden", "")).sort().join("");
          body.innerHTML = rows;
          body.dispatchEvent(new Event("arena:rows"));
        }""")
        assert column(page, 1) == wanted

        page.get_by_label("Find a bot").fill("")
        assert sorted(column(page, 1)) == sorted(given)
        page.mouse.wheel(0, page.evaluate("document.querySelector('.standings').getBoundingClientRect().top + 200"))
        wait_until(page, "scrollY > 200")
        assert page.evaluate("document.querySelector('.standings thead th').getBoundingClientRect().top") == 0


def test_a_bots_page_calls_certain_what_its_ranks_do(client: TestClient, queries: Queries) -> None:
    many = queries.tournament(NAME)
    stats = queries.stats_soon(many, 60)
    assert stats is not None
    for line in queries.standings(many):
        record = record_of(queries, many, stats, line.bot)
        text = client.get(f"{T}/bots/{line.bot}").text

        assert (len(record.better), len(record.worse)) == (line.best_rank - 1, BOTS - line.worst_rank)
        assert text.count("certainly better than") == bool(record.worse)
        assert text.count("worse than") == bool(record.better)
        assert text.count("none of this is certain") == (not record.better and not record.worse)


def test_the_best_or_a_few_bots_are_compared_in_a_grid_and_many_are_refused(client: TestClient) -> None:
    chosen = bot_names(BOTS)[2:5]

    best = client.get(f"{T}/head-to-head").text
    assert f"The best {MOST_IN_GRID} of {BOTS} bots." in best
    assert len(re.findall(r'<td class="share\d"', best)) == MOST_IN_GRID * (MOST_IN_GRID - 1)

    grid = client.get(f"{T}/head-to-head", params={"bot": chosen}).text
    many = client.get(f"{T}/head-to-head", params={"bot": bot_names(BOTS)[:13]})
    nobody = client.get(f"{T}/head-to-head", params={"bot": ["nobody"]})

    assert len(re.findall(r'<td class="share\d"', grid)) == 6
    assert (many.status_code, nobody.status_code) == (422, 422)
    assert "but 13 are chosen" in many.text


def test_pages_come_at_once_and_say_what_is_still_being_computed(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Queries, "stats_soon", lambda *_: None)
    monkeypatch.setattr(Queries, "strengths_soon", lambda *_: None)
    with visitor(db) as client:
        for page in ("", "/head-to-head", f"/head-to-head/{bot_names(1)[0]}", f"/bots/{bot_names(1)[0]}"):
            text = client.get(f"{T}{page}").text

            assert " data-pending>" in text, page
            assert "/refresh.js" in text, page
        assert " won" in client.get(T).text


def test_the_rounds_of_a_long_ladder_are_on_several_pages(client: TestClient) -> None:
    address, shown = "/t/long%20ladder/about", []
    while True:
        page = client.get(address).text
        shown += [int(each) for each in re.findall(r'<th scope="row" class="number">(\d+)</th>', page)]
        older = re.search(r'href="([^"]+)#rounds" rel="next"', page)
        if older is None:
            break
        address = unescape(older[1])
    assert shown == list(range(120, 0, -1))
    assert 'rel="first"' in page
    assert "There are no rounds on this page yet." not in page


def test_solo_standings_show_points_and_copies_count_together_and_a_gauntlet_names_its_challenger(tmp_path: Path) -> None:
    with Store.create(tmp_path / "t.db") as store:
        play(store, spec_of("solo", ("ann", "bob"), "sunda", tables=[1], blocks=2))
        lines = standings(store, tournament_of(store, "solo"))
        play(store, spec_of("cup", ("ann", "bob", "cat"), format="gauntlet", challengers=["bob"]))
    with visitor(tmp_path / "t.db") as client:
        text, about, cup = (client.get(f"/t/{page}").text for page in ("solo", "solo/about", "cup"))

    assert [chance_of_first(lines, line.bot) for line in lines] == pytest.approx([1, 1], abs=0.01)
    assert '<td class="number" data-label="mean points">' in text
    assert "<bdi>ann</bdi> and <bdi>bob</bdi> are copies of one program" in text
    assert "By seat" not in text
    assert "evens out" not in about
    assert '#formats">solo</a>' in text
    assert "Sunda to Sahul; level: 0, beginner; mode: in turns" in re.sub(r"\s+", " ", about)
    assert re.findall(r'class="bot">(\w+)</a> <small>challenger</small>', cup) == ["bob"]
    assert re.search(r'The challenger <a href="/t/cup/bots/bob" class="bot">bob</a> is \w+ of 3\. ', cup)


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    path: Path = tmp_path_factory.mktemp("orders") / "t.db"
    spec = plan(8, format="ladder", rounds=3)
    steps = (
        ORDERS[0],
        lambda store, ladder: orders.leave(store, ladder, "b07", Reason("it left", from_round=2)),
        lambda store, ladder: orders.end(store, ladder, Reason("<b>Hello</b>", by="ann", from_round=4)),
    )
    give(path, spec, steps)
    run(spec, path)
    return TestClient(make_app(settings_of(path)))


def test_all_orders_are_on_the_status_page_and_a_bots_own_on_its_page(ladder: TestClient) -> None:
    [newest, _, oldest] = re.findall(r'<li value="(\d)"><b>(.*?)</b>(.*?)<br> <span', ladder.get("/t/plan/about").text)
    assert oldest == ("1", "From round 3 on:", " b03 plays in one of every 4 rounds.")
    assert newest[0] == "3"
    assert "&lt;b&gt;Hello&lt;/b&gt;" in ladder.get("/t/plan/about").text
    assert "round 3 on: b03 plays in one of every 4 rounds (the rule &#39;slow&#39;: it is a test)." in ladder.get("/t/plan/bots/b03").text
    assert 'order">From' not in ladder.get("/t/plan/bots/b04").text


def test_who_has_left_is_marked_in_the_standings(ladder: TestClient) -> None:
    page = ladder.get("/t/plan").text
    assert re.findall(r'class="bot">(\w+)</a> <small>left</small>', page) == ["b07"]
    records = ladder.get("/api/v1/tournaments/plan/standings").json()
    assert [line["bot"] for line in records if line["left"]] == ["b07"]


def test_a_page_says_after_how_many_matches_its_figures_are(ladder: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "the other matches are being counted" not in ladder.get("/t/plan").text
    monkeypatch.setattr(Queries, "as_of", lambda self, tournament: self.played(tournament) - 7)
    played = ladder.app.state.queries.played(ladder.app.state.queries.tournament("plan"))  # type: ignore[attr-defined]
    said = f"Ratings, Elo and ranks cover {played - 7} of {played} matches; the other matches are being counted."
    assert f'<p class="soft" id="as-of">{said}' in ladder.get("/t/plan").text
