"""Feeds, read by a feed parser: valid, newest first, and with nothing but what pages show."""

from __future__ import annotations

import re
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import feedparser
import pytest
from starlette.testclient import TestClient

from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from tests.arena.web.competition import BOTS, EMPTY, HALF, OVER, visitor

FEEDS = [*(f"/t/{name}/feed.xml" for name in (OVER, HALF, EMPTY)), *(f"/bots/{bot}/feed.xml" for bot in (*BOTS, "walker"))]


@pytest.fixture(scope="module")
def client(db: Path, tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    path = Path(shutil.copy(db, tmp_path_factory.mktemp("feeds") / "league.db"))
    with Store.create(path) as store:
        submit(store, "walker", "1" * 64, None, b"one")
    return visitor(path, title="Islands & <reefs>")


def read(client: TestClient, address: str) -> Any:
    answer = client.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/atom+xml")
    feed = feedparser.parse(answer.content)
    assert (feed.bozo, feed.version) == (False, "atom10")
    return feed


@pytest.mark.parametrize("address", FEEDS)
def test_a_feed_is_valid_and_its_entries_lead_to_pages_newest_first(client: TestClient, address: str) -> None:
    feed = read(client, address)
    assert feed.feed.title.endswith(" - Islands & <reefs>")
    assert feed.feed.author == "Islands & <reefs>"
    assert [each.href for each in feed.feed.links if each.rel == "self"] == [str(client.get(address).url)]
    ids = [feed.feed.id, *(each.id for each in feed.entries)]
    assert len(set(ids)) == len([UUID(each.removeprefix("urn:uuid:")) for each in ids])
    times = [datetime.fromisoformat(each.updated) for each in feed.entries]
    assert times == sorted(times, reverse=True)
    assert datetime.fromisoformat(feed.feed.updated) == max(times, default=datetime.fromisoformat("1970-01-01T00:00:00+00:00"))
    assert all(client.get(each.link).status_code == 200 for each in (feed.feed, *feed.entries[:3]))


def test_the_feed_of_a_tournament_has_results_and_its_end(client: TestClient) -> None:
    over, half = (read(client, f"/t/{name}/feed.xml").entries for name in (OVER, HALF))
    assert sorted({re.split("[:.]", each.title)[0] for each in over}) == [OVER, f"{OVER} is over"]
    assert {each.title.partition(":")[0] for each in half} == {HALF}
    assert len(half) == 4
    assert read(client, f"/t/{EMPTY}/feed.xml").entries == []


def test_the_feed_of_a_bot_has_its_results_and_the_versions_that_passed(client: TestClient) -> None:
    assert [each.title for each in read(client, "/bots/walker/feed.xml").entries] == ["walker@1 has passed its check"]
    ann = read(client, "/bots/ann/feed.xml").entries
    assert all(" ann (" in each.title for each in ann)
    assert {each.title.partition(":")[0] for each in ann} == {OVER, HALF}


def test_pages_name_their_feeds(client: TestClient) -> None:
    for page, feed in ((f"/t/{OVER}", "/t/The%20over%20and%20done/feed.xml"), ("/bots/ann", "/bots/ann/feed.xml")):
        assert f'<link rel="alternate" type="application/atom+xml" href="{feed}">' in client.get(page).text
    assert client.get("/t/nowhere/feed.xml").status_code == 404


def test_addresses_begin_with_the_prefix(db: Path) -> None:
    with visitor(db, prefix="/arena") as client:
        feed = read(client, "/arena/bots/ann/feed.xml")
        assert feed.feed.link == "http://testserver/arena/bots/ann"
        assert feed.entries[0].link.startswith("http://testserver/arena/m/")


def test_what_xml_can_not_contain_is_replaced(db: Path) -> None:
    with visitor(db, title="a\x00\ud800b") as client:
        assert read(client, FEEDS[0]).feed.author == "a\ufffd\ufffdb"
