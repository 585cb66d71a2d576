"""One request to an application within this process, without a network."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import unquote

from starlette.types import ASGIApp, Message


@dataclass(frozen=True, slots=True)
class LocalResponse:
    """A whole response."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


async def local_request(
    app: ASGIApp,
    path: str,
    headers: Sequence[tuple[bytes, bytes]],
    *,
    method: str = "GET",
    scheme: str = "http",
    query: bytes = b"",
    body: bytes = b"",
    client: str = "local",
    more: Mapping[str, object] = MappingProxyType({}),
) -> LocalResponse:
    """Return the application's response; ``path`` is percent-encoded, and ``more`` is added to the ASGI scope."""
    scope: dict[str, object] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": scheme,
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": list(headers),
        "client": (client, 0),
        "server": ("local", 80),
        **more,
    }
    sent: list[Message] = []
    requests = iter([{"type": "http.request", "body": body, "more_body": False}])

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
