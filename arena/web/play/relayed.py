"""Routes of tables: a server without the tables passes requests on to the one that has them, and streams that server's news."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

import msgspec
from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from arena.web.local_request import local_request
from arena.web.play.relay import Relay, RelayedAnswer, RelayedRequest
from arena.web.play.seats import Stage, TableError
from arena.web.play.visitors import KEY, cookies_to_pass, has_new_secret, key_of, new_key, remember
from arena.web.prefix import inner_path, site_url
from arena.web.protection.middleware import ENDLESS

_PASSED: Final = ("accept", "content-type", "host", "origin", "sec-fetch-site")
"""The headers that routes of tables read."""
_LOOK_SECONDS: Final = 0.1
_ATTEND_LOOKS: Final = 150
"""The number of checks after which the server with the tables is told that a page still follows one."""
_FAILED: Final = RelayedAnswer(500, [(b"content-type", b"text/plain; charset=utf-8")], b"The server could not answer.\n")


def sentence(error: object) -> str:
    """Return an error as a sentence."""
    words = str(error)
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '?')) else '.'}"


def relay_of(request: Request) -> Relay:
    """Return the relay of the request's application."""
    relay: Relay = request.app.state.relay
    return relay


async def plays_here(request: Request) -> bool:
    """Return whether this server plays the tables. Raises StoreError."""
    relay = relay_of(request)
    return relay.has_tables or await run_in_threadpool(relay.take_tables)


class SharedRoute(APIRoute):
    """A route that is answered by the server that plays the tables; a TableError becomes a response with its status and sentence.

    Streams are answered by the server that received the request, and so is everything where visitors can't play.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of requests."""
        handle = super().get_route_handler()

        async def handle_here_or_there(request: Request) -> Response:
            try:
                is_shared = request.app.state.settings.allow_play and not self.path.endswith(ENDLESS)
                if is_shared and not await plays_here(request) and (answer := await _pass_on(request)) is not None:
                    return answer
                return await handle(request)
            except TableError as error:
                raise HTTPException(error.status, sentence(error)) from None

        return handle_here_or_there


async def _pass_on(request: Request) -> Response | None:
    """Return the other server's response, None if this one has taken over the tables. Raises TableError."""
    key = await run_in_threadpool(key_of if request.method == "GET" else new_key, request)
    answer = await relay_of(request).ask(_relayed(request, request.method, inner_path(request.scope), key, await request.body()))
    if answer is None:
        return None
    response = Response(answer.body, answer.status)
    response.raw_headers = answer.headers
    if has_new_secret(request) and answer.status < HTTPStatus.BAD_REQUEST:
        remember(request, response)
    return response


def _relayed(request: Request, method: str, path: str, key: str, body: bytes = b"") -> RelayedRequest:
    headers = [(name.encode(), request.headers[name].encode("latin-1")) for name in _PASSED if name in request.headers]
    headers.append((b"cookie", cookies_to_pass(request).encode("latin-1")))
    query: bytes = request.scope["query_string"]
    client = request.client.host if request.client else ""
    return RelayedRequest(method, request.url.scheme, site_url(request, path), query, headers, client, key, body)


def respond(app: ASGIApp, request: RelayedRequest) -> RelayedAnswer:
    """Return this server's response to a request that came to another one."""
    try:
        found = asyncio.run(
            local_request(
                app,
                quote(request.path),
                request.headers,
                method=request.method,
                scheme=request.scheme,
                query=request.query,
                body=request.body,
                client=request.client,
                more={KEY: request.key},
            )
        )
    except Exception:  # as a web server does; the visitor waits for an answer
        logging.getLogger("arena.web").exception("a request that another server has passed on failed")
        return _FAILED
    return RelayedAnswer(found.status, found.headers, found.body)


async def ask_there(request: Request, method: str, path: str) -> RelayedAnswer | None:
    """Return the response of the server that plays the tables to another request of this visitor; None if that is this server."""
    relay = relay_of(request)
    return await relay.ask(_relayed(request, method, path, await run_in_threadpool(key_of, request)))


async def changes_there(request: Request, table: str) -> AsyncIterator[bytes]:
    """Return events for each change of a table that another server plays. Raises HTTPException (404, 410) if there is no such table."""
    answer = await ask_there(request, "POST", f"/play/t/{table}/resume")
    if answer is not None and answer.status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
        raise HTTPException(answer.status, msgspec.json.decode(answer.body, type=dict[str, str])["error"])
    return _news(request, relay_of(request), table)


async def _news(request: Request, relay: Relay, table: str) -> AsyncIterator[bytes]:
    """Yield an event for each change, as the server that plays the table does."""
    shown, looks = "", 0
    with relay.following():
        while not relay.is_over:
            now = relay.news.tables.get(table, "")
            if shown and not now:
                return
            if now != shown:
                shown = now
                yield format_sse_event(event="changed", data_str=now)
            if now.endswith(f" {Stage.CLOSED}"):
                return
            looks += 1
            if looks % _ATTEND_LOOKS == 0:
                try:
                    await ask_there(request, "POST", f"/play/t/{table}/attend")
                except TableError:
                    return
                yield format_sse_event(comment="still here")
            await asyncio.sleep(_LOOK_SECONDS)
