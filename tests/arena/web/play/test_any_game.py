"""Pages for a game that brings nothing but its rules, for one that does not work, and for one that is not installed any more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.spec.spec import make_spec
from tests.arena.made_games import BROKEN, FACTS, NAME, TITLE, installed
from tests.arena.web.competition import play, visitor
from tests.arena.web.conftest import DESK, INSIDE, PHONE, OpenPage, fits, wait_until
from tests.arena.web.hosting import make_ladder, make_token, matches_of, served, settings_for, sign_in
from tests.arena.web.play.test_play import TABLE, begin, decide

CUP = "cup of nobody"
MISSING = f"it was played with the game &#39;{NAME}&#39; of nobody 1.0, which is not installed; pip install &#39;nobody==1.0&#39;"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder of one of our own games, and a tournament of nobody's."""
    path = tmp_path_factory.mktemp("any") / "any.db"
    make_ladder(path)
    facts = {"name": CUP, "game": NAME, "seed": 5, "options": {"numbers": 40}, "bots": ["random", "greedy"]}
    with installed():
        play(path, make_spec({**facts, "schedule": {"tables": [2], "blocks": 1}}, "test"))
    return path


@pytest.fixture
def server(db: Path) -> Iterator[str]:
    with installed(FACTS, BROKEN), served(settings_for(db)) as address:
        yield address


def test_forms_list_every_game_with_its_seats_and_options(db: Path) -> None:
    with installed(FACTS, BROKEN), visitor(db, allow_play=True, allow_submissions=True) as client:
        text = client.get("/play").text
        for part in (
            f'<label for="game-{NAME}">{TITLE} <small>2 to 8 players</small></label>',
            f'name="{NAME}.numbers" maxlength="200" placeholder="300"',
            '" selected>quite calm</option>',
            '<option value="5">5, resources</option>',
            'id="seat7"',
        ):
            assert part in text
        assert "sunda.resources" not in text, "there is nothing to choose"
        sign_in(client, make_token(db))
        assert f'<option value="{NAME}">{TITLE}</option>' in client.get("/submit").text


def test_the_viewer_walks_through_a_replay(db: Path, server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/m/{matches_of(db, CUP)[0].id}", server=server, size=PHONE).page
    page.wait_for_selector(".arena-viewer .scrub")
    page.keyboard.press("End")
    assert "-0.5" in page.inner_text(".strip")
    assert page.locator(".arena-board text").count() >= 2
    assert fits(page, PHONE[0])


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_a_whole_match_by_searching_the_legal_moves_by_keyboard(server: str, size: tuple[int, int], open_page: OpenPage) -> None:
    page = open_page(f"{server}/play", server=server, size=size).page
    page.check(f"#game-{NAME}")
    assert page.is_visible("#seat7")
    for seat, who in ((1, "me"), (0, ""), (2, "random")):
        page.select_option(f"#seat{seat}", who)
    begin(page)
    assert page.inner_text(".ask .dim") == "300 of 300; the first 200 are shown, search for the others"
    page.fill(".ask input[type=search]", "NAME 29")
    page.evaluate(f"{TABLE}.choosing.show({TABLE}.sight.offers, {TABLE}.sight.at)")  # as when somebody else does something
    assert page.inner_text(".ask .dim") == "13 of 300"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(f"{INSIDE}.activeElement.dataset.choice") == "name 129"
    page.keyboard.press("Enter")
    page.wait_for_selector("button:has-text('Confirm')")
    page.keyboard.press("Enter")
    wait_until(page, f"{TABLE}.sight.at >= 1")
    assert "name 129" in page.inner_text(".told")
    while decide(page):
        pass
    assert fits(page, size[0])


def test_where_a_game_is_not_installed_lists_are_as_they_were_and_its_pages_say_so(db: Path) -> None:
    match = matches_of(db, CUP)[0].id
    with visitor(db, allow_play=True, allow_submissions=True) as client:
        for path in ("/", "/bots", "/bots/greedy", "/play", "/submit", "/api/v1/tournaments", f"/t/{CUP}/matches"):
            answer = client.get(path)
            assert (answer.status_code, CUP in answer.text or path in {"/bots", "/play", "/submit"}) == (200, True), path
        for path in ("", "/head-to-head", "/about", "/bots/greedy"):
            answer = client.get(f"/t/{CUP}{path}")
            assert (answer.status_code, MISSING in answer.text, "any.db" in answer.text) == (501, True, False), path
        assert MISSING in client.get(f"/m/{match}").text
        assert client.get(f"/play?match={match}&at=1").status_code == 501
