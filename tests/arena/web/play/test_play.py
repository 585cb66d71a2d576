"""Playing at a table in a real browser: the form, by clicks, by keyboard, on a phone, in the dark; and what a table refuses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.replay.format import read_replay
from engine.replay.verifier import verify_replay
from leaderboard.storage.play_tables import human_match_replay, human_matches
from leaderboard.storage.store import Store
from tests.arena.web.conftest import INSIDE, PHONE, OpenPage, box_of, fits, wait_until
from tests.arena.web.hosting import make_ladder, served, settings_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

TABLE = "document.querySelector('[data-arena-table]').arenaTable"
SHOWN = f"{TABLE}?.sight && !{TABLE}.sending && !{TABLE}.following.isBehind"
READY = f"{SHOWN} && ({TABLE}.sight.offers || ['over', 'closed'].includes({TABLE}.sight.stage))"


def sit_down(page: Page, game: str, seats: list[str], **fields: str) -> None:
    page.fill("#name", "Maui")
    page.check(f"#game-{game}")
    for field, value in fields.items():
        page.select_option(f'[name="{game}.{field}"]', value)
    for number in range(page.locator("[data-seat]:visible").count()):
        page.select_option(f"#seat{number}", seats[number] if number < len(seats) else "")
    begin(page)


def begin(page: Page) -> None:
    """Send the form, and wait for the own turn."""
    page.click("text=Create table")
    hurry(page)
    wait_until(page, READY)


def hurry(page: Page, pace: int = 0) -> None:
    """Show others' moves for only so many milliseconds each."""
    page.wait_for_selector("[data-arena-table]")
    wait_until(page, f"Boolean({TABLE})")
    page.evaluate(f"{TABLE}.following.pace = {pace}")


PICKED = f"JSON.stringify([{TABLE}.choosing.picks, {TABLE}.tray.stack, {TABLE}.tray.place, {TABLE}.tray.taken, {TABLE}.board.view])"
ZOOMED = "Zoomed in: tap a place, or an arrow for those beyond an edge; ⤢ shows the whole board."
BEYOND = f"""(inset) => [...{INSIDE}.querySelectorAll(".offers .offer")].filter((offer) => {{
  const [frame, box] = [{TABLE}.board.svg, offer.querySelector(".dot") ?? offer].map((it) => it.getBoundingClientRect());
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return x < frame.left + inset || y < frame.top + inset || x > frame.right - inset || y > frame.bottom - inset;
}}).length"""
MEASURED = f"""() => {{
  const targets = [...{INSIDE}.querySelectorAll(".offer, .tray button, .acts button, .ask summary")];
  const boxes = targets.map((it) => (it.matches(".small") ? it.querySelector(".reach") : it).getBoundingClientRect());
  const least = Math.min(...boxes.filter(({{ width }}) => width).map(({{ width, height }}) => Math.min(width, height)));
  return [Math.round({INSIDE}.querySelector(".place").getBoundingClientRect().top + scrollY), least];
}}"""
"""Where the board begins on the page, and the least side of what can be touched."""


def decide(page: Page, tops: set[int] | None = None) -> bool:
    """Click on the board if there is something to click, else in the list; tells whether the match goes on.

    With ``tops``, to which the place of the board is added, it touches instead, what is large enough. Each touch does something: it
    picks, or it closes in on places, which the bar says, and which stay in sight.
    """
    wait_until(page, READY)
    if page.evaluate(f"{TABLE}.sight.stage") != "playing":
        return False
    at = page.evaluate(f"{TABLE}.sight.at")
    for _ in range(12):
        if page.evaluate(f"Boolean({TABLE}.choosing.pending)"):
            break
        found = page.evaluate(f"""() => {{
          const tray = {INSIDE}.querySelector(".tray:not([hidden])");
          const stack = tray?.querySelector("[data-pick^=stack]:not(.dim)");
          const item = tray?.querySelector("[data-pick^=item]:not(.dim, [aria-pressed=true])");
          const frame = {TABLE}.board.svg.getBoundingClientRect();
          const inSight = (it) => {{
            const {{ left, right, top, bottom }} = (it.querySelector(".dot") ?? it).getBoundingClientRect();
            return left > frame.left && right < frame.right && top > frame.top && bottom < frame.bottom;
          }};
          const all = [...{INSIDE}.querySelectorAll(".offers .offer:not(:has(.lying.chosen, .laid))")];
          const offers = {"all" if tops is None else "all.filter(inSight)"};
          if (all.length && !offers.length) throw new Error("no place in sight");
          const place = offers[Math.floor(offers.length / 2)] ?? {INSIDE}.querySelector(".ask .choices button") ?? item;
          const next = {TABLE}.tray.active && {TABLE}.tray.stack === null ? stack : {TABLE}.tray.tray?.take ? item : place;
          if ({"true" if tops is None else "false"}) return next.dispatchEvent(new MouseEvent("click", {{ bubbles: true }}));
          (next.ownerSVGElement ?? next).scrollIntoView({{ block: "center" }});
          const {{ x, y, width, height }} = (next.querySelector(".dot") ?? next).getBoundingClientRect();
          return [x + width / 2, y + height / 2, {PICKED}];
        }}""")
        if tops is None:
            continue
        x, y, picked = found
        top, least = page.evaluate(MEASURED)
        tops.add(top)
        assert least >= 32
        page.touchscreen.tap(x, y)
        wait_until(page, f"{PICKED} !== {picked!r}")
        if page.evaluate(f"Boolean({TABLE}.board.narrowed)"):
            beyond = sum(int(each[1:]) for each in page.locator(".board-tools small").all_inner_texts())
            assert page.evaluate(BEYOND, -1) <= beyond <= page.evaluate(BEYOND, 20)
            assert not beyond or page.evaluate(f"Boolean({TABLE}.choosing.pending)") or page.inner_text(".bar .more") == ZOOMED
        assert page.locator(".marked").count() == 0
    page.locator(".acts .confirm").click()
    wait_until(page, f"{TABLE}.sight.at !== {at} || {TABLE}.sight.stage !== 'playing'")
    return True


