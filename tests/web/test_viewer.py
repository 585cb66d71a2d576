"""The replay viewer in a real browser. Every page here must be silent on the console and ask nothing of any host (``open_page`` sees to it)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page

from arena.frame import Film
from arena.web.export import page as html_of
from arena.web.viewing import board_of
from engine import drawing
from tests.web.conftest import PHONE, OpenPage
from tests.web.replays import HOSTILE, SUNDA, TONGIAKI, drawn, hostile_reel, reel, save_page

BOTH = pytest.mark.parametrize("name", [TONGIAKI, SUNDA])
AT = "document.querySelector('[data-arena-viewer]').arenaViewer.at"
TREE = """() => {
  const tree = (node) => [
    node.localName,
    [...node.attributes].map((it) => [it.name, it.value]).sort((a, b) => (a[0] < b[0] ? -1 : 1)),
    (node.firstChild?.nodeType === 3 ? node.firstChild.data : "").trim(),
    [...node.children].map(tree),
  ];
  return JSON.stringify(tree(document.querySelector("svg > g.board"))[3]);
}"""


@pytest.fixture(scope="module", name="addresses")
def written_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of the pages of both games, of a hostile match, and of one that can be continued."""
    folder = tmp_path_factory.mktemp("pages")
    films = {TONGIAKI: reel(TONGIAKI), SUNDA: reel(SUNDA), "hostile": hostile_reel(), "solo": reel("sunda/solo-L0-1p-31")}
    found = {name: save_page(html_of(film), folder / f"{index}.html") for index, (name, film) in enumerate(films.items())}
    found["continued"] = save_page(html_of(reel(TONGIAKI), continue_url="/play?match=abc&at={d}"), folder / "continued.html")
    return found


def at(page: Page) -> int:
    return int(page.evaluate(AT))


def board(page: Page) -> object:
    return json.loads(page.evaluate(TREE))


def ours(film: Film, position: int) -> object:
    return json.loads(json.dumps(drawn(film, position)))


