"""Every kind of page, with names of every kind: what it says of itself and of seats; in a browser also axe's rules and the rest of
``problems_of``."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from benchmarks.web_data import HOSTILE, kinds_of_pages, make_database
from tests.arena.web.competition import visitor
from tests.arena.web.conftest import OpenPage
from tests.arena.web.every_page import DESK, NOT_OURS, problems_of
from tests.arena.web.hosting import served, settings_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

PARTS = 3
NUMBERED = re.compile(r"\b(?:seat|player) (?:\d|no\b)[^<]{0,40}", re.IGNORECASE)
OF_ALL_SEATS = ("API", "rules", "rules of Sunda", "all rules", "help", "play")
"""Pages that speak of seats and players without knowing any."""


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every kind of tournament, with names of forty letters, and with names that nobody may have, put there by hand."""
    path = tmp_path_factory.mktemp("every-page") / "pages.db"
    make_database(path, bots=12)
    with closing(sqlite3.connect(path)) as connection, connection:
        usual = [row[0] for row in connection.execute("select id from bot where length(name) < 40 order by id")]
        for bot, name in zip(usual[1:], HOSTILE, strict=False):
            connection.execute("update bot set name = ? where id = ?", (name, bot))
    return path


@pytest.fixture(scope="module")
def client(db: Path) -> Iterator[TestClient]:
    with visitor(db, allow_play=True, allow_submissions=True) as made:
        yield made


@pytest.fixture(scope="module")
def pages(client: TestClient, db: Path) -> dict[str, str]:
    """The text of a page of every kind."""
    return {kind: client.get(address).text for kind, address in kinds_of_pages(db).items()}


def words_of(page: str) -> str:
    """What a page shows or tells a screen reader: its text and the attributes that are read out; not its filters and numbers of seats."""
    without = re.sub(r"<(script|style|select)\b.*?</\1>", " ", page, flags=re.DOTALL)
    without = re.sub(r'<span class="chip [^>]*>\d</span>', " ", without)  # the number beside a name
    read_out = re.findall(r'(?:aria-label|title|alt|content)="([^"]*)"', without)
    return unescape("\n".join([re.sub(r"<[^>]+>", "\n", without), *read_out]))


@pytest.mark.slow  # asks for a page of every kind
def test_no_page_has_a_seats_number_for_a_name(pages: dict[str, str]) -> None:
    numbered = {kind: NUMBERED.findall(words_of(page)) for kind, page in pages.items() if kind not in OF_ALL_SEATS}
    assert {kind: words for kind, words in numbered.items() if words} == {}


@pytest.mark.slow  # asks for a page of every kind
def test_every_page_says_what_it_is_to_those_who_link_to_it(pages: dict[str, str]) -> None:
    descriptions = set()
    for page in pages.values():
        [description] = re.findall(r'<meta name="description" content="([^"]+)">', page)
        [title] = re.findall(r"<title>([^<]+)</title>", page)
        assert f'<meta property="og:title" content="{title}">' in page
        assert f'<meta property="og:description" content="{description}">' in page
        descriptions.add(description)
    assert len(descriptions) >= len(pages) - 3


@pytest.fixture(scope="module")
def server(db: Path) -> Iterator[str]:
    with served(settings_for(db, visitors=50)) as address:
        yield address


def new_table(page: Page, server: str, game: str, *others: str) -> str:
    """The address of a table at which this browser sits."""
    form = urlencode([("name", HOSTILE[0][:20]), ("game", game), ("seat", "me"), *(("seat", other) for other in others)])
    headers = {"origin": server, "content-type": "application/x-www-form-urlencoded"}
    made = page.context.request.post(f"{server}/play", data=form, headers=headers)
    assert "/play/t/" in made.url, made.text()[:2000]
    return made.url.removeprefix(server)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_can_be_read_and_used(part: int, server: str, db: Path, open_page: OpenPage) -> None:
    watched = open_page(server, server=server, size=DESK, motion="reduce")
    page = watched.page
    kinds = kinds_of_pages(db)
    found: dict[str, list[str]] = {}
    for kind in sorted(kinds)[part::PARTS]:
        answer = page.goto(f"{server}{kinds[kind]}")
        assert answer is not None
        assert answer.status == (404 if kind == "nothing here" else 200), kind
        found |= {kind: problems} if (problems := problems_of(page)) else {}
    assert found == {}
    watched.complaints[:] = [each for each in watched.complaints if NOT_OURS not in each and "404" not in each]


def test_tables_can_be_read_and_used(server: str, open_page: OpenPage) -> None:
    watched = open_page(f"{server}/play", server=server, size=DESK, motion="reduce")
    page = watched.page
    found: dict[str, list[str]] = {}
    for kind, game, others in (
        ("lobby", "tongiaki", ["person"]),
        ("Tongiaki", "tongiaki", ["random", "greedy"]),
        ("Sunda", "sunda", ["random"]),
    ):
        page.goto(server + new_table(page, server, game, *others))
        if kind != "lobby":
            page.locator(".offers .offer, .choices button").first.wait_for(state="attached")
        found |= {kind: problems} if (problems := problems_of(page)) else {}
        page.context.clear_cookies()
    assert found == {}
    watched.complaints[:] = [each for each in watched.complaints if NOT_OURS not in each]
