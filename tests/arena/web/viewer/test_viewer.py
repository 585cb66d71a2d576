"""The replay viewer in a real browser: the board, the panels, the ways through a match; by keyboard, on a phone, with hostile names.

Every page here must be silent on the console and ask nothing of any host; ``open_page`` sees to it.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from arena.web.viewer.documents import board_of
from engine.render import drawing
from engine.render.drawing import describe_move, named
from engine.replay.verifier import ReplayTimeline
from tests.arena.web.conftest import INSIDE, PHONE, VIEWER, OpenPage, at, box_of, fits, go_to, wait_until
from tests.arena.web.replays import HOSTILE, SUNDA, TONGIAKI, timeline_of_vector

if TYPE_CHECKING:
    from playwright.sync_api import Page

BOTH = pytest.mark.parametrize("name", [TONGIAKI, SUNDA])
TREES = f"""(svg) => {{
  const tree = (node) => [
    node.localName,
    [...node.attributes].map((it) => [it.name, it.value]).sort((a, b) => (a[0] < b[0] ? -1 : 1)),
    (node.firstChild?.nodeType === 3 ? node.firstChild.data : "").trim(),
    [...node.children].map(tree),
  ];
  const drawn = [...new DOMParser().parseFromString(svg, "image/svg+xml").documentElement.children];
  return [{INSIDE}.querySelector("svg > g.board"), drawn.find((it) => it.matches(".board, .table"))].map((it) => tree(it)[3]);
}}"""
"""What the board of a page has in it, and what that of a picture has."""


def is_drawn(page: Page, timeline: ReplayTimeline, position: int) -> bool:
    """Whether the viewer shows that position as our own drawing has it."""
    last, before = (timeline.moves[position - 1], timeline.states[position - 1]) if position else (None, None)
    shown, drawn = page.evaluate(TREES, drawing.svg(timeline.states[position], last=last, before=before))
    return bool(at(page) == position and shown and shown == drawn)


@BOTH
def test_the_board_is_that_of_our_own_drawing_however_one_comes_there(name: str, addresses: dict[str, str], open_page: OpenPage) -> None:
    timeline = timeline_of_vector(name)
    page = open_page(f"{addresses[name]}#d=0").page
    assert is_drawn(page, timeline, 0)
    for _ in range(24):
        page.keyboard.press("ArrowRight")
    assert is_drawn(page, timeline, 24)
    for keys, position in (("End", timeline.end), ("ArrowLeft", timeline.end - 1), ("Home", 0)):
        page.keyboard.press(keys)
        assert is_drawn(page, timeline, position)
    for position in (timeline.end // 2, timeline.end // 3, timeline.end - 7):
        go_to(page, position)
        assert is_drawn(page, timeline, position)
    for position in (90, 20, timeline.end):
        other = board_of(timeline.states[position])
        page.evaluate(f"{VIEWER}.board.show({json.dumps({'box': other.box, 'pieces': other.pieces})})")  # as a table does
        shown, drawn = page.evaluate(TREES, drawing.svg(timeline.states[position]))
        assert [node[:3] for node in shown] == [node[:3] for node in drawn]


@BOTH
def test_the_panels_say_what_the_engine_says(name: str, addresses: dict[str, str], open_page: OpenPage) -> None:
    timeline = timeline_of_vector(name)
    page = open_page(addresses[name]).page
    page.get_by_role("tab", name="Chart").click()
    for position in (0, 57, timeline.end):
        go_to(page, position)
        told = drawing.drawer(timeline.states[position]).summarize(timeline.states[position])
        rows = page.locator(".standing tbody tr")
        for seat in range(timeline.replay.players):
            cells = rows.nth(seat).locator("td:not(.rank)").all_inner_texts()
            assert cells == [str(column[seat]) for column in told.columns.values()]
            assert rows.nth(seat).locator(".name").inner_text() == timeline.names[seat]
        points = [cell.partition(" ")[0] for cell in page.locator(".strip .points").all_text_contents()]
        assert points == [str(number) for number in next(iter(told.columns.values()))]
        now = page.locator(".now").inner_text()
        assert named(told.status, timeline.names) in now
        if position:
            titles = page.locator(".now [title]").evaluate_all("(all) => all.map((each) => each.title)")
            assert timeline.replay.decisions[position - 1].move in titles
        for event in drawing.describe_events(timeline.states[position]):
            assert named(event.words, timeline.names) in now
    page.get_by_role("tab", name="Legend").click()
    signs = drawing.drawer(timeline.states[0]).legend(timeline.states[0])
    assert page.locator(".legend li > span").all_inner_texts() == [named(sign.words, timeline.names) for sign in signs]
    page.get_by_role("tab", name="Chart").click()
    ranks = page.locator(".standing tbody td.rank").all_inner_texts()
    assert [rank.removeprefix("★ ") for rank in ranks] == [str(rank) for rank in timeline.replay.ranks]


def test_scrubbing_jumping_and_choosing_a_turn(addresses: dict[str, str], open_page: OpenPage) -> None:
    timeline = timeline_of_vector(TONGIAKI)
    page = open_page(addresses[TONGIAKI]).page
    page.get_by_label("Decision", exact=True).fill("80")
    assert at(page) == 80
    page.keyboard.press("j")
    page.keyboard.type("133")
    page.keyboard.press("Enter")
    assert at(page) == 133
    page.get_by_label("Jump to turn").select_option(str(timeline.turns[20]))
    assert at(page) == timeline.turns[20]
    page.get_by_role("button", name="The next turn").click()
    assert at(page) == timeline.turns[21]
    page.get_by_role("tab", name="Chart").click()
    box = box_of(page.locator("svg.chart"))
    page.locator("svg.chart").click(position={"x": box["width"] - 4, "y": box["height"] / 2})
    assert at(page) == timeline.end
    page.get_by_role("tab", name="Moves").click()
    page.locator(".moves button").nth(10).click()
    assert at(page) == 11
    assert page.locator(".moves [aria-current=step] .number").inner_text() == "11"
    wait_until(page, "location.hash === '#d=11'")


def test_playing_goes_on_by_itself_and_stops_at_the_end(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(addresses["solo"]).page
    page.clock.install(time=0)
    page.reload()
    page.clock.pause_at(60_000)
    page.keyboard.press(" ")
    page.clock.run_for(2600)
    assert at(page) == 5, "two decisions a second, if nothing else is said"
    page.keyboard.press(".")
    page.clock.run_for(1100)
    assert at(page) == 9
    page.keyboard.press(" ")
    page.clock.run_for(5000)
    assert at(page) == 9
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(60_000)
    assert at(page) == timeline_of_vector("sunda/solo-L0-1p-31").end
    assert page.get_by_role("button", name="Play").is_visible()


@pytest.mark.parametrize(("place", "position"), [("d=57", 57), ("d=99999", 229), ("nonsense", 229)])
def test_a_link_leads_to_its_position(place: str, position: int, addresses: dict[str, str], open_page: OpenPage) -> None:
    assert at(open_page(f"{addresses[TONGIAKI]}#{place}").page) == position


def test_the_board_zooms_pans_and_fits(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses[TONGIAKI]}#d=150").page
    picture = page.locator("svg[aria-label^='The board']")

    def view() -> list[float]:
        return [float(side) for side in (picture.get_attribute("viewBox") or "").split()]

    whole = view()
    picture.hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    wait_until(page, f"{VIEWER}.board.view[2] < {whole[2] - 10}")
    near = view()
    page.mouse.down()
    page.mouse.move(300, 300, steps=4)
    page.mouse.up()
    moved = view()
    assert moved != near
    page.keyboard.press("ArrowRight")
    assert view() == moved, "who has moved the view keeps it"
    page.get_by_role("button", name="Whole board").click()
    assert view() == pytest.approx(whole, abs=0.2)


def test_two_fingers_zoom_the_board(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses[SUNDA]}#d=150", size=PHONE).page
    before = page.evaluate(f"{VIEWER}.board.view[2]")
    fingers = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 30), ("touchMove", 60), ("touchMove", 100)):
        points = [{"x": 180 - apart, "y": 250, "id": 0}, {"x": 180 + apart, "y": 250, "id": 1}]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    wait_until(page, f"{VIEWER}.board.view[2] < {before * 0.7}")


def test_the_whole_viewer_works_by_keyboard_with_the_focus_in_sight(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses[SUNDA]}#d=0").page
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        name, outline = page.evaluate(f"""() => {{
          const it = {INSIDE}.activeElement ?? document.body, style = getComputedStyle(it);
          return [it.getAttribute("aria-label") ?? it.textContent.trim(), `${{style.outlineStyle}} ${{style.outlineWidth}}`];
        }}""")
        if name in seen or page.evaluate("document.activeElement === document.body"):
            break
        seen.append(name)
        assert outline == "solid 3px", name
    for reached in ("Decision", "Play", "The next turn", "Jump to turn", "Keys", "Hide results", "Moves", "Zoom in"):
        assert reached in seen
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog").is_visible()
    page.locator(".moves button[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert at(page) == 3
    assert words_of(timeline_of_vector(SUNDA), 3) in page.get_by_role("tooltip").inner_text()


def words_of(timeline: ReplayTimeline, position: int) -> str:
    return named(describe_move(timeline.states[position - 1], timeline.moves[position - 1]), timeline.names)


def test_hostile_names_and_reasons_are_shown_as_text(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses['hostile']}#d=41").page
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    assert page.locator(".strip .name").first.inner_text() == HOSTILE
    assert f"{HOSTILE} 40; a substitute" in page.locator(".now").inner_text()
    assert page.locator(".strip .tag.bad").count() == 1
    assert page.locator(".moves .tag.bad").count() == 2
    assert page.locator("img").count() == 0
    assert HOSTILE in page.title()
    page.keyboard.press("End")
    assert page.locator(".strip .tag.bad").count() == 2


def test_the_policy_stops_what_would_get_into_the_page(addresses: dict[str, str], open_page: OpenPage) -> None:
    watched = open_page(addresses[TONGIAKI])
    watched.page.evaluate("""() => {
      document.body.insertAdjacentHTML("beforeend", "<button id=evil onclick='window.hit = 1'>x</button><img src='https://example.com/x.png'>");
      const script = document.createElement("script");
      script.textContent = "window.hit = 2";
      document.body.append(script);
      document.getElementById("evil").click();
    }""")
    assert watched.page.evaluate("window.hit") is None
    wait_until(watched.page, "document.images[0].complete")
    assert watched.complaints
    watched.complaints.clear()
    watched.requests.clear()  # Chromium tells of the picture's request and then refuses it


def test_the_position_and_a_link_to_it_are_copied(addresses: dict[str, str], open_page: OpenPage) -> None:
    watched = open_page(f"{addresses['continued']}#d=30")
    page = watched.page
    page.evaluate("() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }")
    page.get_by_role("tab", name="Position").click()
    assert page.get_by_role("link", name="Continue from here").get_attribute("href") == "/play?match=abc&at=30"
    page.get_by_role("button", name="Copy the position").click()
    wait_until(page, "window.copied")
    assert page.evaluate("copied") == timeline_of_vector(TONGIAKI).states[30].text.rstrip("\n") + "\n"
    page.keyboard.press("l")
    wait_until(page, "copied.startsWith('file:')")
    assert page.evaluate("copied") == f"{watched.address}#d=30"


@pytest.mark.parametrize("name", [TONGIAKI, SUNDA])
def test_on_a_phone_the_board_the_last_move_and_the_steps_are_on_one_screen(
    name: str, addresses: dict[str, str], open_page: OpenPage
) -> None:
    page = open_page(f"{addresses[name]}#d=57", size=(390, 844)).page
    parts = [box_of(page.locator(part)) for part in (".place", ".buttons", ".now")]
    assert words_of(timeline_of_vector(name), 57) in page.locator(".now").inner_text()
    assert all(upper["y"] + upper["height"] <= lower["y"] for upper, lower in pairwise(parts))
    assert parts[2]["y"] - parts[1]["y"] - parts[1]["height"] < 20, "the last move is right below the steps"
    assert parts[2]["y"] + parts[2]["height"] <= 844
    speed = page.get_by_label("Decisions per second")
    assert not speed.is_visible()
    page.get_by_role("button", name="More").click()
    assert speed.is_visible()
    for position in (58, 80):
        go_to(page, position)
        board, steps = box_of(page.locator(".place")), box_of(page.locator(".buttons"))
        assert steps["y"] - board["y"] == parts[1]["y"] - parts[0]["y"], "the steps stay where they are"
        assert fits(page, 390)
