"""Checks of every request (host name, size and pace of its body, the share of its address), and security headers for responses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Final

from h11 import LocalProtocolError
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.protection.limits import ConcurrencyLimiter, HostNames, counted_as
from arena.web.settings import WebSettings, inner_path, is_below

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'none'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing is loaded from other hosts, no inline scripts are run, and no page can be framed."""

HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
PRIVATE: Final = "private, no-store"
"""The cache control of responses for one reader alone: all responses to requests with a token, whatever their content."""
ENDLESS: Final = "/events"
"""The suffix of addresses whose responses never end; they have no response to HEAD."""
UPLOADING: Final = frozenset(["/submit", "/api/v1/submissions"])
"""Where bodies may be as large as a submission."""
BODY_SECONDS: Final = 15.0
SLOWEST: Final = 16 * 1024
"""A body must be complete within ``BODY_SECONDS``, plus a second for every ``SLOWEST`` bytes."""
DRAIN_BYTES: Final = 64 << 20
"""How much of the body of a refused request is read and dropped, for ``BODY_SECONDS`` at most. Most clients read no response before they
have sent all, and a connection that is closed with unread data is reset, which drops the response (RFC 9112, 9.6)."""


@dataclass(frozen=True, slots=True)
class _Refusal:
    status: int
    sentence: str
    headers: tuple[tuple[str, str], ...] = ()

    def answer(self) -> PlainTextResponse:
        return PlainTextResponse(f"{self.sentence}\n", self.status, dict(self.headers))


_CLOSE: Final = ("connection", "close")
_TOO_OFTEN: Final = _Refusal(429, "Too many requests from your address; wait a minute.", (("retry-after", "60"), _CLOSE))
_TOO_MANY: Final = _Refusal(429, "Too many requests from your address at once; wait for the others.", (("retry-after", "1"), _CLOSE))
_TOO_SLOW: Final = _Refusal(408, "The request came too slowly; nothing was stored.", (_CLOSE,))
_UNMEASURED: Final = _Refusal(411, "Send the number of bytes as Content-Length; nothing was stored.", (_CLOSE,))
_MISNAMED: Final = _Refusal(
    400, "This server is not known by the name in your request; use its own address. (The host allows names with --host-name.)", (_CLOSE,)
)


_ARRIVED: Final = "arena.arrived"
BODY_GRACE: Final = timedelta(seconds=5)
"""How much of the time that a body takes to arrive does not count, so that what was sent just before a deadline is in time."""


def arrival(request: Request) -> datetime:
    """Return when a request arrived: when its body had come, less ``BODY_GRACE``, but not before its head."""
    arrived: datetime = request.scope[_ARRIVED]
    return arrived


class _RefusedError(Exception):
    """The body is refused."""


class ProtectionMiddleware:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self._app = app
        self._settings = settings
        self._names = HostNames(settings.host_names, settings.bound)
        of_one = settings.requests_of_one * settings.visitors
        self._reading, self._sending = ConcurrencyLimiter(10**9, of_one), ConcurrencyLimiter(10**9, of_one)
        self._limit = RateLimitItemPerMinute(settings.requests_per_minute)
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["root_path"] = self._settings.prefix
        headers = HEADERS | {"cache-control": PRIVATE} if "authorization" in Headers(scope=scope) else HEADERS
        exchange = _Exchange(receive, send, self._most(scope), headers, lambda: self._stamp(scope))
        exchange.on_body()
        host = scope["client"][0] if scope.get("client") else "unknown"
        is_counted = not scope["path"].endswith(ENDLESS)  # streams are counted on their own
        active = self._reading if scope["method"] in {"GET", "HEAD"} else self._sending  # a slow upload must not block other visitors
        refusal = self._refusal(scope, counted_as(host), exchange.most)
        if refusal is None and is_counted and not active.acquire(host):
            refusal = _TOO_MANY
        if refusal is not None:
            exchange.refusal = refusal
            await exchange.refuse()
            return
        try:
            await self._app(scope, exchange.receive, exchange.send)
        except _RefusedError:
            await exchange.refuse()
        except ClientDisconnect:
            return  # the visitor has gone, and the host need not know
        finally:
            if is_counted:
                active.release(host)

    def _stamp(self, scope: Scope) -> None:
        now = self._settings.now()
        scope[_ARRIVED] = max(scope.get(_ARRIVED, now), now - BODY_GRACE)

    def _most(self, scope: Scope) -> int:
        is_upload = self._settings.allow_submissions and inner_path(scope).rstrip("/") in UPLOADING
        return self._settings.upload_limit if is_upload else self._settings.body_limit

    def _refusal(self, scope: Scope, address: str, most: int) -> _Refusal | None:
        """Return why the request is refused by its headers, or None."""
        headers = Headers(scope=scope)
        if not self._names.knows(headers.get("host", "")):
            return _MISNAMED
        if not self._limiter.hit(self._limit, address):
            return _TOO_OFTEN
        if not is_below(scope, self._settings.prefix):
            return _Refusal(404, f"There is nothing here; the pages of this server are below {self._settings.prefix}/.", (_CLOSE,))
        if "transfer-encoding" in headers:
            return _UNMEASURED
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()) or int(length[:12]) > most:
            return _too_large(most)
        return None