def test_a_whole_match_by_clicks_is_kept_with_its_replay(db: Path, server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/play", server=server).page
    sit_down(page, "tongiaki", ["me", "random"])
    decisions = 0
    while decide(page):
        decisions += 1
        assert decisions < 500
    wait_until(page, f"{TABLE}.sight.match")
    assert decisions > 10
    match = page.evaluate(f"{TABLE}.sight.match")
    with Store.read(db) as store:
        replay = read_replay(human_match_replay(store, match))
        found = next(each for each in human_matches(store) if each.ticket == match)
    verify_replay(replay)
    assert replay.names == ("Maui", "random")
    assert [seat.name for seat in found.seats] == ["Maui", "random"]
    assert [bool(seat.version) for seat in found.seats] == [False, True]
    assert all(part in page.inner_text(".result") for part in ("1st", "Maui", "random", "Another table"))
    page.click("text=Watch the replay")
    page.wait_for_selector(".arena-viewer .scrub")


def test_from_the_rules_to_the_end_of_a_match_of_sunda_on_a_phone(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/rules/sunda", server=server, size=PHONE, motion="reduce").page
    page.evaluate("document.querySelectorAll('[name=against]').forEach((it) => { it.value = 'random'; })")
    page.get_by_role("button", name="Play now against").focus()
    page.keyboard.press("Enter")
    hurry(page)
    decisions = 0
    tops: set[int] = set()
    while decide(page, tops):
        decisions += 1
        assert decisions < 300
    assert len(tops) == 1, "the board stays where it is"
    assert "1st" in page.inner_text(".result")
    assert fits(page, PHONE[0])
    page.click("text=Watch the replay")
    page.wait_for_selector(".arena-viewer .scrub")


def test_by_keyboard_alone_and_resigning_asks_first(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/play", server=server, motion="reduce").page
    sit_down(page, "tongiaki", ["me", "greedy", "spoiler"])
    assert page.title().startswith("Your turn ")
    page.keyboard.press("3")
    assert page.evaluate(f"{TABLE}.choosing.pending.move") == "place 2"
    assert page.locator(".ghosts .ship").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".ghosts .ship").count() == 0
    for _ in range(6):
        wait_until(page, READY)
        at = page.evaluate(f"{TABLE}.sight.at")
        for _ in range(8):
            if page.evaluate(f"Boolean({TABLE}.choosing.pending)"):
                break
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        wait_until(page, f"{TABLE}.sight.at > {at}")
    page.get_by_role("button", name="Resign…").click()
    dialog = page.get_by_role("dialog", name="Resign")
    dialog.get_by_role("button", name="Go on playing").click()
    dialog.wait_for(state="detached")
    assert page.evaluate(f"{TABLE}.sight.stage") == "playing"
    page.get_by_role("button", name="Resign…").click()
    dialog.get_by_role("button", name="Resign").click()
    wait_until(page, f"{TABLE}.sight.seats.some(({{ fault }}) => fault === 'resigned')")


def test_on_a_phone_by_touch_with_moves_of_others_one_by_one(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/play", server=server, size=PHONE).page
    sit_down(page, "tongiaki", ["me", "greedy", "spoiler"])
    hurry(page, 60)
    for _ in range(3):
        wait_until(page, READY)
        at = page.evaluate(f"{TABLE}.sight.at")
        page.evaluate(f"""() => {{
          const following = {TABLE}.following, {{ show }} = following;
          {TABLE}.shownHere = [];
          following.show = (sight, step) => (show(sight, step), {TABLE}.shownHere.push(sight.at));
        }}""")
        while not page.evaluate(f"Boolean({TABLE}.choosing.pending)"):
            spot = page.evaluate(f"""(() => {{
              const {{ x, y, width, height }} = {INSIDE}.querySelector(".offers .offer")?.getBoundingClientRect() ?? {{}};
              return width ? [x + width / 2, y + height / 2] : null;
            }})()""")
            if spot:
                page.touchscreen.tap(*spot)
        bar = box_of(page.locator(".bar"))
        assert abs(bar["y"] + bar["height"] - PHONE[1]) < 2
        page.locator(".acts .confirm").tap()
        wait_until(page, f"{TABLE}.sight.at > {at} && {READY}")
        seen = page.evaluate(f"[...new Set({TABLE}.shownHere)]")
        assert seen == list(range(seen[0], page.evaluate(f"{TABLE}.sight.at") + 1))
    assert fits(page, PHONE[0])


def test_a_table_can_be_loaded_again_and_joined(server: str, open_page: OpenPage) -> None:
    maker, other = open_page(f"{server}/play", server=server), open_page(f"{server}/play", server=server)
    page = maker.page
    page.fill("#name", "Maui")
    page.check("#game-tongiaki")
    page.select_option("#seat1", "person")
    page.click("text=Create table")
    page.wait_for_selector("text=Others can join at")
    other.page.goto(page.url)
    other.page.fill("#name", "<b>Hina</b>")
    other.page.click("button:has-text('Take this seat')")
    other.page.wait_for_selector(".badge:text-is('you')")
    page.click("text=Start the match")
    other.page.wait_for_selector("[data-arena-table]")
    page.wait_for_selector("[data-arena-table]")
    page.reload()
    wait_until(page, READY)
    assert [page.evaluate(f"{TABLE}.sight.me"), other.page.evaluate(f"{TABLE}.sight?.me ?? 1")] == [0, 1]
    assert decide(page)
    wait_until(other.page, READY)
    assert "<b>Hina</b>" in page.inner_text(".players")


def test_a_restart_of_the_server_loses_neither_the_match_nor_what_was_picked(tmp_path: Path, open_page: OpenPage) -> None:
    db = tmp_path / "restarted.db"
    make_ladder(db)
    with served(settings_for(db)) as address:
        watched = open_page(f"{address}/play", server=address)
        page = watched.page
        sit_down(page, "tongiaki", ["me", "random"])
        assert decide(page)
        wait_until(page, READY)
        page.keyboard.press("1")
        picked = page.evaluate(f"{TABLE}.choosing.pending.move")
        page.evaluate(f"{TABLE}.sent = {TABLE}.sight.at")  # as if the server had accepted a move, and lost it

    page.wait_for_selector(".bar :text('be reached; your match is kept')")
    assert page.locator(".offers .offer").count() == 0
    page.wait_for_selector(".bar :text('The server has not answered for 5 seconds')")
    with served(settings_for(db), port=int(address.rpartition(":")[2])):
        page.wait_for_selector(".bar :text('restarted')")
        wait_until(page, READY)
        assert "fetch" not in page.inner_text(".bar")
        assert page.evaluate(f"{TABLE}.choosing.pending.move") == picked
        assert decide(page)
        page.goto("about:blank")
    watched.complaints.clear()  # the browser's own about the server that is away


def seats(page: Page) -> list[str]:
    return [seat.locator("select").input_value() for seat in page.locator("[data-seat]:visible").all()]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_the_form_is_of_the_chosen_game_and_after_an_error_everything_is_still_filled_in(
    scripts: bool, server: str, open_page: OpenPage
) -> None:
    watched = open_page(f"{server}/play", server=server, size=PHONE, scripts=scripts)
    page = watched.page
    page.check("#game-tongiaki")
    assert (page.get_by_label("Level").is_visible(), len(seats(page))) == (False, 6)
    page.select_option("#seat4", "spoiler")
    page.check("#game-sunda")
    assert seats(page) == (["me", "greedy", "", ""] if scripts else ["me", "greedy", "", "", "spoiler"])
    page.select_option("#seat4", "", force=True)
    page.fill("#name", "Maui <b>")
    page.get_by_label("Level").select_option("3")
    page.get_by_label("Pots").select_option("private")
    for number, chosen in enumerate(["spoiler", "", "", ""]):
        page.select_option(f"#seat{number}", chosen)

    page.click("text=Create table")

    assert "seat" in page.get_by_role("alert").inner_text()
    assert page.input_value("#name") == "Maui <b>"
    assert page.is_checked("#game-sunda")
    assert (page.get_by_label("Level").input_value(), page.get_by_label("Pots").input_value()) == ("3", "private")
    assert seats(page) == ["spoiler", "", "", ""]
    assert fits(page, PHONE[0])
    watched.complaints.clear()  # the status of the answer
