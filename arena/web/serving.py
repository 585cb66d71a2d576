"""The server that runs the application: file descriptors, connections, proxies, and messages to the host when something fails."""

from __future__ import annotations

import asyncio
import errno
import logging
import resource
import socket
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import uvicorn

from arena.web.app import make_app
from arena.web.errors import HostLog
from arena.web.pages.front import front
from arena.web.pages.rounds import warm_up_courses
from arena.web.play.tables import Tables
from arena.web.rendering.templates import compile_templates
from arena.web.settings import WebSettings
from bots.sandbox.zygote_host import check_open_files

BACKLOG: Final = 128
"""The most connections that the system queues until the server accepts them."""
_TURNS_TO_SET_UP: Final = 3
"""Iterations of asyncio's loop from a connection's acceptance until its protocol is notified."""
SWITCH_SECONDS: Final = 0.0005
"""The interpreter's switch interval; Python's default of 5 ms is too much for pages.

A database query releases the interpreter's lock. To get it back, a page would wait up to 5 ms if another thread is drawing a replay or
computing statistics.
"""
_MOST_CONNECTIONS: Final = 1000
_WANTED_FILES: Final = 16384
_FILES_OF_TABLE: Final = 24
"""How many file descriptors a table uses: for its sandbox, the pipes of six bots, and the database."""


def make_room(tables: int) -> tuple[int, int]:
    """Set the limit on open files as high as this process may; return how many connections (half of the files) and tables (a quarter)
    have room. Raises SandboxError if the limit is far too low.
    """
    check_open_files()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(_WANTED_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    files = _WANTED_FILES if soft == resource.RLIM_INFINITY else soft
    return min(_MOST_CONNECTIONS, (files - 64) // 2), min(tables, files // 4 // _FILES_OF_TABLE)


def make_server(settings: WebSettings, proxies: Sequence[str] = ()) -> uvicorn.Server:
    """Return the server, which has begun to compute the slowest statistics. ``X-Forwarded-For`` is trusted only from ``proxies``."""
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # it writes a line for each malformed form
    connections, tables = make_room(settings.tables)
    app = make_app(replace(settings, tables=tables))
    compile_templates()
    app.state.queries.warm_up(partial(front, app.state.queries))
    warm_up_courses(app.state.queries)
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
        ws="none",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        backlog=BACKLOG,
        limit_concurrency=connections,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=2,
    )
    return _Server(config, app.state.tables if settings.allow_play else None)


class _Server(uvicorn.Server):
    """Uvicorn's server, reporting a shortage once a minute instead of at every attempt."""

    def __init__(self, config: uvicorn.Config, tables: Tables | None) -> None:
        super().__init__(config)
        self._tables = tables

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down, first ending the streams of pages that follow tables, which nothing else would end. No connection stays open.

        Uvicorn only closes connections that it knows. It would wait forever for a connection that asyncio is still setting up, or leave it
        open if the listener is closed meanwhile.
        """
        if self._tables is not None:
            self._tables.stop()
        for listener in (each for server in self.servers for each in server.sockets):
            asyncio.get_running_loop().remove_reader(listener.fileno())
        for _ in range(_TURNS_TO_SET_UP):
            await asyncio.sleep(0)
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # an iteration in which asyncio closes them

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        sys.setswitchinterval(SWITCH_SECONDS)
        asyncio.get_running_loop().set_exception_handler(partial(report_shortage, HostLog()))
        await super().startup(sockets)


def report_shortage(host: HostLog, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Handle an error of the event loop: a lack of descriptors or memory is reported to the host in one line, at most once a minute."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}:
        host.tell(f"no connection can be accepted at the moment: {error.strerror}; 'ulimit -n' shows how many files may be open")
    else:
        loop.default_exception_handler(context)
