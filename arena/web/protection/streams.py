"""Streams of events for pages that follow a run or a table, counted by address, since each holds a connection."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from fastapi import Request
from fastapi.sse import EventSourceResponse
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from arena.web.protection.addresses import ConcurrencyLimiter
from arena.web.protection.rate_limits import address_of

_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}


class _Stream(EventSourceResponse):
    """Events for one visitor; the stream is no longer counted once it has ended, however it did."""

    def __init__(self, events: AsyncIterator[bytes], limiter: ConcurrencyLimiter, address: str) -> None:
        super().__init__(events, headers=_HEADERS)
        self._limiter = limiter
        self._address = address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until they end or the visitor leaves."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._limiter.release(self._address)


def stream(request: Request, events: AsyncIterator[bytes]) -> EventSourceResponse:
    """Return the response with these events. Raises HTTPException (503) if there are too many streams, in all or from this address."""
    limiter: ConcurrencyLimiter = request.app.state.streams
    address = address_of(request)
    if not limiter.acquire(address):
        sentence = "Too many visitors follow this, or too many from your address; reload the page now and then instead."
        raise HTTPException(503, sentence, {"retry-after": "60"})
    return _Stream(events, limiter, address)
