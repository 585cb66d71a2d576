"""The page of ratings over time, and its data for the bots that a visitor chooses."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from arena.web.data.places import places as own_places
from arena.web.data.queries import Queries, queries_of
from arena.web.rendering.overlay_chart import BEST, STYLES, Curve, curve_of
from arena.web.rendering.rendering import show
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


def curves_of(queries: Queries, tournament: StoredTournament) -> tuple[Curve, ...] | None:
    """Return the curve of every rated bot, best first; None while they are read for the first time."""
    if not queries.played(tournament):
        return ()
    stats = queries.stats_soon(tournament)
    if stats is None:
        return None
    own = own_places(queries, tournament)
    order = [line.bot for line in queries.standings(tournament)] if own is None else [each.bot for each in own]
    return tuple(curve_of(stats.history[bot]) for bot in order if bot in stats.history)


@router.get("/t/{name}/ratings")
def ratings(request: Request, name: str) -> Response:
    """Show the ratings of the best bots over time in one chart; a script adds and removes others."""
    queries = queries_of(request)
    tournament = queries.tournament(name)
    curves = curves_of(queries, tournament)
    values = {"curves": (curves or ())[:BEST], "number": len(curves or ()), "is_pending": curves is None, "most": STYLES}
    return show(request, "ratings.html", tournament=tournament, **values)


@router.get("/t/{name}/ratings.json")
def ratings_data(request: Request, name: str) -> Response:
    """Return the curves of all bots, best first, as the chart draws them: names, numbers of matches, scores."""
    queries = queries_of(request)
    curves = curves_of(queries, queries.tournament(name)) or ()
    return JSONResponse({"bots": [{"name": each.bot, "numbers": each.numbers, "scores": each.scores} for each in curves]})
