"""What comes over a connection and is no HTTP, and who leaves in the middle."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.requests import ClientDisconnect
from starlette.testclient import TestClient

from arena.web.app import make_app
from leaderboard.storage.store import Store
from tests.arena.web.hosting import served, settings_for

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
