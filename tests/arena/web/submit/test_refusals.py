"""A request that is refused is answered, also to a client that reads nothing before it has sent everything."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.web.app import make_app
from tests.arena.web.hosting import make_ladder, served, settings_for

SIZE = 2 << 20


def sent_whole(port: int, host: str = "localhost") -> bytes:
    """What the server answers to a client that sends a large body, and reads only then."""
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        head = f"POST /api/v1/submissions HTTP/1.1\r\nHost: {host}\r\nContent-Type: text/plain\r\nContent-Length: {SIZE}\r\n\r\n"
        connection.sendall(head.encode())
        for _ in range(SIZE >> 16):
            connection.sendall(b"x" * (1 << 16))
        answer = b""
        while data := connection.recv(1 << 16):
            answer += data
    return answer


@pytest.mark.slow  # sends more than a server takes
def test_a_body_that_is_too_large_is_answered_before_the_connection_is_closed(db: Path) -> None:
    with served(settings_for(db, upload_limit=1 << 20)) as address:
        port = int(address.rpartition(":")[2])
        answers = [sent_whole(port) for _ in range(2)]
        misnamed = sent_whole(port, "evil.example")
    for answer in answers:
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert answer.endswith(b"A request may have at most 1048576 bytes; nothing was stored.\n")
    assert misnamed.startswith(b"HTTP/1.1 400 ")


def test_the_size_of_a_submission_is_the_hosts_choice_for_the_server_and_for_a_ladder(tmp_path: Path) -> None:
    make_ladder(tmp_path / "large.db", rounds=1, runtime={"bundle": "6 MiB"})
    for limit, most in ((8 << 20, 8 << 20), (4 << 20, 6 << 20)):
        with TestClient(make_app(settings_for(tmp_path / "large.db", upload_limit=limit))) as client:
            assert client.get("/api/v1/limits").json()["upload_bytes"] == most
            codes = [client.post("/api/v1/submissions", content=b"x" * size).status_code for size in (most, most + 1)]
        assert codes == [401, 413]
