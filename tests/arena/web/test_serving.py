"""A server that stops leaves no connection open, whatever its visitors do at that moment."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import uvicorn

from arena.web.serving import make_server
from leaderboard.storage.store import Store
from tests.arena.web.hosting import apart, settings_for

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
