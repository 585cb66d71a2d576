"""The server: connections that are set up, never end or are no HTTP, names by which it is asked, a table that nobody looks at."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.testclient import TestClient

from arena.web.app import make_app
from arena.web.serving import make_server
from leaderboard.storage.store import Store
from tests.arena.web.hosting import apart, make_ladder, served, settings_for
from tests.world import wait_for

UNFINISHED = b"POST /play HTTP/1.1\r\nHost: testserver\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\n"


def stopped(db: Path, visit: Callable[[socket.socket], Awaitable[None]], *, patience: int) -> int:
    """How many connections a server has left that was told to stop after a visit, given so many seconds to finish requests."""
    Store.create(db).close()

    async def serve() -> uvicorn.Server:
        server = make_server(settings_for(db))
        server.config.timeout_graceful_shutdown = patience
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            await server.startup([listener])
            with socket.create_connection(listener.getsockname()) as visitor:
                await visit(visitor)
                await server.shutdown([listener])
        return server

    return len(apart(serve()).server_state.connections)


@pytest.mark.parametrize("turns", range(5))
def test_a_connection_that_is_being_set_up_is_closed_at_once(turns: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def come(_: socket.socket) -> None:
        for _turn in range(turns):
            await asyncio.sleep(0)

    with caplog.at_level(logging.ERROR):
        assert stopped(tmp_path / "t.db", come, patience=60) == 0
    assert caplog.messages == []  # nothing had to be waited for


def test_a_request_that_never_ends_is_cut_off(tmp_path: Path) -> None:
    async def ask(visitor: socket.socket) -> None:
        visitor.sendall(UNFINISHED)
        await asyncio.sleep(0.1)

    assert stopped(tmp_path / "t.db", ask, patience=0) == 0


LINE = b"GET /help HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: %s\r\n\r\n"

NO_HTTP = [
    b"\x00\x01\x02\r\n\r\n",
    b"GET /help HTTP/1.1\r\nHost: localhost\r\n\r\n\x00\xff no request\r\n\r\n",
    b"GET /help HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    b"POST /play HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n",
    b"GET /help HTTP/1.0\r\n\r\n\x00\x01\r\n\r\n",
    LINE % (b"a" * 70_000) + b"\x00" * 70_000,
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    db = tmp_path_factory.mktemp("connections") / "empty.db"
    Store.create(db).__exit__()
    with served(settings_for(db, allow_play=False, allow_submissions=False)) as url:
        yield "127.0.0.1", int(url.rpartition(":")[2])


def answer(address: tuple[str, int], sent: bytes) -> bytes:
    """What comes back until the server closes."""
    with socket.create_connection(address, 60) as connection:
        try:
            connection.sendall(sent)
            return b"".join(iter(lambda: connection.recv(65536), b""))
        except ConnectionError:
            return b""


@pytest.mark.parametrize("sent", NO_HTTP)
def test_what_is_no_http_leaves_no_traceback(
    address: tuple[str, int], sent: bytes, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    answer(address, sent)
    assert answer(address, LINE % b"").startswith(b"HTTP/1.1 200")
    assert (caplog.text, capfd.readouterr().err) == ("", "")


@pytest.mark.parametrize(
    ("bound", "names", "known", "unknown"),
    [
        (
            "192.168.1.5",
            ("Arena.example.org",),
            ["localhost:8000", "[::1]:1", "192.168.1.5", "arena.example.org:443"],
            ["evil.example", "192.168.1.6", "a@localhost", "localhost:x", "[::1"],
        ),
        ("fd00::5", (), ["[fd00::5]:8000"], ["[fd00::6]", "fd00::5"]),
        ("127.0.0.1", ("*",), ["anything"], []),
    ],
)
def test_names_that_lead_here_from_elsewhere_are_none_of_this_server(
    tmp_path: Path, bound: str, names: tuple[str, ...], known: list[str], unknown: list[str]
) -> None:
    Store.create(tmp_path / "x.db").close()
    client = TestClient(make_app(settings_for(tmp_path / "x.db", bound=bound, host_names=names)))
    codes = [client.get("/healthz", headers={"host": each}).status_code for each in (*known, *unknown)]
    assert codes == [200] * len(known) + [400] * len(unknown)


def test_a_match_that_nobody_looks_at_is_paused_and_gives_its_room_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passed = 0.0
    monkeypatch.setattr("arena.web.play.table.running_time", lambda: time.monotonic() + passed)
    monkeypatch.setattr("arena.web.play.table._LOOK_SECONDS", 0.1)
    db = tmp_path / "idle.db"
    make_ladder(db)
    with TestClient(make_app(settings_for(db, idle_seconds=100.0, tables_of_one=1, visitors=1))) as client:
        made = client.post("/play", data={"game": "tongiaki", "seat": ["me", "random"]}, follow_redirects=False)
        assert client.post("/play", data={"game": "tongiaki", "seat": ["me", "random"]}).status_code == 429
        for _ in range(6):  # it stays as long as somebody looks
            passed += 50.0
            assert client.get(f"{made.headers['location']}/state").json()["stage"] == "playing"
        passed += 100.0
        wait_for(lambda: not client.app.state.tables._busy())  # type: ignore[attr-defined]
        assert client.post("/play", data={"game": "tongiaki", "seat": ["me", "person"]}, follow_redirects=False).status_code == 303
        assert client.get(f"{made.headers['location']}/state").json()["paused"]
