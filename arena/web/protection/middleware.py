"""Checks every request (host name, body size, limits for the client's address) and adds security headers to responses."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from h11 import LocalProtocolError
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.protection.limits import LOCAL_NAMES, ConcurrencyLimiter, counted_as
from arena.web.settings import WebSettings, inner_path, is_below

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'none'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""With this policy, nothing is loaded from other hosts, no inline scripts are run, and no page can be framed."""

HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
PRIVATE: Final = "private, no-store"
"""The ``cache-control`` of every response to a request with a token, because such a response is for one reader only."""
ENDLESS: Final = "/events"
"""The suffix of addresses whose responses never end; these addresses don't support HEAD."""
UPLOADING: Final = frozenset(["/submit", "/api/v1/submissions"])
"""The paths at which a request's body may be as large as a submission."""
DRAIN_BYTES: Final = 64 << 20
DRAIN_SECONDS: Final = 15.0
"""At most ``DRAIN_BYTES`` of a refused request's body are read and dropped, for at most this time. Most clients read no response before
they have sent everything, and a connection that is closed with unread data is reset, which drops the response (RFC 9112, 9.6)."""


@dataclass(frozen=True, slots=True)
class _Refusal:
    status: int
    sentence: str
    headers: tuple[tuple[str, str], ...] = ()

    def answer(self) -> PlainTextResponse:
        return PlainTextResponse(f"{self.sentence}\n", self.status, dict(self.headers))


_CLOSE: Final = ("connection", "close")
_TOO_OFTEN: Final = _Refusal(429, "Too many requests from your address; wait a minute.", (("retry-after", "60"), _CLOSE))
_TOO_MANY: Final = _Refusal(429, "Too many requests from your address at once; wait until some have ended.", (("retry-after", "1"), _CLOSE))
_UNMEASURED: Final = _Refusal(411, "The header Content-Length must give the number of bytes sent; nothing was stored.", (_CLOSE,))
_ARRIVED: Final = "arena.arrived"
BODY_GRACE: Final = timedelta(seconds=5)
"""How long the body of an upload that was sent just before a deadline may take to arrive (see ``arrival``)."""


def arrival(request: Request) -> datetime:
    """Return when an upload counts as arrived: ``BODY_GRACE`` before the end of its body, but not before its headers."""
    arrived: datetime = request.scope[_ARRIVED]
    return arrived


class ProtectionMiddleware:
    """ASGI middleware around the whole application. A proxy in front of it must handle slow visitors (docs/hosting-reference.md)."""

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self._app = TrustedHostMiddleware(app, [*LOCAL_NAMES, _bracketed(settings.bound), *map(_bracketed, settings.host_names)], False)
        self._settings = settings
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
        extra = HEADERS | {"cache-control": PRIVATE} if "authorization" in Headers(scope=scope) else HEADERS
        host = scope["client"][0] if scope.get("client") else "unknown"
        is_counted = not scope["path"].endswith(ENDLESS)  # streams are counted on their own
        active = self._reading if scope["method"] in {"GET", "HEAD"} else self._sending  # a slow upload must not block other visitors

        is_upload = self._settings.allow_submissions and inner_path(scope).rstrip("/") in UPLOADING

        def stamp() -> None:
            if is_upload:
                now = self._settings.now()
                scope[_ARRIVED] = max(scope.get(_ARRIVED, now), now - BODY_GRACE)

        async def receive_stamped() -> Message:
            message = await receive()
            stamp()
            return message

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in extra.items():
                    headers.setdefault(name, value)
            with suppress(LocalProtocolError):  # the visitor has sent something that isn't HTTP, and has been told so
                await send(message)

        stamp()
        refusal = self._refusal(scope, counted_as(host), is_upload=is_upload)
        if refusal is None and is_counted and not active.acquire(host):
            refusal = _TOO_MANY
        if refusal is not None:
            await _drain(receive)
            await refusal.answer()(scope, receive, send_protected)
            return
        try:
            await self._app(scope, receive_stamped, send_protected)
        except ClientDisconnect:
            return  # the visitor has gone, which is not worth reporting
        finally:
            if is_counted:
                active.release(host)

    def _refusal(self, scope: Scope, address: str, *, is_upload: bool) -> _Refusal | None:
        """Return the refusal if the headers call for one, or None. The server reads no more of a body than its ``Content-Length``."""
        headers, settings = Headers(scope=scope), self._settings
        if not self._limiter.hit(self._limit, address):
            return _TOO_OFTEN
        if not is_below(scope, settings.prefix):
            return _Refusal(404, f"There is nothing at this address; the pages of this server are below {settings.prefix}/.", (_CLOSE,))
        if "transfer-encoding" in headers:
            return _UNMEASURED
        most = settings.upload_limit if is_upload else settings.body_limit
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()) or int(length[:12]) > most:
            return _Refusal(413, f"A request may have at most {most} bytes; nothing was stored.", (_CLOSE,))
        return None


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


async def _drain(receive: Receive) -> None:
    taken, has_more = 0, True
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while has_more and taken < DRAIN_BYTES:
                message = await receive()
                taken += len(message.get("body", b""))
                has_more = message.get("more_body", False)


class HeadRequests:
    """ASGI middleware that answers HEAD requests as if they were GET requests, but without the body."""

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
