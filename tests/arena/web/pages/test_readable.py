"""Tables that are not cut off, and what is said of pages elsewhere; what holds of every page is in ``test_every_page``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from arena.web.rendering.static_files import content
from tests.arena.web.competition import HALF, OVER, make_competition, play, settings_of, spec_of, visitor
from tests.arena.web.conftest import PHONE, OpenPage, box_of
from tests.arena.web.hosting import matches_of, served

if TYPE_CHECKING:
    pass

T = f"/t/{quote(OVER)}"
LONG = "a-name-of-forty-letters-as-is-allowed-xy"
DESKS = [(1280, 720), (1440, 900), (1920, 1080)]


@pytest.fixture(scope="module")
def long_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readable")
    path = make_competition(folder)
    spec = spec_of(folder, "long", tables=[2], blocks=2)
    named = tuple(bot.model_copy(update={"name": LONG}) if bot.name == "bob" else bot for bot in spec.bots)
    play(path, spec.model_copy(update={"bots": named}))
    return path


@pytest.fixture(scope="module")
def server(long_db: Path) -> Iterator[str]:
    with served(settings_of(long_db, allow_play=True)) as address:
        yield address


@pytest.fixture(scope="module")
def match(competition: Path) -> str:
    """A match in which a bot failed."""
    return next(each.id for each in matches_of(competition, OVER) if any(seat.fault for seat in each.seats))


@pytest.fixture(scope="module")
def client(competition: Path) -> Iterator[TestClient]:
    with visitor(competition, allow_play=True) as made:
        yield made


def test_standings_show_all_their_columns(server: str, open_page: OpenPage) -> None:
    page = open_page(server, server=server).page
    for tournament, (width, height) in product((quote(OVER), "long"), DESKS):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{server}/t/{tournament}")
        assert page.evaluate("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.getElementById('board'))") == 0
        assert box_of(page.locator("#standings th").first)["width"] >= 100


def test_a_phone_shows_a_card_for_each_bot(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/t/long", server=server, size=PHONE).page

    page.get_by_label("More figures").check()
    for words in (LONG, "rating", "matches", "wins", "faults"):
        row = page.locator("#standings tr", has_text=LONG)
        box = box_of(row.locator("th" if words == LONG else f"[data-label='{words}']"))
        assert box["width"] >= (80 if words == LONG else 10), words
        assert box["x"] + box["width"] <= PHONE[0], words


def test_a_phone_shows_faults_without_scrolling_sideways(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}{T}/about", server=server, size=PHONE).page
    boxes = [box_of(cell) for cell in page.locator(".stacked td:visible").all()]
    assert len(boxes) > 5
    assert all(box["x"] + box["width"] <= PHONE[0] for box in boxes)


def test_a_replay_does_not_tell_its_outcome_in_advance(client: TestClient, match: str) -> None:
    [description] = re.findall(r'<meta name="description" content="([^"]+)">', client.get(f"/m/{match}").text)

    assert not re.search(r"\d", description)


def test_static_files_are_kept_for_good_under_the_address_that_pages_use(client: TestClient, match: str) -> None:
    text = "".join(client.get(address).text for address in (f"/m/{match}", "/play", f"/t/{HALF}"))
    used = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', text))

    assert {address.rpartition("/")[2] for address in used} >= {
        "site.css",
        "viewer.css",
        "viewer_element.js",
        "board.js",
        "lobby.js",
        "live.js",
    }
    for address in used:
        assert client.get(address).headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("name", ["style.css", "0123456789ab/style.css", "site.css", "0123456789ab/site.css", "viewer.js"])
def test_any_other_address_of_a_static_file_is_revalidated(client: TestClient, name: str) -> None:
    first = client.get(f"/static/{name}")
    again = client.get(f"/static/{name}", headers={"if-none-match": first.headers["etag"]})

    assert (first.headers["cache-control"], again.status_code) == ("no-cache", 304)
    assert first.content == content(name.rpartition("/")[2])
