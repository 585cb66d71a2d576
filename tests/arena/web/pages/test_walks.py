"""Walks through the whole of it in a browser: from the home page to the end of a match, and one table across a server that is killed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.web_data import CUP, HUNDRED, make_database
from tests.arena.web.conftest import PHONE, OpenPage, wait_until
from tests.arena.web.hosting import make_ladder, served, settings_for
from tests.arena.web.play.test_play import READY, SHOWN, TABLE, decide
from tests.arena.web.running import running

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walks") / "walks.db"
    make_database(path, bots=30)
    return path


def play_now(page: Page, title: str) -> None:
    """Press the home page's button for a game, against a bot that is quick."""
    page.evaluate("localStorage.setItem('arena-pace', '0')")
    page.evaluate("document.querySelectorAll('[name=against]').forEach((it) => { it.value = 'random'; })")
    page.get_by_role("button", name=f"Play {title}").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-arena-table]")


def test_from_the_home_page_to_the_end_of_a_match_of_sunda_by_clicks_on_a_phone(db: Path, open_page: OpenPage) -> None:
    with served(settings_for(db)) as server:
        page = open_page(server, server=server, size=PHONE, motion="reduce").page
        play_now(page, "Sunda")
        decisions = 0
        while decide(page):
            decisions += 1
            assert decisions < 300
        assert "1st" in page.inner_text(".result")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        page.click("text=Watch the replay")
        page.wait_for_selector(".arena-viewer .scrub")


def test_from_the_home_page_to_the_end_of_a_match_of_tongiaki_by_keyboard_alone(db: Path, open_page: OpenPage) -> None:
    with served(settings_for(db)) as server:
        page = open_page(server, server=server, motion="reduce").page
        play_now(page, "Tongiaki")
        for _ in range(300):
            wait_until(page, READY)
            if page.evaluate(f"{TABLE}.sight.stage") != "playing":
                break
            at = page.evaluate(f"{TABLE}.sight.at")
            for _ in range(8):
                if page.evaluate(f"Boolean({TABLE}.choosing.pending)"):
                    break
                page.keyboard.press("1")
            page.keyboard.press("Enter")
            wait_until(page, f"{TABLE}.sight.at !== {at} || {TABLE}.sight.stage !== 'playing'")
        assert "1st" in page.inner_text(".result")


def test_two_people_and_a_spectator_play_on_when_the_server_was_killed(tmp_path: Path, open_page: OpenPage) -> None:
    db = tmp_path / "killed.db"
    make_ladder(db, rounds=1)
    with running(db, "--allow-play") as first:
        address, port = first.address, str(first.port)
        maui, hina, crowd = (open_page(f"{address}/play", server=address) for _ in range(3))
        table = sit_down_together(maui.page, hina.page)
        crowd.page.goto(table)
        for _ in range(2):
            take_turns(maui.page, hina.page)
        wait_until(crowd.page, f"{TABLE}?.sight?.at >= 4")
        at = maui.page.evaluate(f"{TABLE}.sight.at")
        first.process.kill()
        first.process.wait()
        maui.page.wait_for_selector(".bar :text('The server is away')")
        with running(db, "--allow-play", "--port", port):
            for each in (maui, hina):
                wait_until(each.page, f"{TABLE}.sight.at === {at} && !{TABLE}.away")
                each.page.locator("[data-arena-table] :text('server was restarted')").first.wait_for()
            for _ in range(2):
                take_turns(maui.page, hina.page)
            wait_until(crowd.page, f"{TABLE}.sight.at >= {at + 4}")
            for each in (maui, hina, crowd):
                assert {"Maui", "Hina"} <= set(each.page.inner_text(".players").split())
                each.page.close()
    for each in (maui, hina, crowd):
        each.complaints.clear()  # the browser's own about the server that was away


def sit_down_together(maker: Page, other: Page) -> str:
    """Two people make a table and start; its address."""
    for page in (maker, other):
        page.evaluate("localStorage.setItem('arena-pace', '0')")
    maker.fill("#name", "Maui")
    maker.check("#game-tongiaki")
    maker.select_option("#seat1", "person")
    maker.click("text=Sit down")
    maker.wait_for_selector("text=Others can join at")
    other.goto(maker.url)
    other.fill("#name", "Hina")
    other.click("button:has-text('Sit here')")
    other.wait_for_selector(".badge:text('you')")
    maker.click("text=Start the match")
    for page in (maker, other):
        page.wait_for_selector("[data-arena-table]")
    return maker.url


def take_turns(*pages: Page) -> None:
    """Whoever is asked moves, and then whoever is asked then."""
    until = time.monotonic() + 200
    for _ in pages:
        while not (asked := [page for page in pages if page.evaluate(f"Boolean({SHOWN} && {TABLE}.sight.offers)")]):
            assert time.monotonic() < until
        assert decide(asked[0])


def test_a_tournament_of_many_bots_is_sorted_filtered_and_compared(db: Path, open_page: OpenPage) -> None:
    with served(settings_for(db)) as server:
        page = open_page(server, server=server).page
        page.get_by_role("link", name=HUNDRED).first.click()
        page.wait_for_url("**/t/**")
        rows = page.locator("#standings tr")
        assert rows.count() == 30
        best = rows.first.inner_text()
        page.locator(".standings thead").get_by_text("wins").click()
        page.locator(".standings thead").get_by_text("wins").click()
        assert rows.first.inner_text() != best or rows.last.inner_text() == best
        page.locator("[data-filter='standings']").fill("letters")
        assert page.locator("#standings tr:visible").count() == 1
        page.get_by_role("link", name="Head-to-head").first.click()
        page.wait_for_url("**/head-to-head**")
        assert "letters" in page.inner_text("main")
        page.goto(f"{server}/t/{CUP}")
        page.get_by_role("link", name="Bracket").first.click()
        page.wait_for_url("**/bracket")
        assert page.locator("main a[href^='/m/'], main a[href*='/matches']").count() >= 15
