"""Limits on connections: how many there may be, and how soon each must send a request, read its response, or close.

Uvicorn has none of this (its issue 157): it only closes idle connections after a first response. Here every
connection must send the headers of its next request in time, must read its response in time, and counts for its address. When too many are
open, the one that has kept the server waiting longest makes room for the next. Limits on request bodies are in ``middleware``.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.web.protection.addresses import Networks, counted_as

HEADER_SECONDS: Final = 10.0
"""Seconds for a request's line and headers, from their first byte or, for the first request, from the connection."""
WRITE_SECONDS: Final = 30.0
"""Seconds for a visitor to read enough of a response that there is room for more."""
LINGER_SECONDS: Final = 10.0
"""Seconds for a visitor to read the rest of a response when the connection is to be closed."""
LARGEST_HEADERS: Final = 16 * 1024
"""The most bytes of a request's line and headers."""
_PIECE: Final = 4096
"""Bytes processed at a time until a request's headers are complete."""
_FULL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\nretry-after: 5\r\n\r\n"
    b"Too many connections are open, from your address or in all; try again in a few seconds.\n"
)


@dataclass
class ConnectionLimiter:
    """Admits connections: at most ``most``, of which ``of_one`` from one address, unless that is one of ``proxies``."""

    most: int = 500
    of_one: int = 64
    proxies: Networks = field(default_factory=Networks)
    open: dict[Connection, str] = field(default_factory=dict)

    def admit(self, connection: Connection, host: str) -> bool:
        """Admit a new connection, closing another for it if need be; return whether there was room."""
        address = counted_as(host)
        if host not in self.proxies:
            mine = [each for each, whose in self.open.items() if whose == address]
            if len(mine) >= self.of_one and not _close_one(mine):
                return False
        if len(self.open) >= self.most and not _close_one(list(self.open)):
            return False
        self.open[connection] = address
        return True


def _close_one(connections: list[Connection]) -> bool:
    """Close the connection that has kept the server waiting longest; return False if none has."""
    waiting = [each for each in connections if each.is_awaited]
    if not waiting:
        return False
    min(waiting, key=lambda each: each.since).drop()
    return True


class LimitedConfig(uvicorn.Config):
    """Uvicorn's settings, with the limiter of all the server's connections."""

    limiter: ConnectionLimiter


class Connection(H11Protocol):
    """One connection, which is closed when its visitor keeps the server waiting."""

    def __init__(self, *args: object, **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]  # as uvicorn calls it
        self._limiter = cast(LimitedConfig, self.config).limiter
        self._deadline: asyncio.TimerHandle | None = None
        self._end: asyncio.TimerHandle | None = None
        self.since = monotonic()
        """The time at which the server began to wait for the visitor, if it does."""

    @property
    def is_awaited(self) -> bool:
        """Whether the server waits for the visitor: to send a request, to send the rest of its body, or to read."""
        return self._is_between or self.cycle.more_body or self.flow.write_paused

    @property
    def _is_between(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Admit a new connection, or refuse it."""
        super().connection_made(transport)
        _set_user_timeout(transport)
        if self._limiter.admit(self, self.client[0] if self.client else ""):
            self._expect()
        else:
            transport.write(_FULL)
            transport.close()
            self._linger()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a closed connection."""
        self._limiter.open.pop(self, None)
        for timer in (self._deadline, self._end):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Process data, in small pieces until headers are complete; h11 refuses incomplete ones at their size limit."""
        while data and not self._is_chunked:  # a chunk per byte would take seconds to parse; the middleware refuses it by its headers
            size = len(data)
            if self._is_between:
                size = max(1, min(_PIECE, LARGEST_HEADERS - len(self.conn.trailing_data[0])))
            super().data_received(data[:size])
            data = data[size:]
        self._expect()

    @property
    def _is_chunked(self) -> bool:
        return not self._is_between and any(name == b"transfer-encoding" for name, _ in self.headers)

    def send_400_response(self, msg: str) -> None:
        """Answer data that is not HTTP, if an answer is still possible, and close."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(msg)
        else:
            self.transport.close()
        if self.cycle is not None:  # the application's response to a request whose body is not HTTP is dropped
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._linger()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self.since = monotonic()
        if self.transport.is_closing():
            self._linger()
        else:
            self._settle()  # uvicorn's own keep-alive timeout runs until data arrive

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that stayed silent after a response."""
        super().timeout_keep_alive_handler()
        self._linger()

    def shutdown(self) -> None:
        """Close the connection, since the server stops."""
        super().shutdown()
        if self.transport.is_closing():
            self._linger()

    def pause_writing(self) -> None:
        """Start the deadline for a visitor who reads too slowly."""
        super().pause_writing()
        self.since = monotonic()
        self._settle()
        self._deadline = self.loop.call_later(WRITE_SECONDS, self.drop)

    def resume_writing(self) -> None:
        """Cancel the deadline, since the visitor has read on."""
        super().resume_writing()
        self._settle()

    def drop(self) -> None:
        """Close the connection at once, without sending the rest."""
        self._limiter.open.pop(self, None)
        self.transport.abort()

    def _expect(self) -> None:
        """Start the deadline for the headers of the next request."""
        if self.transport.is_closing():
            self._linger()
        elif not self._is_between:
            if not self.flow.write_paused:
                self._settle()
        elif self._deadline is None:
            self.since = monotonic()
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.drop)

    def _settle(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _linger(self) -> None:
        """Close it soon, even if the visitor does not read the rest."""
        self._settle()
        if self._end is None:
            self._end = self.loop.call_later(LINGER_SECONDS, self.drop)


def _set_user_timeout(transport: asyncio.Transport) -> None:
    """Make the system drop a connection whose other end no longer responds (Linux, tcp(7))."""
    option = getattr(socket, "TCP_USER_TIMEOUT", None)
    connection = transport.get_extra_info("socket")
    if option is not None and connection is not None and connection.family != getattr(socket, "AF_UNIX", None):
        with suppress(OSError):  # it has gone already
            connection.setsockopt(socket.IPPROTO_TCP, option, int(WRITE_SECONDS * 1000))