def _too_large(most: int) -> _Refusal:
    return _Refusal(413, f"A request may have at most {most} bytes; nothing was stored.", (_CLOSE,))


class _Exchange:
    """One request and its response. If the body is refused, so is the request, whatever the application answers."""

    def __init__(self, receive: Receive, send: Send, most: int, headers: Mapping[str, str], on_body: Callable[[], None]) -> None:
        self._receive = receive
        self._send = send
        self._headers = headers
        self._begun = monotonic()
        self._taken = 0
        self._is_complete = False
        self._is_refused = False
        self.most = most
        self.on_body = on_body
        self.is_started = False
        self.refusal: _Refusal | None = None

    async def receive(self) -> Message:
        """Return the next piece of the body. Raises _RefusedError for a body that is too large or too slow."""
        if self._is_complete:  # a further read waits for the visitor to disconnect
            return await self._receive()
        left = self._begun + BODY_SECONDS + self._taken / SLOWEST - monotonic()
        try:
            async with asyncio.timeout(max(left, 0)):
                message = await self._receive()
        except TimeoutError:
            return self._refused(_TOO_SLOW)
        self._taken += len(message.get("body", b""))
        self._is_complete = not message.get("more_body", False)
        self.on_body()
        return self._refused(_too_large(self.most)) if self._taken > self.most else message

    def _refused(self, refusal: _Refusal) -> Message:
        """Raise _RefusedError; a visitor who is being answered already is treated as disconnected."""
        self._is_complete = True
        if self.is_started:
            return {"type": "http.disconnect"}
        self.refusal = refusal
        raise _RefusedError

    async def send(self, message: Message) -> None:
        """Send a piece of the response."""
        if self.refusal is not None and not self.is_started:
            await self.refuse()
        if self._is_refused:
            return
        if message["type"] == "http.response.start":
            self.is_started = True
            headers = MutableHeaders(scope=message)
            for name, value in self._headers.items():
                headers.setdefault(name, value)
        with suppress(LocalProtocolError):  # the visitor has sent what is no HTTP, and has been told so
            await self._send(message)

    async def refuse(self) -> None:
        """Send the refusal instead of any other response, once."""
        if self.refusal is not None:
            answer, self.refusal = self.refusal.answer(), None
            await answer({"type": "http"}, self._receive, self._send_refusal)
            self._is_refused = True

    async def _send_refusal(self, message: Message) -> None:
        """Send the response, but end it, which closes the connection, only when the body has arrived."""
        if message["type"] == "http.response.body":
            await self.send({**message, "more_body": True})
            await self._drain()
            message = {"type": "http.response.body"}
        await self.send(message)

    async def _drain(self) -> None:
        """Read the rest of the body, within limits."""
        with suppress(TimeoutError):
            async with asyncio.timeout(BODY_SECONDS):
                while not self._is_complete and self._taken < DRAIN_BYTES:
                    message = await self._receive()
                    self._taken += len(message.get("body", b""))
                    self._is_complete = not message.get("more_body", False)


class HeadRequests:
    """ASGI middleware for pages that only handle GET."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD" or scope["path"].endswith(ENDLESS):
            await self._app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self._app({**scope, "method": "GET"}, receive, send_head)
