"""The home page, the list of all tournaments, the search, and the page of a season."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from arena.season.entry import readable
from arena.web.data.front import card, front, search
from arena.web.data.queries import queries_of
from arena.web.data.season import season_page
from arena.web.prefix import site_url
from arena.web.rendering.replay_files import SCRIPTS
from arena.web.rendering.templates import PreparedPage, answer, prepare, show

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
PAGE: Final = 50
"""The number of tournaments on a page of their list."""


@router.get("/")
def home(request: Request) -> Response:
    """Show the home page: who is best in each game, a match, the newest tournaments."""
    return answer(request, queries_of(request).keep("home page", lambda: _home(request)))


def _home(request: Request) -> PreparedPage:
    shown, settings = front(queries_of(request)), request.app.state.settings
    plays = shown.featured is not None and settings.has_replays and not settings.is_static  # a page in a file can't fetch the document
    return prepare(
        request,
        "home.html",
        front=shown,
        seasons=list(readable(queries_of(request).seasons())),
        plays=plays,
        scripts=SCRIPTS,
    )


@router.get("/tournaments")
def tournaments(request: Request, page: Annotated[int, Query(ge=1, le=100_000)] = 1) -> Response:
    """List all tournaments, newest first, with their leaders."""
    queries = queries_of(request)
    names = queries.tournament_names()[::-1]
    cards = [card(queries, queries.tournament(name)) for name in names[(page - 1) * PAGE : page * PAGE]]
    more = page + 1 if len(names) > page * PAGE else None
    return show(request, "tournaments.html", cards=cards, page=page, more=more, number=len(names))


@router.get("/search")
def find(request: Request, q: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Show the tournaments, bots and matches that a visitor searches for, or go to the only match whose id begins with the text."""
    found = search(queries_of(request), q)
    if found.is_one_match:
        return RedirectResponse(site_url(request, f"/m/{found.matches[0].match.id}"), 303)
    return show(request, "search.html", q=q.strip()[:80], found=found)


@router.get("/season/{name}")
def season(request: Request, name: str) -> Response:
    """Show a season's calendar, its stages, and the results of those that are over."""
    return show(request, "season.html", page=season_page(queries_of(request), name))
