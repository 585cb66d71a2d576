"""Every kind of page in a browser: axe's rules, contrast, targets, one heading, no page wider than its window, and names of every kind."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from benchmarks.web_data import HOSTILE, kinds_of_pages, make_database
from tests.arena.web.conftest import OpenPage
from tests.arena.web.every_page import DESK, NOT_OURS, problems_of
from tests.arena.web.hosting import served, settings_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

PARTS = 3


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
        problems = [*problems_of(page), *untold(page)]
        found |= {kind: problems} if problems else {}
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
        problems = [*problems_of(page), *untold(page)]
        found |= {kind: problems} if problems else {}
        page.context.clear_cookies()
    assert found == {}
    watched.complaints[:] = [each for each in watched.complaints if NOT_OURS not in each]


def untold(page: Page) -> list[str]:
    """What those who link to the page are not told."""
    wanted = ["title", "meta[name=description]", "meta[property='og:title']", "meta[property='og:description']"]
    found = {each: page.locator(f"head {each}").count() for each in wanted}
    return [f"{number} of {each}" for each, number in found.items() if number != 1]
