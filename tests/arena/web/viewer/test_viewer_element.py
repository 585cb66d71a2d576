"""The viewer as an element of any page: a match that plays by itself, motion, results that are hidden, the chances over the slider."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena.web.rendering.replay_files import page_of
from arena.web.rendering.static_files import content, modules
from arena.web.viewer.documents import Document, document_of, write
from tests.arena.web.conftest import INSIDE, VIEWER, OpenPage, at, box_of, wait_until
from tests.arena.web.replays import SUNDA, TONGIAKI, save_page, timeline_of_vector
from tests.arena.web.site.site_files import hosted

MOVING = f"[...{INSIDE}.querySelectorAll('svg > g *')].flatMap((it) => it.getAnimations()).filter((it) => it.playState === 'running')"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A host with the documents of two matches, and pages that have a viewer of the one named."""
    folder = tmp_path_factory.mktemp("site")
    for name in (*modules("viewer_element.js"), "tokens.css", "viewer.css"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content(name))
    for name, vector in (("one", TONGIAKI), ("other", "sunda/solo-L0-1p-31")):
        (folder / f"{name}.json").write_text(write(document_of(timeline_of_vector(vector))), encoding="utf-8")
    script = '<script type="module" src="viewer_element.js"></script>'
    styles = '<link rel="stylesheet" href="tokens.css"><link rel="stylesheet" href="viewer.css" data-arena-style>'
    head = f'<!DOCTYPE html><link rel="icon" href="data:,">{styles}'
    for name, attributes in {
        "plays": 'data-document="one.json" data-plays data-from="20"',
        "gone": 'data-document="gone.json" data-plays',
    }.items():
        host = f'<arena-viewer data-arena-viewer {attributes} style="display: block; height: 400px"><p>instead</p></arena-viewer>'
        (folder / f"{name}.html").write_text(head + host + script, encoding="utf-8")
    with hosted(folder) as address:
        yield address


def test_a_match_plays_by_itself_until_it_is_paused(site: str, open_page: OpenPage) -> None:
    page = open_page(f"{site}/plays.html", server=site).page
    wait_until(page, f"{VIEWER}?.at >= 22")
    page.get_by_role("button", name="Pause").click()
    stopped = at(page)
    page.wait_for_timeout(1600)
    assert at(page) == stopped
    assert page.locator(".arena-plays").bounding_box() == page.locator("arena-viewer").bounding_box(), (
        "it has the height that the page gives"
    )
    assert page.get_by_role("progressbar").get_attribute("value") == str(stopped)
    page.evaluate("document.querySelector('arena-viewer').dataset.document = 'other.json'")
    wait_until(page, f"{VIEWER}.end === {timeline_of_vector('sunda/solo-L0-1p-31').end}")


@pytest.mark.parametrize("name", [TONGIAKI, SUNDA])
def test_a_step_forward_is_motion_and_no_other_way_is(name: str, addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses[name]}#d=30").page
    moved = page.evaluate(f"""async () => {{
      const rest = async () => {{
        do await new Promise((done) => setTimeout(done, 350));
        while ({MOVING}.length);
      }};
      const found = {{}};
      for (const [way, act] of Object.entries({{
        forward: () => {{ {VIEWER}.go(31); {VIEWER}.go(32); }},
        back: () => {VIEWER}.go(31),
        jump: () => {VIEWER}.go(60),
        scrub: () => {VIEWER}.go(61, {{ glide: false }}),
        step: () => {VIEWER}.go(62),
      }})) {{
        await rest();
        act();
        found[way] = {MOVING}.length;
      }}
      return found;
    }}""")
    assert moved.pop("step") > 0
    assert set(moved.values()) == {0}, moved
    wait_until(page, f"{MOVING}.length === 0 && !{INSIDE}.querySelector('.sky').childElementCount")


def test_nothing_moves_if_motion_is_to_be_reduced(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses[TONGIAKI]}#d=30", motion="reduce").page
    page.wait_for_timeout(350)
    page.keyboard.press("ArrowRight")
    assert (at(page), page.evaluate(f"{MOVING}.length")) == (31, 0)


def test_hidden_results_are_told_no_sooner_than_asked_for(addresses: dict[str, str], open_page: OpenPage) -> None:
    timeline = timeline_of_vector(TONGIAKI)
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
    page.get_by_role("button", name="Show the result").click()
    assert page.evaluate(told) == everything
    page.reload()
    assert page.get_by_role("button", name="Hide results").get_attribute("aria-pressed") == "true"
    page.keyboard.press("End")
    assert page.evaluate(told) == everything
    assert page.locator(".strip .winner").count() == timeline.replay.ranks.count(1)


def test_chances_are_a_ribbon_over_the_slider(tmp_path: Path, open_page: OpenPage) -> None:
    timeline = timeline_of_vector("sunda/turns-L0-2p-34")
    shares = [[k / timeline.end, 1 - k / timeline.end] for k in range(timeline.end + 1)]
    document: Document = msgspec.structs.replace(document_of(timeline), evaluation=shares)
    page = open_page(save_page(page_of(document), tmp_path / "match.html")).page
    page.keyboard.press("End")
    ribbon = page.locator(".ribbon")
    assert (ribbon.get_attribute("aria-label") or "").startswith(f"Chances of winning: {timeline.names[0]} 100 %")
    board, slider, box = (box_of(each) for each in (page.locator(".place"), page.locator(".scrub"), ribbon))
    assert board["y"] + board["height"] <= box["y"] < slider["y"]
    assert [path.get_attribute("fill") for path in ribbon.locator("path[fill]").all()] == [seat.color for seat in document.seats]
