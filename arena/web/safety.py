"""What every answer and every request is held to: security headers, the size of bodies, the rate of one address. It knows no page."""

from __future__ import annotations

from typing import Final

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.settings import WebSettings

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'none'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing is loaded from another host, nothing inline is run, nobody frames a page."""

HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class _TooLargeError(Exception):
    """The body has more bytes than it may."""


class Safety:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self._app = app
        self._most = settings.upload_limit
        self._limit = RateLimitItemPerMinute(settings.requests_per_minute)
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False
        taken = 0

        async def guarded_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        async def guarded_receive() -> Message:
            nonlocal taken
            message = await receive()
            if message["type"] == "http.request":
                taken += len(message.get("body", b""))
                if taken > self._most:
                    raise _TooLargeError
            return message

        address = scope["client"][0] if scope.get("client") else "unknown"
        if not self._limiter.hit(self._limit, address):
            answer = PlainTextResponse("Too many requests from your address; wait a minute.\n", 429, {"retry-after": "60"})
            await answer(scope, receive, guarded_send)
            return
        length = Headers(scope=scope).get("content-length", "0")
        if not length.isdecimal() or int(length[:12]) > self._most:
            await self._too_large(scope, receive, guarded_send)
            return
        try:
            await self._app(scope, guarded_receive, guarded_send)
        except _TooLargeError:
            if started:
                raise
            await self._too_large(scope, receive, guarded_send)

    async def _too_large(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = PlainTextResponse(f"A request may have at most {self._most} bytes; nothing was stored.\n", 413, {"connection": "close"})
        await answer(scope, receive, send)
