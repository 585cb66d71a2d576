"""Runs followed live: one poller for all visitors of a tournament's page, which receive changes as server-sent events.

An event carries pieces of the page, made from the same templates, so a browser only has to put them in place.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import anyio.to_thread
from fastapi import APIRouter, Request
from fastapi.sse import EventSourceResponse, format_sse_event
from markupsafe import escape
from starlette.concurrency import run_in_threadpool

from arena.web.data.queries import Queries, queries_of
from arena.web.pages.tournaments import LAST_MATCHES, standing_rows
from arena.web.protection.rate_limits import stream
from arena.web.rendering.templates import page
from arena.web.settings import WebSettings
from leaderboard.storage.database import StoreError
from leaderboard.storage.matches import MatchFilter
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False)

PING_SECONDS: Final = 15.0
GONE_AFTER: Final = 30
"""Polls in a row without a run, after which it counts as over; this leaves time for a run that is starting."""
RETRY_MILLISECONDS: Final = 3000


def snapshot(queries: Queries, settings: WebSettings, tournament: StoredTournament) -> tuple[dict[str, str], bool, bool]:
    """Return the pieces of the page by element id, whether a run is in progress, and whether everything has been played."""
    tournament = queries.tournament(tournament.name)
    state = queries.state(tournament)
    rows = standing_rows(queries, tournament)
    last = queries.matches(tournament, MatchFilter()).matches[:LAST_MATCHES]
    piece = partial(page, root=settings.prefix, settings=settings, tournament=tournament, state=state, rows=rows, last=last)
    pieces = {"progress": piece("progress.html"), "lead": piece("lead.html")}
    if rows.played:
        pieces["standings"] = piece("standings_rows.html")
        pieces |= {"opinion": str(escape(rows.opinion)), "as-of": piece("as_of.html")}
    if last:
        pieces["last"] = piece("last_matches.html")
    pieces["say"] = "".join(part.text for part in rows.lead)
    return pieces, state.is_running, state.is_complete


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

    def __init__(self, queries: Queries, settings: WebSettings) -> None:
        self._queries = queries
        self._settings = settings
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
        """Poll, and send updates, until the run is over."""
        before: dict[str, str] = {}
        quiet = 0
        while True:
            try:
                pieces, is_running, is_complete = await run_in_threadpool(snapshot, self._queries, self._settings, tournament)
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
            await asyncio.sleep(self._settings.poll_seconds)


@router.get("/t/{name}/events")
async def events(request: Request, name: str) -> EventSourceResponse:
    """Send the changes of a tournament's standings page, as they happen."""
    queries = queries_of(request)
    tournament = await anyio.to_thread.run_sync(queries.tournament, name)
    broadcaster: Broadcaster = request.app.state.broadcaster
    return stream(request, broadcaster.follow(tournament))
