"""The viewer's page in a real browser: by keyboard, on a phone, in the dark, with hostile names, and what it lets nobody do.

Every page here must be silent on the console and ask nothing of any host; ``open_page`` sees to it.
"""

from __future__ import annotations

import pytest

from engine.render.drawing import describe_move, named
from engine.replay.verifier import ReplayTimeline
from tests.arena.web.conftest import INSIDE, PHONE, VIEWER, OpenPage, at, box_of, fits, wait_until
from tests.arena.web.replays import HOSTILE, SUNDA, TONGIAKI, timeline_of_vector


def test_the_whole_viewer_works_by_keyboard_with_the_focus_in_sight(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(addresses[SUNDA]).page
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
    before = page.locator("svg[aria-label^='The board']").get_attribute("viewBox")
    page.keyboard.press("+")
    assert page.locator("svg[aria-label^='The board']").get_attribute("viewBox") != before
    page.keyboard.press("0")
    page.locator(".moves button[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert at(page) == 3
    tip = page.get_by_role("tooltip")
    assert words_of(timeline_of_vector(SUNDA), 3) in tip.inner_text()
    page.keyboard.press("Escape")
    assert not tip.is_visible()


def words_of(timeline: ReplayTimeline, position: int) -> str:
    return named(describe_move(timeline.states[position - 1], timeline.moves[position - 1]), timeline.names)


@pytest.mark.parametrize("name", [TONGIAKI, SUNDA, "hostile", "solo"])
def test_nothing_is_wider_than_a_phone(name: str, addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(addresses[name], size=PHONE, motion="reduce").page
    for position in (0, 41, 105, 999):
        page.evaluate(f"location.hash = '#d={position}'")
        wait_until(page, f"{VIEWER}.at === Math.min({position}, {VIEWER}.end)")
        assert fits(page, PHONE[0])
        assert page.evaluate(f"getComputedStyle({INSIDE}.querySelector('.play')).transitionDuration") == "0s"
    small = page.evaluate(f"""[...{INSIDE}.querySelectorAll(".controls button, .board-tools button")]
        .map((it) => it.getBoundingClientRect()).filter((it) => it.width && Math.min(it.width, it.height) < 24).length""")
    assert small == 0, "buttons are large enough for a finger"


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
    page.set_viewport_size({"width": 390, "height": 844})
    for player in page.locator(".strip li").filter(has=page.locator(".tag.bad")).all():
        tag, name = (box_of(player.locator(part)) for part in (".tag.bad", ".name"))
        assert tag["y"] >= name["y"] + name["height"]


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


def test_playing_on_is_offered_where_the_server_says_how(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses['continued']}#d=57").page
    page.get_by_role("tab", name="Position").click()
    link = page.get_by_role("link", name="Continue from here")
    assert link.get_attribute("href") == "/play?match=abc&at=57"
    assert open_page(f"{addresses[TONGIAKI]}#d=57").page.get_by_role("link").count() == 0


def test_the_position_and_a_link_to_it_are_copied(addresses: dict[str, str], open_page: OpenPage) -> None:
    watched = open_page(f"{addresses[TONGIAKI]}#d=30")
    page = watched.page
    page.evaluate("() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }")
    page.get_by_role("tab", name="Position").click()
    page.get_by_role("button", name="Copy the position").click()
    wait_until(page, "window.copied")
    assert page.evaluate("copied") == timeline_of_vector(TONGIAKI).states[30].text.rstrip("\n") + "\n"
    page.keyboard.press("l")
    wait_until(page, "copied.startsWith('file:')")
    assert page.evaluate("copied") == f"{watched.address}#d=30"
    page.evaluate("() => { navigator.clipboard.writeText = async () => { throw new Error('no'); }; }")
    page.keyboard.press("c")
    wait_until(page, "getSelection().toString().startsWith('tongiaki')")
