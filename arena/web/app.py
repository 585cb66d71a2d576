"""The web application: what it is made of. What its pages show is in the routers beside this file."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import FastAPI
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.staticfiles import StaticFiles

from arena.web import live, match_pages, pages
from arena.web.answers import HeadAsGet
from arena.web.errors import add_handlers
from arena.web.library import Library
from arena.web.live import Hub
from arena.web.reels import Reels
from arena.web.rendering import STATIC
from arena.web.safety import Safety
from arena.web.settings import WebSettings
from leaderboard.store import Store


def make_app(settings: WebSettings) -> FastAPI:
    """The application for one database. Raises StoreError when that can't be used."""
    app = FastAPI(title=settings.title, version=version("tile-arena"), docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.settings = settings
    store = Store.read(settings.db)
    app.state.library = Library(store, fresh_seconds=settings.fresh_seconds, is_patient=not settings.is_static)
    app.state.reels = Reels(store)
    app.state.hub = Hub(app.state.library, settings)
    add_handlers(app)
    for each in (pages, match_pages, live):
        app.include_router(each.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(HeadAsGet)
    app.add_middleware(Safety, settings=settings)
    return app
