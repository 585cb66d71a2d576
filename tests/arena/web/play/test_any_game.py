"""Pages for a game that brings nothing but its rules, for one that does not work, and for one that is not installed any more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from arena.spec.spec import make_spec
from arena.web.viewer.documents import document_of
from engine.replay.format import read_replay
from engine.replay.verifier import timeline_of
from leaderboard.storage.store import Store
from tests.arena.made_games import BROKEN, FACTS, NAME, TITLE, installed
from tests.arena.web.competition import play
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


@pytest.fixture(scope="module")
def match(db: Path) -> str:
    """A match of nobody's game."""
    return matches_of(db, CUP)[0].id


@pytest.fixture(scope="class")
def server(db: Path) -> Iterator[str]:
    with installed(FACTS, BROKEN), served(settings_for(db)) as address:
        yield address


@pytest.fixture(scope="class")
def bare_server(db: Path) -> Iterator[str]:
    """A server on which nobody's game is not installed."""
    with served(settings_for(db)) as address:
        yield address


def page_of(address: str) -> tuple[int, str]:
    answer = httpx2.get(address, headers={"accept": "text/html"}, timeout=30, verify=False)
    return answer.status_code, answer.text


class TestNothingButRules:
    def test_forms_list_every_game_with_its_seats_and_options(self, server: str, db: Path) -> None:
        status, text = page_of(f"{server}/play")
        assert status == 200
        assert f'name="game" value="{NAME}" data-most="8">' in text
        assert f'<label for="game-{NAME}">{TITLE} <small>2 to 8 players</small></label>' in text
        assert f'name="{NAME}.numbers" maxlength="200" placeholder="300"' in text
        assert '" selected>quite calm</option>' in text
        assert '<option value="5">5, resources</option>' in text
        assert 'id="seat7"' in text
        with httpx2.Client(base_url=server, verify=False) as client:
            sign_in(client, make_token(db))
            assert f'<option value="{NAME}">{TITLE}</option>' in client.get("/submit").text

    def test_a_replay_has_its_facts_and_points_though_there_are_none_to_tell(self, db: Path, match: str) -> None:
        with installed(), Store.read(db) as store:
            document = document_of(timeline_of(read_replay(store.replay(match))))
        assert document.frames[0].facts == []
        assert {number for frame in document.frames for column in frame.columns or [] for number in column} >= {-0.5}

    @pytest.mark.parametrize("size", [DESK, PHONE])
    def test_the_viewer_walks_through_a_replay(self, server: str, match: str, size: tuple[int, int], open_page: OpenPage) -> None:
        page = open_page(f"{server}/m/{match}", server=server, size=size).page
        page.wait_for_selector(".arena-viewer .scrub")
        page.keyboard.press("End")
        assert "-0.5" in page.inner_text(".strip")
        assert page.locator(".arena-board text").count() >= 2
        assert fits(page, size[0])

    @pytest.mark.parametrize("size", [DESK, PHONE])
    def test_the_legal_moves_are_searched_by_keyboard(self, server: str, size: tuple[int, int], open_page: OpenPage) -> None:
        page = open_page(f"{server}/play", server=server, size=size).page
        page.check(f"#game-{NAME}")
        assert page.is_visible("#seat7")
        page.select_option("#seat1", "me")
        page.select_option("#seat0", "")
        page.select_option("#seat2", "random")
        begin(page)
        assert page.inner_text(".ask .dim") == "300 of 300; the first 200 are shown, search for the others"
        page.fill(".ask input[type=search]", "NAME 29")
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

    def test_the_position_can_be_read_as_text(self, server: str, open_page: OpenPage) -> None:
        page = open_page(f"{server}/play", server=server).page
        page.check("#game-tongiaki")
        assert not page.is_visible("#seat7")
        begin(page)
        page.click("summary:has-text('Position as text')")
        wait_until(page, f"{INSIDE}.querySelector('.prose pre').textContent.startsWith('Seat 1 ')")
        assert "- place 0: " in page.inner_text(".prose pre")
        text = httpx2.get(f"{page.url}/text").text
        assert text.startswith("Seat 1 ")
        assert "- place" not in text


class TestNotInstalled:
    @pytest.mark.parametrize("path", ["/", "/bots", "/bots/greedy", "/play", "/submit", "/api/v1/tournaments", f"/t/{CUP}/matches"])
    def test_lists_are_as_they_were(self, bare_server: str, path: str) -> None:
        status, text = page_of(f"{bare_server}{path}")
        assert status == 200
        if path in {"/", "/bots/greedy", "/api/v1/tournaments"}:
            assert CUP in text

    @pytest.mark.parametrize("path", ["", "/head-to-head", "/about", "/bots/greedy"])
    def test_its_tournament_says_so(self, bare_server: str, path: str) -> None:
        status, text = page_of(f"{bare_server}/t/{CUP}{path}")
        assert status == 501
        assert MISSING in text
        assert "any.db" not in text

    def test_its_replays_say_so(self, bare_server: str, match: str) -> None:
        status, text = page_of(f"{bare_server}/m/{match}")
        assert status == 200
        assert MISSING in text
        assert page_of(f"{bare_server}/play?match={match}&at=1")[0] == 501
