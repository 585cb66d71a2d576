"""Tables of two servers on one database: whichever a request reaches, it is answered as if there were one."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import httpx2
import pytest
from fastapi.testclient import TestClient

from arena.web.app import make_app
from arena.web.play import pages, relay
from leaderboard.storage.store import Store
from tests.arena.web.hosting import served, settings_for
from tests.arena.web.visits import Visit
from tests.waiting import wait_for


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


def test_limits_of_tables_count_those_of_all_servers(servers: tuple[TestClient, TestClient]) -> None:
    here = Visit(servers[0]).make("me", "person")
    there = here.come_back(servers[1])
    for maui in (here, there):
        maui.make("me", "person")
    answers = [each.post("/play", data={"game": "tongiaki", "seat": ["me", "person"]}) for each in (here, there)]
    assert [each.status_code for each in answers] == [429, 429]
    assert len(here.get("/play/mine.json").json()["tables"]) == len(there.get("/play/mine.json").json()["tables"]) == 3


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
    with closing(sqlite3.connect(db)) as connection:
        wait_for(lambda: connection.execute("SELECT count(*) FROM play_request").fetchone() == (1,))
        [(request,)] = connection.execute("SELECT request FROM play_request")
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


@pytest.mark.slow  # two servers with streams
def test_streams_of_a_server_without_the_tables(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_LOOK_AGAIN", 10**6)  # only news make it look
    settings = settings_for(db)
    with served(settings) as first, served(settings) as second, ExitStack() as closing_at_end:
        httpx2.get(f"{first}/play", verify=False)
        maui = closing_at_end.enter_context(Visit(second).make("me", "person"))
        heard: dict[str, list[str]] = {"table": [], "lobby": []}

        def listen(which: str, path: str) -> None:
            with httpx2.stream("GET", f"{second}{path}", timeout=60, cookies=maui.browser.cookies) as events:
                for line in events.iter_lines():
                    if line.startswith("data:"):
                        heard[which].append(line)

        def until(which: str, number: int) -> None:
            wait_for(lambda: len(heard[which]) >= number)

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
        assert httpx2.get(f"{second}/play/t/nothing/events", verify=False).status_code == 404
