"""Connections: those that are set up, that never end, that are cut off, and what is no HTTP."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.requests import ClientDisconnect
from starlette.testclient import TestClient

from arena.web.app import make_app
from arena.web.serving import make_server
from leaderboard.storage.store import Store
from tests.arena.web.hosting import apart, served, settings_for

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


def test_who_leaves_while_sending_is_not_answered_and_leaves_no_traceback(tmp_path: Path) -> None:
    Store.create(tmp_path / "empty.db").__exit__()
    app = make_app(settings_for(tmp_path / "empty.db"))

    @app.post("/slow")
    async def read_body() -> None:
        raise ClientDisconnect  # what reading the rest of a body raises when nobody is there any more

    app.router.routes.insert(0, app.router.routes.pop())  # before the address of what is not there
    client = TestClient(app)
    with pytest.raises(AssertionError, match="did not receive any response"):  # and not ClientDisconnect, which would be logged
        client.post("/slow")
    assert client.get("/help").status_code == 200