@BOTH
def test_the_board_is_that_of_our_own_drawing_however_one_comes_there(name: str, addresses: dict[str, str], open_page: OpenPage) -> None:
    film = reel(name)
    page = open_page(addresses[name]).page
    assert board(page) == ours(film, 0)
    for _ in range(24):
        page.keyboard.press("ArrowRight")
    assert at(page) == 24
    assert board(page) == ours(film, 24)
    for keys, position in (("End", film.end), ("ArrowLeft", film.end - 1), ("Home", 0)):
        page.keyboard.press(keys)
        assert (at(page), board(page)) == (position, ours(film, position))
    for position in (film.end // 2, film.end // 3, film.end - 7):
        page.evaluate(f"location.hash = '#d={position}'")
        page.wait_for_function(f"{AT} === {position}")
        assert board(page) == ours(film, position)


@BOTH
def test_every_step_forward_and_back_draws_all_tiles_where_they_lie(name: str, addresses: dict[str, str], open_page: OpenPage) -> None:
    film = reel(name)
    page = open_page(addresses[name]).page
    tiles = page.evaluate(f"""() => {{
      const viewer = {AT.removesuffix(".at")};
      const look = () => [...document.querySelectorAll("svg > g.board [data-tile]")].map((node) => [
        node.getAttribute("class"), node.dataset.tile, node.getAttribute("transform") ?? node.getAttribute("d")].join(" ")).sort();
      const forward = [], back = [];
      for (let k = 0; k <= viewer.end; k++) {{ viewer.go(k); forward.push(look()); }}
      for (let k = viewer.end; k >= 0; k--) {{ viewer.go(k); back.unshift(look()); }}
      return {{ forward, back }};
    }}""")
    assert tiles["forward"] == tiles["back"]
    for position in range(0, film.end + 1, 5):
        expected = sorted(
            f"{dict(attributes).get('class')} {dict(attributes)['data-tile']} {dict(attributes).get('transform') or dict(attributes)['d']}"
            for attributes in _attributes(drawn(film, position))
            if "data-tile" in dict(attributes)
        )
        assert [each.replace("null", "None") if each.startswith(" ") else each for each in tiles["forward"][position]] == [
            each.replace("None ", " ", 1) if each.startswith("None ") else each for each in expected
        ]


def _attributes(nodes: object) -> list[tuple[tuple[str, str], ...]]:
    found = []
    for _, attributes, _, children in nodes:  # type: ignore[attr-defined]
        found += [attributes, *_attributes(children)]
    return found


@BOTH
def test_the_panels_say_what_the_engine_says(name: str, addresses: dict[str, str], open_page: OpenPage) -> None:
    film = reel(name)
    page = open_page(addresses[name]).page
    for position in (0, 57, 120, film.end):
        page.evaluate(f"location.hash = '#d={position}'")
        page.wait_for_function(f"{AT} === {position}")
        told = drawing.tell(film.states[position])
        rows = page.locator(".standing tbody tr")
        for seat in range(film.replay.players):
            cells = rows.nth(seat).locator("td:not(.rank)").all_inner_texts()
            assert cells == [str(column[seat]) for column in told.columns.values()]
            assert rows.nth(seat).locator(".name").inner_text() == film.names[seat]
        now = page.locator(".now").inner_text()
        assert told.status in now
        if position:
            assert film.replay.decisions[position - 1].move in now
        for event in drawing.happened(film.states[position]):
            assert event.words in now
    ranks = page.locator(".standing tbody td.rank").all_inner_texts()
    assert [rank.removeprefix("★ ") for rank in ranks] == [str(rank) for rank in film.replay.ranks]


def test_the_position_in_notation_is_that_of_the_engine(addresses: dict[str, str], open_page: OpenPage) -> None:
    for name in (TONGIAKI, SUNDA):
        page = open_page(f"{addresses[name]}#d=101").page
        page.get_by_text("The position in notation").click()
        assert page.locator("pre").inner_text().rstrip() == reel(name).states[101].text.rstrip()


def test_scrubbing_jumping_and_choosing_a_turn(addresses: dict[str, str], open_page: OpenPage) -> None:
    film = reel(TONGIAKI)
    page = open_page(addresses[TONGIAKI]).page
    page.get_by_label("Decision", exact=True).fill("80")
    assert at(page) == 80
    page.keyboard.press("j")
    page.keyboard.type("133")
    page.keyboard.press("Enter")
    assert at(page) == 133
    page.get_by_label("Jump to turn").select_option(str(film.turns[20]))
    assert at(page) == film.turns[20]
    page.keyboard.press("Tab")
    page.get_by_role("button", name="The next turn").click()
    assert at(page) == film.turns[21]
    page.keyboard.press("[")
    assert at(page) == film.turns[20]
    chart = page.locator(".chart")
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": box["width"] - 4, "y": box["height"] / 2})
    assert at(page) == film.end
    page.locator(".moves button").nth(10).click()
    assert at(page) == 11
    assert page.locator(".moves [aria-current=step] .number").inner_text() == "10"
    page.wait_for_function("location.hash === '#d=11'")


def test_playing_goes_on_by_itself_and_stops_at_the_end(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(addresses["solo"], clock=True).page
    page.keyboard.press(" ")
    page.clock.run_for(2600)
    assert at(page) == 5, "two decisions a second, if nothing else is said"
    page.keyboard.press(".")
    page.clock.run_for(1100)
    assert at(page) == 9
    page.keyboard.press(" ")
    page.clock.run_for(5000)
    assert at(page) == 9
    page.evaluate(f"location.hash = '#d={reel('sunda/solo-L0-1p-31').end - 1}'")
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(3000)
    assert at(page) == reel("sunda/solo-L0-1p-31").end
    assert page.get_by_role("button", name="Play").is_visible()


@BOTH
def test_a_link_leads_to_its_position(name: str, addresses: dict[str, str], open_page: OpenPage) -> None:
    assert at(open_page(f"{addresses[name]}#d=57").page) == 57
    assert at(open_page(f"{addresses[name]}#d=99999").page) == reel(name).end
    assert at(open_page(f"{addresses[name]}#nonsense").page) == 0


def test_the_whole_viewer_works_by_keyboard_with_the_focus_in_sight(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(addresses[SUNDA]).page
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        name, outline = page.evaluate("""() => {
          const { activeElement: it } = document, style = getComputedStyle(it);
          return [it.getAttribute("aria-label") ?? it.textContent.trim(), `${style.outlineStyle} ${style.outlineWidth}`];
        }""")
        if name in seen:
            break
        seen.append(name)
        assert outline == "solid 3px", name
    for reached in ("Decision", "Play", "The next turn", "Jump to turn", "Keys", "Copy the position", "Zoom in", "Legend"):
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
    assert film_words(reel(SUNDA), 3) in tip.inner_text()
    page.keyboard.press("Escape")
    assert not tip.is_visible()


def film_words(film: Film, position: int) -> str:
    return film.states[0].game.explain(film.moves[position - 1])


def test_what_a_move_means_is_told_on_hover(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(addresses[TONGIAKI]).page
    page.locator(".moves button").nth(4).hover()
    assert film_words(reel(TONGIAKI), 5) in page.get_by_role("tooltip").inner_text()


@pytest.mark.parametrize("name", [TONGIAKI, SUNDA, "hostile", "solo"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(name: str, scheme: str, addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(addresses[name], size=PHONE, scheme=scheme, motion="reduce").page
    for position in (0, 41, 105, 999):
        page.evaluate(f"location.hash = '#d={position}'")
        page.wait_for_function(f"{AT} === Math.min({position}, {AT.removesuffix('.at')}.end)")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        assert page.evaluate("getComputedStyle(document.querySelector('.play')).transitionDuration") == "0s"
    small = page.evaluate("""[...document.querySelectorAll(".controls button, .board-tools button")]
        .map((it) => it.getBoundingClientRect()).filter((it) => Math.min(it.width, it.height) < 24).length""")
    assert small == 0, "buttons are large enough for a finger"


@BOTH
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_the_ground(name: str, scheme: str, addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses[name]}#d=60", scheme=scheme).page
    found = page.evaluate("""() => {
      const part = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
      const light = (color) => {
        const [r, g, b] = color.match(/[\\d.]+/g).map((it) => part(it / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ground = (node) => {
        const color = getComputedStyle(node).backgroundColor;
        return /, 0\\)|transparent/.test(color) ? ground(node.parentElement) : color;
      };
      const low = [];
      for (const node of document.querySelectorAll(".now p, .now code, td, th, .name, .moves code, .number, button, summary, label, h1, h2, header p")) {
        const [a, b] = [light(getComputedStyle(node).color), light(ground(node))].sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < 4.5 && node.getAttribute("aria-disabled") !== "true") low.push(node.className + node.textContent.slice(0, 20));
      }
      return { low, page: light(getComputedStyle(document.body).backgroundColor) };
    }""")
    assert found["low"] == []
    assert (found["page"] < 0.05) == (scheme == "dark")


def test_hostile_names_and_reasons_are_shown_as_text(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses['hostile']}#d=41").page
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    assert page.locator(".standing .name").first.inner_text() == HOSTILE
    assert f"{HOSTILE} 40; a substitute" in page.locator(".now").inner_text()
    assert page.locator(".standing .tag.bad").count() == 1
    assert page.locator(".moves .tag.bad").count() == 2
    assert page.locator("img").count() == 0
    assert HOSTILE in page.title()
    page.keyboard.press("End")
    assert page.locator(".standing .tag.bad").count() == 2


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
    watched.page.wait_for_function("document.images[0].complete")
    assert watched.complaints
    watched.complaints.clear()
    watched.requests.clear()  # Chromium tells of the picture's request and then refuses it


def test_the_board_zooms_pans_and_fits(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses[TONGIAKI]}#d=150").page
    picture = page.locator("svg[aria-label^='The board']")

    def view() -> list[float]:
        return [float(side) for side in (picture.get_attribute("viewBox") or "").split()]

    whole = view()
    picture.hover()
    page.mouse.wheel(0, -300)
    page.wait_for_function(f"{AT.removesuffix('.at')}.board.view[2] < {whole[2] - 10}")
    near = view()
    page.mouse.down()
    page.mouse.move(300, 300, steps=4)
    page.mouse.up()
    moved = view()
    assert moved[2:] == pytest.approx(near[2:], abs=0.2)
    assert moved[:2] != near[:2]
    page.keyboard.press("ArrowRight")
    assert view() == moved, "who has moved the view keeps it"
    page.get_by_role("button", name="Whole board").click()
    page.keyboard.press("ArrowLeft")
    assert view() == pytest.approx(whole, abs=0.2)
    page.keyboard.press("Shift+ArrowDown")
    assert (view()[1] > whole[1], at(page)) == (True, 150)


def test_two_fingers_zoom_the_board(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses[SUNDA]}#d=150", size=PHONE).page
    picture = page.locator("svg[aria-label^='The board']")
    before = picture.get_attribute("viewBox") or ""
    fingers = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 30), ("touchMove", 60), ("touchMove", 100)):
        points = [{"x": 180 - apart, "y": 250, "id": 0}, {"x": 180 + apart, "y": 250, "id": 1}]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function(f"{AT.removesuffix('.at')}.board.view[2] < {float(before.split()[2]) * 0.7}")


def test_a_click_tells_what_was_clicked_and_offers_can_be_taken(addresses: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{addresses[TONGIAKI]}#d=20").page
    page.evaluate("""() => {
      window.heard = [];
      const place = document.querySelector(".arena-board");
      place.addEventListener("pick", ({ detail }) => heard.push([detail.keys.at(-1), detail.data.tile, detail.data.beach ?? ""]));
      place.addEventListener("offer", ({ detail }) => heard.push(detail.id));
    }""")
    page.locator("g[data-tile='Tonga'] .beach").nth(2).dispatch_event("click", {"bubbles": True, "clientX": 300, "clientY": 300})
    assert page.evaluate("heard") == [["Tonga", "Tonga", "2"]]
    page.evaluate(f"""() => {AT.removesuffix(".at")}.board.offer([
      {{ id: "sail Tonga 0", markup: '<circle r="40" fill="#fff" fill-opacity=".5"/>', words: "sail north from Tonga" }},
      {{ id: "pass", markup: '<rect x="100" width="50" height="50"/>', words: "pass" }}])""")
    page.get_by_role("button", name="sail north from Tonga").click()
    page.get_by_role("button", name="pass").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("heard.slice(1)") == ["sail Tonga 0", "pass"]


@BOTH
def test_a_board_without_a_replay_shows_any_position(name: str, addresses: dict[str, str], open_page: OpenPage) -> None:
    film = reel(name)
    page = open_page(addresses[name]).page
    for position in (90, 20, film.end, 91):
        shown = board_of(film.states[position])
        data = json.dumps({"box": shown.box, "pieces": shown.pieces})
        page.evaluate(f"{AT.removesuffix('.at')}.board.show({data})")
        keys = page.evaluate("[...document.querySelectorAll('svg > g.board *')].map((it) => it.arenaKey).filter((it) => it !== undefined).sort()")
        assert keys == sorted(key for key, *_ in shown.pieces)
        assert [node[:3] for node in board(page)] == [node[:3] for node in ours_plain(film, position)]  # type: ignore[attr-defined]


def ours_plain(film: Film, position: int) -> list[list[object]]:
    from xml.etree import ElementTree

    from tests.web.replays import tree

    root = ElementTree.fromstring(drawing.svg(film.states[position]))  # noqa: S314  # our own
    plain = next(element for element in root if element.get("class") in {"board", "table"})
    found: list[list[object]] = json.loads(json.dumps(tree("g", plain)[3]))
    return found


def test_playing_on_is_offered_where_the_server_says_how(addresses: dict[str, str], open_page: OpenPage) -> None:
    link = open_page(f"{addresses['continued']}#d=57").page.get_by_role("link", name="Continue from here")
    assert link.get_attribute("href") == "/play?match=abc&at=57"
    assert open_page(f"{addresses[TONGIAKI]}#d=57").page.get_by_role("link").count() == 0


def test_the_position_and_a_link_to_it_are_copied(addresses: dict[str, str], open_page: OpenPage, tmp_path: Path) -> None:
    watched = open_page(f"{addresses[TONGIAKI]}#d=30")
    page = watched.page
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.get_by_role("button", name="Copy the position").click()
    page.wait_for_function("window.copied")
    assert page.evaluate("copied") == reel(TONGIAKI).states[30].text.rstrip("\n") + "\n"
    page.keyboard.press("l")
    page.wait_for_function("copied.startsWith('file:')")
    assert page.evaluate("copied") == f"{watched.address}#d=30"
    page.evaluate("navigator.clipboard.writeText = async () => { throw new Error('no'); }")
    page.keyboard.press("c")
    page.wait_for_function("getSelection().toString().startsWith('tongiaki')")
