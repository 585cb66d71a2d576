"""The viewer as an element of a page: it plays by itself, moves, hides results and fits into the window."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.arena.web.conftest import INSIDE, VIEWER, OpenPage, box_of, wait_until
from tests.arena.web.hosting import LADDER, matches_of
from tests.arena.web.replays import SUNDA, TONGIAKI, timeline_of_vector

MOVING = f"[...{INSIDE}.querySelectorAll('svg > g *')].flatMap((it) => it.getAnimations()).filter((it) => it.playState === 'running')"


def test_the_home_page_has_a_match_that_plays_by_itself_until_it_is_paused(server: str, open_page: OpenPage) -> None:
    page = open_page(server, server=server).page
    played = "document.querySelector('arena-viewer').arenaViewer"
    wait_until(page, played)
    begun = page.evaluate(f"{played}.at")
    wait_until(page, f"{played}.at >= {begun} + 2")
    page.get_by_role("button", name="Pause").click()
    stopped = page.evaluate(f"{played}.at")
    page.wait_for_timeout(1600)
    assert page.evaluate(f"{played}.at") == stopped
    assert page.get_by_role("progressbar").get_attribute("value") == str(stopped)


@pytest.mark.parametrize(("name", "motion"), [(TONGIAKI, "no-preference"), (SUNDA, "no-preference"), (TONGIAKI, "reduce")])
def test_a_step_forward_is_motion_and_a_jump_is_not(name: str, motion: str, addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses[name]}#d=30", motion=motion).page
    for place, moves in ((60, False), (61, motion != "reduce")):
        page.wait_for_timeout(350)
        assert page.evaluate(f"({VIEWER}.go({place}), {MOVING}.length > 0)") == moves
    wait_until(page, f"{MOVING}.length === 0 && !{INSIDE}.querySelector('.sky').childElementCount")


def test_hidden_results_are_told_no_sooner_than_asked_for(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses[TONGIAKI]}#d=0").page
    told = f"[...{INSIDE}.querySelectorAll('.ticks path')].map((it) => it.getAttribute('d')).join('')"
    everything = page.evaluate(told)
    page.get_by_role("button", name="Hide results").click()
    assert page.evaluate(told).replace("M0 1V.8", "") == ""
    assert not page.locator(".moves .gain").first.is_visible()
    page.get_by_role("tab", name="Chart").click()
    page.evaluate(f"{VIEWER}.go(40)")
    drawn = page.locator("svg.chart .line").first.get_attribute("d") or ""
    assert float(drawn.rpartition("H")[2]) < 120
    assert "at the end" not in (page.locator("svg.chart").get_attribute("aria-label") or "")
    page.get_by_role("button", name="Show results").click()
    assert page.evaluate(told) == everything
    page.get_by_role("button", name="Hide results").click()
    page.reload()
    page.get_by_role("button", name="Show results").wait_for()
    page.keyboard.press("End")
    assert page.evaluate(told) == everything
    assert page.locator(".strip .winner").count() == timeline_of_vector(TONGIAKI).replay.ranks.count(1)
    for name in ("Show results", "Hide results"):
        page.get_by_role("button", name=name).click()
    assert page.evaluate(f"{VIEWER}.at") == 0


@pytest.mark.parametrize("size", [(640, 360), (960, 540), (1280, 720), (1920, 1080)])
def test_the_controls_are_in_the_window_and_on_a_magnified_page_they_never_cover_the_board(
    size: tuple[int, int], db: Path, server: str, open_page: OpenPage
) -> None:
    page = open_page(f"{server}/m/{matches_of(db, LADDER)[0].id}#d=20", size=size, server=server).page
    page.wait_for_load_state("networkidle")
    for top in (120, 60, 0):
        page.evaluate(f"scrollTo(0, {top})")
        board, controls = (box_of(page.locator(part)) for part in (".place", ".controls"))
        assert controls["y"] >= board["y"] + board["height"]
    if size[0] > 1000:
        assert controls["y"] + controls["height"] <= size[1]
        assert board["height"] > size[1] / 3
    assert page.evaluate(f"{INSIDE}.querySelector('.stage').offsetHeight") <= size[1] + 20, "nearly all of it is seen at once"
