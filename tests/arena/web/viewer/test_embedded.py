"""The viewer and the table within pages: none of a page's styles gets in, and all of it fits into the window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.arena.web.conftest import INSIDE, OpenPage, box_of
from tests.arena.web.hosting import LADDER, matches_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

PARTS = (
    ".arena-viewer, .card, .scores h2, .now .count, .now .move code, .now .next, figcaption, .standing th, .standing td, .name, "
    ".chip, .chip text, .strip li, .strip .points, .strip .state, [role=tab], .panel, .ticks, "
    ".chart, .chart .line, .chart .scale, .scrub, .buttons button, .buttons svg, .fields label, .fields input, .fields select, "
    ".moves, .moves button, .moves .words, .moves .number, .actions button, .legend li, pre, .board-tools button"
)
STYLES = f"""() => {{
  const given = /height|block-size|origin|inset|^(top|bottom|grid-template-rows)$/; // what follows from the height that the page leaves
  const styles = (node) => {{
    const style = getComputedStyle(node);
    return Object.fromEntries([...style].filter((key) => !given.test(key)).map((key) => [key, style.getPropertyValue(key)]));
  }};
  const told = (node) => `${{node.localName}}.${{node.getAttribute("class")}}`;
  const seen = {{}};
  const few = (node) => (seen[told(node)] = (seen[told(node)] ?? 0) + 1) <= 5; // of a list of moves the first
  return [...{INSIDE}.querySelectorAll("{PARTS}")].filter(few).map((node) => [told(node), styles(node)]);
}}"""
INTRUDER = "body * { color: red !important; font: 40px serif !important; stroke: lime !important; letter-spacing: 9px !important }"


@pytest.fixture(scope="module")
def address(db: Path, server: str) -> str:
    """The page of a replay."""
    return f"{server}/m/{matches_of(db, LADDER)[0].id}#d=20"


def styles(page: Page) -> list[tuple[str, dict[str, str]]]:
    page.wait_for_selector(".arena-viewer .scrub")
    page.wait_for_load_state("networkidle")
    page.evaluate("""() => {
      const viewer = document.querySelector("[data-arena-viewer]").arenaViewer;
      for (const { name } of [...viewer.parts, viewer.parts[0]]) viewer.open(name);
    }""")
    found: list[tuple[str, dict[str, str]]] = page.evaluate(STYLES)
    return found


def test_no_rule_of_a_page_reaches_into_the_viewer(server: str, address: str, open_page: OpenPage) -> None:
    page = open_page(address, server=server).page
    before = styles(page)

    page.evaluate(
        "(rules) => { const sheet = new CSSStyleSheet(); sheet.replaceSync(rules); document.adoptedStyleSheets.push(sheet); }", INTRUDER
    )

    assert page.evaluate("getComputedStyle(document.querySelector('header a')).color") == "rgb(255, 0, 0)"
    for (part, was), (_, now) in zip(before, styles(page), strict=True):
        assert {key: (value, now[key]) for key, value in was.items() if now[key] != value} == {}, part


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900), (1920, 1080)])
def test_the_controls_are_in_the_window(size: tuple[int, int], server: str, address: str, open_page: OpenPage) -> None:
    page = open_page(address, size=size, server=server).page
    page.wait_for_load_state("networkidle")
    board, controls = (box_of(page.locator(part)) for part in (".place", ".controls"))
    assert controls["y"] + controls["height"] <= size[1]
    assert board["height"] > size[1] / 3


@pytest.mark.parametrize("size", [(640, 360), (720, 450), (960, 540)])
def test_on_a_magnified_page_the_controls_never_cover_the_board(
    size: tuple[int, int], server: str, address: str, open_page: OpenPage
) -> None:
    page = open_page(address, size=size, server=server).page
    page.wait_for_load_state("networkidle")
    for top in (0, 60, 120):
        page.evaluate(f"scrollTo(0, {top})")
        board, controls = (box_of(page.locator(part)) for part in (".place", ".controls"))
        assert controls["y"] >= board["y"] + board["height"]
    page.evaluate("scrollTo(0, 0)")
    assert page.evaluate(f"{INSIDE}.querySelector('.stage').offsetHeight") <= size[1] + 20, "nearly all of it is seen at once"
