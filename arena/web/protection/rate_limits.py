"""Limits on requests that change something (their origin, sender and rate), and on the number of event streams."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Final

from fastapi import Request
from fastapi.sse import EventSourceResponse
from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from arena.web.errors import RefusedError
from arena.web.protection.addresses import SITE, ConcurrencyLimiter, counted_as
from leaderboard.storage.people import person_of_token
from leaderboard.storage.store import Store

WRONG_TOKENS: Final = RateLimitItemPerMinute(10)
"""The number of wrong tokens that one address may try."""
ANALYSES: Final = RateLimitItemPerHour(60)
"""The number of analyses that one address may begin."""
POSITIONS: Final = RateLimitItemPerHour(240)
"""The number of positions that one address may explore, and of pictures that may be drawn for it."""
_LATER: Final = {"retry-after": "60"}
_STREAM_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}


class RateLimits:
    """The rate limits of one server, kept in memory; its methods may be called from any thread."""

    def __init__(self, store: Store, *, uploads_per_hour: int) -> None:
        self._store = store
        self._uploads = RateLimitItemPerHour(uploads_per_hour)
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    def count(self, what: RateLimitItem, whose: str, key: str, sentence: str) -> None:
        """Count one hit. Raises HTTPException (429) if it is over the limit."""
        if not self._limiter.hit(what, whose, key):
            raise HTTPException(429, sentence, _LATER)

    def has_room(self, what: RateLimitItem, whose: str, key: str) -> bool:
        """Count one hit; return whether it is within the limit."""
        return self._limiter.hit(what, whose, key)

    @contextmanager
    def upload_of(self, author: str) -> Iterator[None]:
        """Count an upload that is refused for its content; the database counts those that are accepted. Raises HTTPException (429)."""
        if not self._limiter.test(self._uploads, "upload", author):
            sentence = f"{self._uploads.amount} of your uploads were refused within an hour; try again later."
            raise HTTPException(429, sentence, _LATER)
        try:
            yield
        except RefusedError as error:
            if not error.is_busy:
                self._limiter.hit(self._uploads, "upload", author)
            raise

    def author(self, request: Request, token: str) -> str | None:
        """Return the id of the token's author, None for a wrong one. Raises HTTPException (429) after too many wrong tokens."""
        if not self._limiter.test(WRONG_TOKENS, "token", address_of(request)):
            raise HTTPException(429, "Too many wrong tokens from your address; wait a minute.", _LATER)
        author = person_of_token(self._store, token)
        if author is None:
            self._limiter.hit(WRONG_TOKENS, "token", address_of(request))
        return author


def address_of(request: Request) -> str:
    """Return the address of a request as visitors are counted: an IPv6 address by its network."""
    return counted_as(request.client.host) if request.client else "unknown"


def site_of(request: Request) -> str:
    """Return the address of a request as it is counted for what all visitors share: an IPv6 address by the network of its site."""
    return counted_as(request.client.host, SITE) if request.client else "unknown"


def from_here(request: Request) -> None:
    """Refuse requests from pages of other sites, recognised by ``Sec-Fetch-Site`` and ``Origin``. Raises HTTPException (403)."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None and site not in {"same-origin", "none"}:
        raise HTTPException(403, "This was sent by a page of another site; open the page here and do it there.")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        raise HTTPException(403, "This was sent by a page of another site; open the page here and do it there.")


def is_visited(request: Request) -> bool:
    """Whether a page is opened by its visitor, and not by a picture, script or frame of another site."""
    site, goal = request.headers.get("sec-fetch-site"), request.headers.get("sec-fetch-dest")
    return site in {None, "same-origin", "none"} or goal == "document"


def rate_limits(request: Request) -> RateLimits:
    """Return the rate limits of the request's application."""
    limits: RateLimits = request.app.state.rate_limits
    return limits


class _Stream(EventSourceResponse):
    """Events for one visitor; the stream is no longer counted once it has ended, however it did."""

    def __init__(self, events: AsyncIterator[bytes], limiter: ConcurrencyLimiter, host: str) -> None:
        super().__init__(events, headers=_STREAM_HEADERS)
        self._limiter = limiter
        self._host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until they end or the visitor leaves."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._limiter.release(self._host)


def stream(request: Request, events: AsyncIterator[bytes]) -> EventSourceResponse:
    """Return the response with these events. Raises HTTPException (503) if there are too many streams, in all or from this address."""
    limiter: ConcurrencyLimiter = request.app.state.streams
    host = request.client.host if request.client else "unknown"
    if not limiter.acquire(host):
        sentence = "Too many visitors follow this live, or too many from your address; reload the page now and then instead."
        raise HTTPException(503, sentence, _LATER)
    return _Stream(events, limiter, host)
