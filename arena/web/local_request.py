"""One request to an application within this process, without a network."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.types import ASGIApp, Message


@dataclass(frozen=True, slots=True)
class LocalResponse:
    """A whole response."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


async def local_request(app: ASGIApp, path: str, headers: Sequence[tuple[bytes, bytes]], *, query: bytes = b"") -> LocalResponse:
    """Return the application's response to a GET request; ``path`` is percent-encoded."""
    scope: dict[str, object] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": list(headers),
        "client": ("local", 0),
        "server": ("local", 80),
    }
    sent: list[Message] = []
    requests = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Message:
        message = next(requests, None)
        if message is None:
            await asyncio.Event().wait()  # a further read waits for a disconnect, which never comes
            raise AssertionError
        return message

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start, *pieces = sent
    return LocalResponse(start["status"], list(start["headers"]), b"".join(piece.get("body", b"") for piece in pieces))
