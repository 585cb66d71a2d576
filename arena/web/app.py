"""The web application: what it is made of. What its pages show is in the routers beside this file."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from arena.web import pages
from arena.web.errors import add_handlers
from arena.web.library import Library
from arena.web.rendering import STATIC
from arena.web.safety import Safety
from arena.web.settings import WebSettings
from leaderboard.store import Store


def make_app(settings: WebSettings) -> FastAPI:
    """The application for one database. Raises StoreError when that can't be used."""
    app = FastAPI(title=settings.title, version=version("tile-arena"), docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.settings = settings
    app.state.library = Library(Store.read(settings.db))
    add_handlers(app)
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(Safety, settings=settings)
    return app
