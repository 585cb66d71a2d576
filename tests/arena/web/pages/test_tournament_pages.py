"""The pages of a tournament with more bots than fit a grid: sorting, filtering, choosing, and what is computed before it can be shown."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from arena.web.pages.head_to_head import MOST_IN_GRID, record_of
from arena.web.pages.tournaments import clock_words
from arena.web.queries import Queries
from benchmarks.web_data import bot_names, play, spec_of
from bots.protocol import ClockMode, ClockSpec
from leaderboard.storage.store import Store
from tests.arena.web.competition import settings_of, visitor
from tests.arena.web.conftest import OpenPage, wait_until
from tests.arena.web.hosting import served

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
        play(store, spec_of("swiss", bot_names(BOTS)[:8], format="swiss", rounds=3))
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
        assert (head.get_attribute("aria-sort"), column(page, 6)) == ("ascending", [f"{each:.1f}\xa0%" for each in sorted(wins)])

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


def test_a_bot_is_found_among_many_and_its_contests_are_sorted(db: Path, open_page: OpenPage) -> None:
    with served(settings_of(db)) as address:
        page = open_page(f"{address}{T}/head-to-head", server=address).page
        second = page.locator("#bots a").all_inner_texts()[1]
        page.get_by_label("Find a bot").fill(second)
        page.locator("#bots").get_by_role("link", name=second, exact=True).click()
        page.get_by_role("heading", name=f"{second} against all").wait_for()
        page.get_by_role("button", name="share").click()
        shares = page.evaluate("[...document.querySelectorAll('#duels tr')].map((row) => parseFloat(row.cells[2].innerText))")
        assert len(shares) == BOTS - 1
        assert shares == sorted(shares, reverse=True)


def test_a_record_counts_who_is_ahead_and_what_is_certain(queries: Queries) -> None:
    tournament = queries.tournament(NAME)
    stats, order = queries.stats(tournament), [line.bot for line in queries.standings(tournament)]

    for bot in order:
        record = record_of(stats, bot, order)

        assert [each.share for each in record.contests] == sorted(each.share for each in record.contests)
        assert len(record.contests) == BOTS - 1
        assert set(record.surely_ahead) <= set(record.ahead)
        assert set(record.surely_behind) <= set(record.behind)
        assert not set(record.ahead) & set(record.behind)


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
    assert "choose fewer than 13" in many.text


def test_pages_come_at_once_and_say_what_is_still_being_computed(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Queries, "stats_soon", lambda *_: None)
    monkeypatch.setattr(Queries, "strengths_soon", lambda *_: None)
    with visitor(db) as client:
        for page in ("", "/head-to-head", f"/head-to-head/{bot_names(1)[0]}", f"/bots/{bot_names(1)[0]}"):
            text = client.get(f"{T}{page}").text

            assert " data-pending>" in text, page
            assert "/refresh.js" in text, page
        assert " won" in client.get(T).text


def test_a_swiss_is_in_the_order_of_its_places(client: TestClient, queries: Queries) -> None:
    places = queries.status(queries.tournament("swiss")).places
    text = client.get("/t/swiss").text

    body = text.split('<tbody id="standings">')[1].split("</tbody>")[0]
    assert re.findall(r'<th scope="row"><a [^>]*>([^<]+)</a>', body) == [place.bot for place in places]
    assert all(place.note in unescape(body) for place in places)
    assert unescape(re.sub("<[^>]+>", "", text.split('id="lead">')[1].split("</p>")[0])).split()[0].rstrip(",") == places[0].bot


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
    assert "There are no such rounds yet." not in page


@pytest.mark.parametrize("before", ["1", "0", "x", "-3", "99999999999"])
def test_a_page_of_rounds_that_can_not_be(client: TestClient, before: str) -> None:
    assert client.get(f"/t/long%20ladder/about?before={before}").status_code == 422


@pytest.mark.parametrize(
    ("clock", "words"),
    [
        (
            ClockSpec(),
            [
                "10 s of CPU time to start",
                "10 s of CPU time for each decision",
                "in a match, 3 decisions may take up to 4 times their limit by the wall clock",
                "5 s of sleep in a match",
                "a bot that hangs is stopped after 120 s",
            ],
        ),
        (
            ClockSpec(ClockMode.FUEL, start=None, move=None, wall_bank=None, nodes=500, start_fuel=2_000_000, bank_fuel=7),
            [
                "2,000,000 units of fuel to start",
                "7 units of fuel for all decisions of a match",
                "500 positions for each search",
                "a bot that hangs is stopped after 120 s",
            ],
        ),
    ],
)
def test_limits_are_told_in_words_with_units(clock: ClockSpec, words: list[str]) -> None:
    assert clock_words(clock) == words
