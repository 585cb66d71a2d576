"""A server whose pages are all below a path: every address that a page, a script or an answer names is below it, and nothing is outside."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag

import pytest
from fastapi.testclient import TestClient

from arena.cli.bots.uploading import pack_bot, send
from arena.web.app import make_app
from arena.web.settings import CheckSettings, is_prefix
from tests.arena.web.hosting import BOT, make_ladder, make_token, settings_for, sign_in
from tests.arena.web.visits import Visit

ROOT = "/arena"
MOST = 3
"""Pages of each kind, such as matches, that are requested."""


class Addresses(HTMLParser):
    """Every attribute of a page that is an address on this host, whatever its name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {value for _, value in attrs if value and value.startswith("/")}
        self.found |= {f"/{value.split('/', 3)[3]}" for _, value in attrs if value and value.startswith(("http://", "https://"))}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    db = tmp_path_factory.mktemp("prefix") / "league.db"
    make_ladder(db)
    settings = settings_for(db, prefix=ROOT, requests_per_minute=10**6, analyses=True, checks=CheckSettings(at_once=0))
    with TestClient(make_app(settings), headers={"accept": "text/html"}) as made:
        yield made


@pytest.mark.slow  # asks for a page of every kind
def test_no_address_of_any_page_leaves_the_prefix(client: TestClient) -> None:  # two seconds, for a hundred pages
    waiting, known, visits = deque([f"{ROOT}/", f"{ROOT}/t/nowhere"]), {f"{ROOT}/"}, Counter[str]()
    while waiting:
        address = waiting.popleft()
        kind = re.sub(r"/[0-9a-f]{16}\b|/(random|greedy|spoiler)\b", "/ID", address.partition("?")[0])
        visits[kind] += 1
        if visits[kind] > MOST or kind.endswith("/events"):
            continue
        answer = client.get(address, follow_redirects=False)
        assert answer.status_code in {200, 202, 303, 307, 404, 405}, address  # 202: an analysis under way; 405: the action of a form
        found = {answer.headers["location"].removeprefix("http://testserver")} if "location" in answer.headers else set()
        media_type = answer.headers.get("content-type", "")
        if media_type.startswith("text/html"):
            found |= Addresses(answer.text).found
        if "json" in media_type:
            found |= set(re.findall(r'": ?"(/[^"]*)"', answer.text))
        assert {each for each in found if not each.startswith(f"{ROOT}/") and each != ROOT} == set(), address
        fresh = {urldefrag(each).url.replace("{d}", "1") for each in found} - known
        known |= fresh
        waiting += sorted(fresh)
    assert {
        f"{ROOT}/{each}" for each in ("play", "submit", "api", "t/league/matches", "m/ID", "m/ID/viewer.json", "bots/ID")
    } <= visits.keys()


def test_forms_redirects_cookies_and_json_of_a_table_stay_below_it(client: TestClient) -> None:
    seats = {"game": "tongiaki", "seat": ["me", "random"], "name": "Maui"}
    made = client.post(f"{ROOT}/play", data=seats, follow_redirects=False)
    table = made.headers["location"]
    assert table.startswith(f"{ROOT}/play/t/")
    assert made.headers["set-cookie"].count(f"Path={ROOT}/play;") == 2
    assert [each["address"] for each in client.get(f"{ROOT}/play/mine.json").json()] == [table]

    visit = Visit(client, table)
    visit.browser.cookies = client.cookies
    visit.resign()
    again = visit.post("rematch").json()["address"]
    assert again.startswith(f"{ROOT}/play/t/")
    assert visit.state()["rematch"] == again


def test_a_bot_is_submitted_below_it_by_form_and_by_program(client: TestClient, tmp_path: Path) -> None:
    db = Path(client.app.state.settings.db)  # type: ignore[attr-defined]
    sign_in(client, make_token(db, "Ana"), ROOT)
    form = {"name": "by-form", "ladder": "league"}
    sent = client.post(f"{ROOT}/submit", data=form, files={"file": ("bot.py", BOT)}, follow_redirects=False)
    assert sent.headers["location"].startswith(f"{ROOT}/submit/")
    assert client.get(f"{ROOT}/api/openapi.json").json()["servers"] == [{"url": ROOT}]

    token = {"authorization": f"Bearer {make_token(db, 'Bo')}"}
    bot = tmp_path / "bot.py"
    bot.write_bytes(BOT)
    program = TestClient(client.app, base_url=f"http://testserver{ROOT}", headers=token)
    assert send(program, pack_bot(str(bot)), "by-program", "league", "")["name"] == "by-program"


def test_what_may_be_a_prefix() -> None:
    texts = ("/arena", "/a/b-1", "arena", "/a b", "/a/../b", "/..", "//a", "/é", "")
    assert [each for each in texts if is_prefix(each)] == ["/arena", "/a/b-1"]
