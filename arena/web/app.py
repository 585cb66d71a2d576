"""The web application, put together from the routers of ``pages``, ``api`` and ``play``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.metadata import version
from typing import Final

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from fastapi.middleware.gzip import GZipMiddleware

from arena.web.analyses.analyses import Analyses
from arena.web.api import routes as api
from arena.web.api import submissions as submission_api
from arena.web.data.offered_games import OfferedGames
from arena.web.data.queries import Queries
from arena.web.pages import (
    bots,
    feeds,
    front,
    head_to_head,
    health,
    live,
    matches,
    my_bots,
    rounds,
    rules,
    season,
    signing_in,
    tournaments,
)
from arena.web.pages import submissions as submit_pages
from arena.web.pages.error_pages import add_handlers
from arena.web.pages.live import Broadcaster
from arena.web.play import pages as play_pages
from arena.web.play.tables import Tables
from arena.web.protection.addresses import ConcurrencyLimiter, Turns
from arena.web.protection.middleware import HeadRequests, ProtectionMiddleware
from arena.web.protection.rate_limits import RateLimits
from arena.web.rendering.static_files import CachedFiles
from arena.web.settings import WebSettings
from arena.web.submit.terms import largest_bundle
from arena.web.submit.uploads import Uploads
from arena.web.viewer.replay_cache import board_cache, document_cache
from leaderboard.storage.store import Store

_THREADS: Final = 200
"""The requests that may be answered at a time: several times as many as an address may have, of which all but one may wait for its turn."""


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: WebSettings = app.state.settings
    current_default_thread_limiter().total_tokens = _THREADS
    if settings.allow_submissions:
        app.state.uploads.start()
    yield
    app.state.tables.close()
    app.state.uploads.close()
    app.state.analyses.close()
    app.state.queries.close()


def make_app(settings: WebSettings) -> FastAPI:
    """Return the application for one database. Raises StoreError if it can't be used, and OptionsError for a game of the settings."""
    app = FastAPI(
        title=settings.title,
        version=version("tile-arena"),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        servers=[{"url": settings.prefix}] if settings.prefix else None,
        lifespan=_lifespan,
    )
    app.state.games = OfferedGames(settings.games)
    settings = replace(settings, games=app.state.games.names)
    app.state.settings = settings
    store = Store.read(settings.db)
    app.state.queries = Queries(
        store, fresh_seconds=settings.fresh_seconds, is_patient=not settings.is_static, only=settings.tournament, now=settings.now
    )
    sizes = {"most_bytes": 0} if settings.is_static else {}  # each is written to a file once
    app.state.turns = Turns()
    app.state.documents = document_cache(store, app.state.turns, **sizes)
    app.state.boards = board_cache(store, app.state.turns, **sizes)
    app.state.analyses = Analyses(of_one=settings.visitors)
    app.state.streams = ConcurrencyLimiter(settings.watchers, settings.streams_of_one * settings.visitors)
    app.state.broadcaster = Broadcaster(app.state.queries, settings)
    add_handlers(app)
    app.state.rate_limits = RateLimits(store, uploads_per_hour=settings.uploads_per_hour)
    settings = replace(settings, upload_limit=max(settings.upload_limit, largest_bundle(store, settings.runtime)))
    app.state.uploads = Uploads(store, settings, app.state.games)
    app.state.settings = settings
    app.state.tables = Tables(settings, app.state.games)
    routers = [front.router, season.router, rules.router, bots.router, tournaments.router, head_to_head.router, rounds.router]
    routers += [feeds.router, matches.router, live.router, api.router, health.router, play_pages.images]
    if settings.allow_submissions:
        routers += [signing_in.router, my_bots.router, submit_pages.router, submission_api.router]
    if settings.allow_play:
        routers += [play_pages.router]
    for router in (*routers, api.docs):
        app.router.routes += router.routes  # unchanged; include_router would recreate each of them for every application
    app.mount("/static", CachedFiles(), name="static")
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(HeadRequests)
    app.add_middleware(ProtectionMiddleware, settings=settings)
    return app
