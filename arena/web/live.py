"""Server-sent events: the stream for each visitor, and the updates of a run, which are collected once for all who follow it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Final

from fastapi import Request
from fastapi.sse import EventSourceResponse, format_sse_event
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from arena.web.protection.limits import ConcurrencyLimiter
from leaderboard.storage.database import StoreError
from leaderboard.storage.store import StoredTournament

PING_SECONDS: Final = 15.0
GONE_AFTER: Final = 30
"""After this many polls in a row that find no run, visitors are told that no run is in progress; this leaves time for a run to start."""
RETRY_MILLISECONDS: Final = 3000
_STREAM_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}

Snapshot = tuple[dict[str, str], bool, bool]
"""The parts of a page (HTML by element id), whether a run is in progress, and whether everything has been played."""


class _Stream(EventSourceResponse):
    """The event stream of one visitor; once it has ended for any reason, it no longer counts towards the limits."""

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
    """Return the response that streams these events. Raises HTTPException (503) if the server or this address has too many streams."""
    limiter: ConcurrencyLimiter = request.app.state.streams
    host = request.client.host if request.client else "unknown"
    if not limiter.acquire(host):
        sentence = "Too many visitors follow this page live, or too many from your address; reload the page now and then instead."
        raise HTTPException(503, sentence, {"retry-after": "60"})
    return _Stream(events, limiter, host)


@dataclass(eq=False)
class _Channel:
    """The followers of one tournament; each queue holds at most the newest event that its visitor has not been sent yet."""

    queues: set[asyncio.Queue[tuple[str, str]]] = field(default_factory=set)
    newest: tuple[str, str] | None = None
    task: asyncio.Task[None] | None = None

    def publish(self, news: tuple[str, str]) -> None:
        self.newest = news
        for queue in self.queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(news)


class Broadcaster:
    """Sends the events of each tournament to all who follow it. Its methods run in the server's event loop."""

    def __init__(self, snapshot: Callable[[StoredTournament], Snapshot], poll_seconds: float) -> None:
        self._snapshot: Final = snapshot
        self._poll_seconds: Final = poll_seconds
        self._channels: dict[int, _Channel] = {}

    async def follow(self, tournament: StoredTournament) -> AsyncIterator[bytes]:
        """Yield events for one visitor until the run is over or the visitor leaves."""
        channel = self._channels.setdefault(tournament.id, _Channel())
        queue: asyncio.Queue[tuple[str, str]] = asyncio.Queue(1)
        channel.queues.add(queue)
        try:
            if channel.newest is not None:
                queue.put_nowait(channel.newest)
            if channel.task is None or channel.task.done():
                channel.task = asyncio.create_task(self._poll(tournament, channel))
            yield format_sse_event(comment="followed live", retry=RETRY_MILLISECONDS)
            while True:
                try:
                    event, data = await asyncio.wait_for(queue.get(), PING_SECONDS)
                except TimeoutError:
                    yield format_sse_event(comment="still here")
                    continue
                yield format_sse_event(event=event, data_str=data)
                if event == "end":
                    return
        finally:
            channel.queues.discard(queue)
            if not channel.queues:
                if channel.task is not None:
                    channel.task.cancel()
                self._channels.pop(tournament.id, None)

    async def _poll(self, tournament: StoredTournament, channel: _Channel) -> None:
        before: dict[str, str] = {}
        quiet = 0
        while True:
            try:
                pieces, is_running, is_complete = await run_in_threadpool(self._snapshot, tournament)
            except StoreError:  # busy or unreachable for a moment; visitors keep their present data
                pieces, is_running, is_complete = before, False, False
            fresh = {key: value for key, value in pieces.items() if before.get(key) != value}
            quiet = 0 if is_running or fresh else quiet + 1
            is_over = is_complete or quiet >= GONE_AFTER
            if fresh or is_over:
                ending = {"end": f"The tournament is {'over' if is_complete else 'not running at the moment'}."} if is_over else {}
                channel.publish(("end" if is_over else "news", json.dumps(pieces | ending)))
            before = pieces
            if is_over:
                return
            await asyncio.sleep(self._poll_seconds)
