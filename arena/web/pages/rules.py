"""The pages that explain: help, and the rules of each game in its own words."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from arena.web.pages.rules_content import game_rules, known_games, picture
from arena.web.rendering.rendering import show

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/help")
def help_page(request: Request) -> Response:
    """Show how to read the pages, how to check results, how to play and how to submit."""
    return show(request, "help.html")


@router.get("/rules")
def all_rules(request: Request) -> Response:
    """List the games."""
    return show(request, "rules.html", games=known_games())


@router.get("/rules/{game}")
def rules_of(request: Request, game: str) -> Response:
    """Show a game's rules."""
    return show(request, "game-rules.html", rules=game_rules(game))


@router.get("/rules/{game}/{moment}.svg")
def rules_picture(game: str, moment: str) -> Response:
    """Return a picture of a match of a game."""
    return Response(picture(game, moment), media_type="image/svg+xml", headers={"cache-control": "public, max-age=86400"})
