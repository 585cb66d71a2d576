"""The pages for spectators. They read the library and nothing else."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from arena.web.library import Library
from arena.web.rendering import render

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


def library(request: Request) -> Library:
    """The library of the application that a request came to."""
    found: Library = request.app.state.library
    return found


@router.get("/")
def tournaments(request: Request) -> HTMLResponse:
    """All tournaments, newest first, with who leads."""
    books = library(request)
    rows = []
    for name in reversed(books.tournament_names()):
        tournament = books.tournament(name)
        lines = books.standings(tournament)
        rows.append({"tournament": tournament, "played": books.played(tournament), "leader": lines[0] if lines else None})
    return render(request, "tournaments.html", rows=rows)


@router.get("/t/{name}")
def standings(request: Request, name: str) -> HTMLResponse:
    """A tournament's standings."""
    books = library(request)
    tournament = books.tournament(name)
    return render(request, "standings.html", tournament=tournament, lines=books.standings(tournament), played=books.played(tournament))
