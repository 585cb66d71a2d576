"""The analysis of a match for the viewer, computed when a visitor asks for it: ``POST`` begins, ``GET`` tells what has been found."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from arena.web.analyses.analyses import SECONDS, analyses_of
from arena.web.analyses.orders import Found, MatchFound, MatchOrder, Trouble
from arena.web.data.queries import queries_of
from arena.web.errors import LATER, NotFoundError
from arena.web.protection.rate_limits import ANALYSES, address_of, from_here, rate_limits
from arena.web.viewer.schema import write
from leaderboard.records.stored import StoredMatch

router = APIRouter(include_in_schema=False)
BUSY: Final = "Other matches are being analysed; try again in a minute."


@router.get("/m/{match}/analysis.json")
def analysis(request: Request, match: str) -> Response:
    """Return what has been found: status 200 with it, 202 while it is computed, 404 if nobody has asked."""
    listed = _shown(request, match)
    analyses = analyses_of(request)
    if (found := analyses.find(listed.id)) is not None:
        return _answer(found)
    if analyses.is_asked(listed.id):
        return JSONResponse({"state": "waiting"}, 202)
    raise NotFoundError("This match has not been analysed yet.")


@router.post("/m/{match}/analysis.json")
def begin(request: Request, match: str) -> Response:
    """Have a match analysed; answers as the above does."""
    from_here(request)
    listed = _shown(request, match)
    analyses = analyses_of(request)
    if (found := analyses.find(listed.id)) is not None:
        return _answer(found)
    if not analyses.is_asked(listed.id):
        if analyses.is_full:  # what is refused does not count
            raise HTTPException(503, BUSY, {"retry-after": "60"})
        rate_limits(request).count(ANALYSES, "analysis", address_of(request), "Your address has asked for many analyses; try again later.")
        order = MatchOrder(queries_of(request).store.replay(listed.id), SECONDS)
        if not analyses.ask(listed.id, order):
            raise HTTPException(503, BUSY, {"retry-after": "60"})
    return JSONResponse({"state": "waiting"}, 202)


def _shown(request: Request, match: str) -> StoredMatch:
    """Return a match whose replay may be seen. Raises HTTPException."""
    queries = queries_of(request)
    listed = queries.match(match).match
    if not request.app.state.settings.has_analyses:
        raise NotFoundError("Matches are not analysed here; 'arena analyse' does it anywhere.")
    if not queries.is_block_over(queries.tournament(listed.tournament), listed):
        raise HTTPException(403, LATER)
    return listed


def _answer(found: Found) -> Response:
    if isinstance(found, Trouble):
        raise HTTPException(422, found.sentence)
    assert isinstance(found, MatchFound), "it is what was ordered"
    return Response(write(found), media_type="application/json")
