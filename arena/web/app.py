"""The web application: its routers, its error responses, and ``/healthz``, which shows whether the server works."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import Final

from anyio.to_thread import current_default_thread_limiter
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException

from arena.spec.spec import SpecError
from arena.web import api, submission_api
from arena.web.analyses import Analyses
from arena.web.cache import Cache
from arena.web.errors import NOT_HERE, HostLog, TableError, UnusableError, as_sentence
from arena.web.games import OfferedGames
from arena.web.live import Broadcaster
from arena.web.pages import bots, feeds, front, head_to_head, matches, rounds, rules, season, tournaments
from arena.web.pages.matches import MOST_BOARDS, MOST_DOCUMENTS
from arena.web.pages.tournaments import snapshot
from arena.web.play import pages as play_pages
from arena.web.play.tables import Tables
from arena.web.protection.limits import ConcurrencyLimiter, RateLimits, Turns
from arena.web.protection.middleware import HeadRequests, ProtectionMiddleware
from arena.web.queries import Queries, queries_of
from arena.web.rendering.static_files import StaticAssets
from arena.web.rendering.templates import render
from arena.web.settings import WebSettings, inner_path
from arena.web.submit import my_bots, signing_in
from arena.web.submit import pages as submit_pages
from arena.web.submit.admission import Admission, largest_bundle
from arena.web.submit.queue import Checker, CheckQueue
from engine.core import EngineError
from leaderboard.errors import StoreError
from leaderboard.storage.store import Store

BROKEN: Final = "Something went wrong; the host can see it in the server's log. Try again, or begin at the home page."
UNAVAILABLE: Final = "The database can't be read at the moment; try again later."
"""What visitors are told about a database error; only the host sees the details."""
_BACKGROUND: Final = 1
"""How many threads compute slow statistics, in addition to the threads for checks."""
_NEVER_KEPT: Final = {"cache-control": "no-store"}
_THREADS: Final = 200
"""How many requests may be in progress: several times as many as one address may have, since most of its requests may be waiting."""

router = APIRouter(include_in_schema=False)


def add_handlers(app: FastAPI) -> None:
    """Make the application answer errors with one sentence."""

    @app.exception_handler(HTTPException)
    def failed(request: Request, error: HTTPException) -> Response:
        return _answer(request, error.status_code, str(error.detail), error.headers)

    @app.exception_handler(UnusableError)
    def unusable_field(request: Request, error: UnusableError) -> Response:
        sentence = f"'{error.field}': {error.detail}"
        if _wants_json(request):
            return JSONResponse({"error": sentence, "fields": [{"field": error.field, "message": error.detail}]}, error.status_code)
        return _answer(request, error.status_code, f"Field {sentence.rstrip('.')}.")

    @app.exception_handler(TableError)
    def impossible_at_table(request: Request, error: TableError) -> Response:
        return _answer(request, error.status, as_sentence(error))

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, error: RequestValidationError) -> Response:
        wrong = [{"field": ".".join(str(part) for part in each["loc"][1:]) or "body", "message": each["msg"]} for each in error.errors()]
        sentence = "; ".join(f"'{each['field']}': {each['message']}" for each in wrong)
        if _wants_json(request):
            return JSONResponse({"error": sentence, "fields": wrong}, 422)
        return _answer(request, 422, sentence)

    host = HostLog()

    @app.exception_handler(StoreError)
    def unusable(request: Request, error: StoreError) -> Response:
        host.tell(str(error))
        return _answer(request, 503, UNAVAILABLE)

    @app.exception_handler(SpecError)
    def unknown_tournament(request: Request, error: SpecError) -> Response:
        host.tell(str(error))
        return _answer(request, NOT_HERE, f"This tournament can't be shown here: {str(error).partition(': ')[2]}.")  # without its location

    @app.exception_handler(EngineError)
    def unknown_game(request: Request, error: EngineError) -> Response:
        return _answer(request, NOT_HERE, f"This can't be shown here: {error}.")

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> Response:  # the server logs it once this is answered
        return _answer(request, 500, BROKEN)


def _wants_json(request: Request) -> bool:
    return inner_path(request.scope).startswith("/api/") or "text/html" not in request.headers.get("accept", "text/html")


def _answer(request: Request, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    if _wants_json(request):
        return JSONResponse({"error": sentence}, status, headers)
    return render(request, "error.html", status=status, headers=headers, sentence=sentence, code=status)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: WebSettings = app.state.settings
    current_default_thread_limiter().total_tokens = _THREADS
    if settings.allow_submissions:
        app.state.checks.start()
    if settings.allow_play:
        await app.state.tables.begin()
    yield
    if settings.allow_play:
        await app.state.tables.close()
    app.state.checks.close()
    app.state.analyses.close()
    app.state.background.shutdown(cancel_futures=True)
    app.state.queries.close()


def make_app(settings: WebSettings) -> FastAPI:
    """Return the web application. Raises StoreError if its database can't be used, and OptionsError if a listed game can't be used."""
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
    app.state.background = background = ThreadPoolExecutor(_BACKGROUND + settings.checks.at_once, "arena-background")
    app.state.queries = Queries(
        store,
        fresh_seconds=settings.fresh_seconds,
        background=None if settings.is_static else background,
        only=settings.tournament,
        now=settings.now,
    )
    app.state.turns = Turns()
    app.state.documents = Cache(1 if settings.is_static else MOST_DOCUMENTS)  # in a static site, each is written once
    app.state.boards = Cache(1 if settings.is_static else MOST_BOARDS)
    app.state.analyses = Analyses(of_one=settings.visitors)
    app.state.streams = ConcurrencyLimiter(settings.watchers, settings.streams_of_one * settings.visitors)
    app.state.broadcaster = Broadcaster(partial(snapshot, app.state.queries, settings), settings.poll_seconds)
    add_handlers(app)
    app.state.rate_limits = RateLimits(store, uploads_per_hour=settings.uploads_per_hour)
    settings = replace(settings, upload_limit=max(settings.upload_limit, largest_bundle(store, settings.runtime)))
    app.state.checks = CheckQueue(settings.db, Checker(settings, app.state.games).check, settings.checks, background)
    app.state.admission = Admission(store, settings, app.state.games, app.state.checks)
    app.state.settings = settings
    if settings.allow_play:
        app.state.tables = Tables.load(settings, app.state.games)
    routers = [front.router, season.router, rules.router, bots.router, tournaments.router, head_to_head.router, rounds.router]
    routers += [feeds.router, matches.router, api.router, play_pages.images]
    if settings.allow_submissions:
        routers += [signing_in.router, my_bots.router, submit_pages.router, submission_api.router]
    if settings.allow_play:
        routers += [play_pages.router]
    for each in (*routers, router, api.docs):
        app.router.routes += each.routes  # unchanged; include_router would recreate each of them for every application
    app.mount("/static", StaticAssets(is_static=settings.is_static), name="static")
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(HeadRequests)
    app.add_middleware(ProtectionMiddleware, settings=settings)
    return app


@router.get("/healthz")
def health(request: Request) -> Response:
    """Answer 200 as long as the database can be read, and 503 otherwise."""
    try:
        queries_of(request).check()
    except StoreError:
        return PlainTextResponse("the database does not answer\n", 503, _NEVER_KEPT)
    return PlainTextResponse("ok\n", headers=_NEVER_KEPT)
