"""The viewer and the table within pages: none of a page's styles gets in, and all of it fits into the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from arena.web.rendering.replay_files import page as html_of
from engine.render import drawing
from engine.replay.format import read_replay
from engine.replay.verifier import ReplayTimeline, timeline_of
from leaderboard.storage.store import Store
from tests.arena.web.conftest import INSIDE, OpenPage
from tests.arena.web.hosting import LADDER, make_ladder, served, settings_for
from tests.arena.web.replays import save_page

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


class Match(NamedTuple):
    id: str
    timeline: ReplayTimeline


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("embedded") / "league.db"
    make_ladder(path)
    return path


@pytest.fixture(scope="module")
def match(db: Path) -> Match:
    with Store.read(db) as store:
        tournament = store.tournament(LADDER)
        assert tournament is not None
        found = store.recent_matches(tournament)[0].id
        return Match(found, timeline_of(read_replay(store.replay(found))))


@pytest.fixture(scope="module")
def server(db: Path) -> Iterator[str]:
    with served(settings_for(db)) as address:
        yield address


@pytest.fixture
def standalone(match: Match, tmp_path: Path) -> str:
    return save_page(html_of(match.timeline, continue_url=f"/play?match={match.id}&at={{d}}"), tmp_path / "match.html")


def with_a_tile_in_hand(timeline: ReplayTimeline) -> int:
    return next(at for at, state in enumerate(timeline.states) if at > 8 and drawing.summarize(state).waiting)


def styles(page: Page) -> list[tuple[str, dict[str, str]]]:
    page.wait_for_selector(".arena-viewer .scrub")
    page.wait_for_load_state("networkidle")
    page.evaluate("""() => {
      const { tabs, parts } = document.querySelector("[data-arena-viewer]").arenaViewer;
      for (const each of [...parts.keys(), 0]) tabs.open(each);
    }""")
    found: list[tuple[str, dict[str, str]]] = page.evaluate(STYLES)
    return found


def test_the_viewer_looks_the_same_in_a_page_as_on_its_own(server: str, match: Match, standalone: str, open_page: OpenPage) -> None:
    at = with_a_tile_in_hand(match.timeline)
    alone = styles(open_page(f"{standalone}#d={at}", scheme="dark").page)
    embedded = open_page(f"{server}/m/{match.id}/replay#d={at}", scheme="dark", server=server).page

    assert {part.partition(".")[0] for part, _ in alone} >= {"figcaption", "input", "select", "path", "td", "code"}
    for (part, here), (same, there) in zip(alone, styles(embedded), strict=True):
        assert part == same
        assert {key: (value, there[key]) for key, value in here.items() if there[key] != value} == {}, part


def test_no_rule_of_a_page_reaches_into_the_viewer(server: str, match: Match, open_page: OpenPage) -> None:
    page = open_page(f"{server}/m/{match.id}/replay#d=20", server=server).page
    before = styles(page)

    page.evaluate(
        "(rules) => { const sheet = new CSSStyleSheet(); sheet.replaceSync(rules); document.adoptedStyleSheets.push(sheet); }", INTRUDER
    )

    assert page.evaluate("getComputedStyle(document.querySelector('header a')).color") == "rgb(255, 0, 0)"
    for (part, was), (_, now) in zip(before, styles(page), strict=True):
        assert {key: (value, now[key]) for key, value in was.items() if now[key] != value} == {}, part


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900), (1920, 1080)])
def test_the_controls_are_in_the_window(size: tuple[int, int], server: str, match: Match, standalone: str, open_page: OpenPage) -> None:
    for address in (f"{server}/m/{match.id}/replay#d=20", f"{standalone}#d=20"):
        page = open_page(address, size=size, server=server).page
        page.wait_for_load_state("networkidle")
        box = page.locator(".controls").bounding_box()
        board = page.locator(".place").bounding_box()
        assert box is not None
        assert board is not None
        assert box["y"] + box["height"] <= size[1]
        assert page.evaluate("document.documentElement.scrollHeight") <= size[1]
        assert board["height"] > size[1] / 2


@pytest.mark.parametrize("size", [(640, 360), (720, 450), (960, 540)])
def test_on_a_magnified_page_the_controls_never_cover_the_board(
    size: tuple[int, int], server: str, match: Match, open_page: OpenPage
) -> None:
    page = open_page(f"{server}/m/{match.id}/replay#d=20", size=size, server=server).page
    page.wait_for_load_state("networkidle")
    for top in (0, 60, 120):
        page.evaluate(f"scrollTo(0, {top})")
        board, controls = page.locator(".place").bounding_box(), page.locator(".controls").bounding_box()
        assert board is not None
        assert controls is not None
        assert controls["y"] >= board["y"] + board["height"]
    page.evaluate("scrollTo(0, 0)")
    assert page.evaluate(f"{INSIDE}.querySelector('.stage').offsetHeight") <= size[1] + 20, "nearly all of it is seen at once"
