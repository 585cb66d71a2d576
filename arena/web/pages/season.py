"""The page of a season."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from arena.web.data.queries import queries_of
from arena.web.data.season import season_page
from arena.web.rendering.templates import show

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/season/{name}")
def season(request: Request, name: str) -> Response:
    """Show a season's calendar, its stages, and the results of those that are over."""
    return show(request, "season.html", page=season_page(queries_of(request), name))
