"""Tables of two servers on one database: whichever a request reaches, it is answered as if there were one."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient

from arena.web.app import make_app
from arena.web.play import pages, relay
from leaderboard.storage.store import Store
from tests.arena.web.competition import OVER
from tests.arena.web.conftest import OpenPage, wait_until
from tests.arena.web.hosting import served, settings_for
from tests.arena.web.play.test_play import decide, sit_down
from tests.arena.web.visits import Visit


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "tables.db"
    Store.create(path).close()
    return path


@pytest.fixture
def servers(db: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[TestClient, TestClient]]:
    """The server that plays the tables, and another one."""
    monkeypatch.setattr(relay, "_IDLE_LOOK", 0.02)
    settings = settings_for(db, tables_of_one=3)
    with TestClient(make_app(settings)) as first, TestClient(make_app(settings)) as second:
        assert first.get("/play").status_code == 200
        yield first, second


class Alternating(Visit):
    """A browser whose requests go to one server and the other in turn."""

    def __init__(self, first: TestClient, second: TestClient) -> None:
        super().__init__(first)
        self._others = [TestClient(each.app, follow_redirects=False, cookies=self.browser.cookies) for each in (second, first)]

    def _next(self) -> Any:
        other = self._others.pop(0)
        other.cookies = self.browser.cookies
        self._others.append(self.browser)  # type: ignore[arg-type]
        self.browser = other
        return other

    def get(self, path: str) -> Any:
        self._next()
        return super().get(path)

    def post(self, what: str, data: dict[str, Any] | None = None, **body: Any) -> Any:
        self._next()
        return super().post(what, data, **body)

    def state(self) -> Any:
        self._next()
        return super().state()


@pytest.mark.slow  # plays a whole match
def test_a_match_of_two_people_whose_requests_go_to_both_servers_in_turn(servers: tuple[TestClient, TestClient], db: Path) -> None:
    first, second = servers
    maui = Alternating(first, second)
    maui._next()
    maui.make("me", "person")
    hina = Alternating(second, first)
    hina.address = maui.address
    joined = hina.post("join", data={"name": "Hina"})
    assert [joined.status_code, sorted(hina.browser.cookies)] == [303, ["player", "player-name"]]
    assert "Hina" in maui.get(maui.address).text
    assert maui.post("start").status_code == 204
    for number in range(3):
        (maui, hina)[maui.until(lambda state: state.get("asked"))["asked"][0]].move()
        assert hina.post("chat", text=f"line {number}").status_code == 204
    assert [line["text"] for line in maui.state()["chat"]] == ["line 0", "line 1", "line 2"]
    assert [maui.get("/play/mine.json").json()["tables"][0]["address"] for _ in range(2)] == [maui.address] * 2
    assert hina.post("move", at=0, move="nothing").status_code == 409
    hina.post("resign")
    over = maui.resign()
    assert [seat["name"] for seat in over["seats"]] == ["Maui", "Hina"]
    again = {maui.post("rematch").json()["address"] for _ in range(2)}
    assert len(again) == 1


def test_limits_of_tables_count_those_of_all_servers(servers: tuple[TestClient, TestClient]) -> None:
    maui = Alternating(*servers)
    for _ in range(3):
        maui._next()
        maui.make("me", "person")
    answers = [maui.post("/play", data={"game": "tongiaki", "seat": ["me", "person"]}) for _ in range(2)]
    assert [each.status_code for each in answers] == [429, 429]


def test_all_servers_broadcast_the_same_match(competition: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "_IDLE_LOOK", 0.02)
    db = Path(shutil.copy(competition, tmp_path / "one.db"))
    with TestClient(make_app(settings_for(db))) as first, TestClient(make_app(settings_for(db))) as second:
        shown = [client.get(f"/t/{OVER}/live.json").json() for client in (first, second)]
    assert shown[0]["match"] == shown[1]["match"]
    assert shown[0]["started"] < shown[1]["started"]


def test_a_path_prefix_is_kept_between_servers(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "_IDLE_LOOK", 0.02)
    settings = settings_for(db, prefix="/arena")
    with TestClient(make_app(settings)) as first, TestClient(make_app(settings)) as second:
        first.get("/arena/play")
        seats = {"game": "tongiaki", "seat": ["me", "person"]}
        made = second.post("/arena/play", data=seats, follow_redirects=False)
        table = made.headers["location"]
        assert table.startswith("/arena/play/t/")
        assert made.headers["set-cookie"].count("Path=/arena/play;") == 1
        assert second.get("/arena/play/mine.json").json()["tables"][0]["address"] == table


def test_errors_of_the_other_server_come_as_they_are(servers: tuple[TestClient, TestClient]) -> None:
    for address in ("/play/t/nothing", "/play?match=nothing", "/play/t/nothing/state"):
        first, second = (each.get(address, headers={"accept": "text/html"}) for each in servers)
        assert (first.status_code, first.text) == (second.status_code, second.text)
    maui = Visit(servers[1]).make("me", "person")
    evil = maui.browser.post(f"{maui.address}/resign", headers={"origin": "https://evil.example"})
    assert evil.status_code == 403


def test_no_row_has_the_secret_of_a_browser(servers: tuple[TestClient, TestClient], db: Path) -> None:
    first, second = servers
    first.app.state.relay.close()  # type: ignore[attr-defined]  # it answers nothing any more
    secret = "s" * 32
    asking = TestClient(second.app, cookies={"player": secret, "player-name": "Maui"}, follow_redirects=False)
    thread = threading.Thread(target=lambda: asking.get("/play/mine.json"))
    thread.start()
    until = time.monotonic() + 60
    rows: list[tuple[bytes]] = []
    while not rows and time.monotonic() < until:
        with closing(sqlite3.connect(db)) as connection:
            rows = connection.execute("SELECT request FROM play_request").fetchall()
    [(request,)] = rows
    assert b"player-name=Maui" in request
    assert secret.encode() not in request
    second.app.state.relay.close()  # type: ignore[attr-defined]
    thread.join(60)


def test_a_visitor_is_told_when_the_server_with_the_tables_does_not_answer(
    servers: tuple[TestClient, TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "ANSWER_SECONDS", 0.1)
    first, second = servers
    first.app.state.relay.close()  # type: ignore[attr-defined]
    answer = second.get("/play/mine.json")
    assert answer.status_code == 503
    assert answer.json() == {"error": "The server that plays the tables does not answer; try again in a moment."}


@pytest.mark.slow  # a browser
def test_a_match_in_a_browser_at_a_server_without_the_tables(db: Path, open_page: OpenPage) -> None:
    settings = settings_for(db)
    with served(settings) as first, served(settings) as second:
        httpx2.get(f"{first}/play")
        page = open_page(f"{second}/play", server=second).page
        sit_down(page, "tongiaki", ["me", "random"])
        for _ in range(5):
            assert decide(page)
        state = httpx2.get(page.url.replace(second, first) + "/state").json()
        assert state["at"] > 5
        page.goto(f"{second}/play")
        wait_until(page, "document.getElementById('my-tables').textContent === 'Your turn'")


@pytest.mark.slow  # two servers with streams
def test_streams_of_a_server_without_the_tables(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_LOOK_AGAIN", 10**6)  # only news make it look
    settings = settings_for(db)
    with served(settings) as first, served(settings) as second, ExitStack() as closing_at_end:
        httpx2.get(f"{first}/play")
        maui = closing_at_end.enter_context(Visit(second).make("me", "person"))
        heard: dict[str, list[str]] = {"table": [], "lobby": []}

        def listen(which: str, path: str) -> None:
            with httpx2.stream("GET", f"{second}{path}", timeout=60, cookies=maui.browser.cookies) as events:
                for line in events.iter_lines():
                    if line.startswith("data:"):
                        heard[which].append(line)

        def until(which: str, number: int) -> None:
            end = time.monotonic() + 60
            while len(heard[which]) < number:
                assert time.monotonic() < end, heard
                time.sleep(0.02)

        threading.Thread(target=listen, args=("lobby", "/play/events"), daemon=True).start()
        until("lobby", 1)
        hina = closing_at_end.enter_context(Visit(first, maui.address))
        hina.post("join", data={"name": "Hina"})
        until("lobby", 2)
        threading.Thread(target=listen, args=("table", f"{maui.address}/events"), daemon=True).start()
        until("table", 1)
        assert maui.post("chat", text="go").status_code == 204
        until("table", 2)
        maui.post("start")
        maui.move()
        until("table", 3)
        assert "playing" in heard["table"][-1]
        assert httpx2.get(f"{second}/play/t/nothing/events").status_code == 404
