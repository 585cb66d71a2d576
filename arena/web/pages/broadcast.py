"""The broadcast of a tournament: a page on which everybody follows the same match, move by move, and what it asks for when that ends."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from arena.web.data.broadcast import Broadcasts, Showing, in_words
from arena.web.data.queries import queries_of
from arena.web.errors import NotFoundError
from arena.web.rendering.rendering import render
from arena.web.rendering.replay_files import SCRIPTS
from engine.text import figure
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
ASK_AGAIN = 15.0
"""Seconds after which a page asks again while there is nothing to show."""


def _tournament(request: Request, name: str) -> StoredTournament:
    if request.app.state.settings.is_static:
        raise NotFoundError("A site of files has no broadcast.")
    return queries_of(request).tournament(name)


def _told(showing: Showing | None, moment: datetime) -> dict[str, object]:
    """Return what a page needs to show it; the outcome only once the match is over."""
    if showing is None:
        return {"match": None, "outcome": None, "left": ASK_AGAIN}
    match = showing.listed.match
    is_over = showing.is_over(moment)
    ranked = sorted(match.seats, key=lambda seat: seat.rank)
    return {
        "match": match.id,
        "players": [seat.bot for seat in match.seats],
        "started": round(showing.elapsed(moment), 2),
        "pace": round(showing.pace, 3),
        "left": round(max(showing.left(moment), 0.0), 2),
        "played": in_words(showing.ago),
        "outcome": [f"{seat.bot}: {figure(seat.score)}" for seat in ranked] if is_over else None,
        "ending": match.end if is_over else None,
    }


@router.get("/t/{name}/live")
def live(request: Request, name: str) -> Response:
    """Show the match that is on the air, at the moment it has come to."""
    tournament = _tournament(request, name)
    broadcasts: Broadcasts = request.app.state.broadcasts
    told = _told(*broadcasts.now(tournament))
    state = queries_of(request).state(tournament)
    page = render(request, "broadcast.html", tournament=tournament, told=told, state=state, scripts=SCRIPTS)
    page.headers["cache-control"] = "no-store"  # it begins where the match is now
    return page


@router.get("/t/{name}/live.json")
def live_now(request: Request, name: str) -> Response:
    """Return what is on the air: the match and the seconds since it began, its outcome once it has ended."""
    broadcasts: Broadcasts = request.app.state.broadcasts
    return JSONResponse(_told(*broadcasts.now(_tournament(request, name))), headers={"cache-control": "no-store"})
