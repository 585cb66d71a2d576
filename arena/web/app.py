"""The web application: what it is made of. What its pages show is in the routers beside this file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.staticfiles import StaticFiles

from arena.web import api, live, match_pages, pages, play_pages, submission_api, submit_pages
from arena.web.addresses import Shares
from arena.web.errors import add_handlers
from arena.web.head_requests import HeadAsGet
from arena.web.live import Hub
from arena.web.middleware import Safety
from arena.web.queries import Library
from arena.web.rate_limits import Guard
from arena.web.rendering import STATIC
from arena.web.replay_cache import Reels
from arena.web.settings import WebSettings
from arena.web.tables import Tables
from arena.web.uploads import Uploads
from leaderboard.storage.store import Store


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    yield
    app.state.tables.close()
    app.state.uploads.close()
    app.state.library.close()


def make_app(settings: WebSettings) -> FastAPI:
    """The application for one database. Raises StoreError when that can't be used."""
    app = FastAPI(title=settings.title, version=version("tile-arena"), docs_url=None, redoc_url=None, openapi_url=None, lifespan=_lifespan)
    app.state.settings = settings
    store = Store.read(settings.db)
    app.state.library = Library(store, fresh_seconds=settings.fresh_seconds, is_patient=not settings.is_static)
    app.state.reels = Reels(store)
    app.state.streams = Shares(settings.watchers, settings.streams_of_one * settings.visitors)
    app.state.hub = Hub(app.state.library, settings)
    add_handlers(app)
    app.state.guard = Guard(store, uploads_per_hour=settings.uploads_per_hour)
    app.state.uploads = Uploads(store, settings.db, trusted=settings.trust_bots, waiting=settings.checks_waiting)
    app.state.tables = Tables(settings)
    for each in (pages, match_pages, live, api):
        app.include_router(each.router)
    if settings.allow_submissions:
        app.include_router(submit_pages.router)
        app.include_router(submission_api.router)
    if settings.allow_play:
        app.include_router(play_pages.router)
    app.include_router(api.docs)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(HeadAsGet)
    app.add_middleware(Safety, settings=settings)
    return app
