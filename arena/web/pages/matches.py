"""The pages of one match: its result and its replay. A seed is shown once nothing is played on it any more."""

from __future__ import annotations

from typing import Final

import msgspec
from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup
from starlette.exceptions import HTTPException

from arena.web.analyses.analyses import analyses_of
from arena.web.analyses.orders import MatchFound
from arena.web.data.queries import queries_of
from arena.web.errors import LATER
from arena.web.rendering.rendering import show, unchanged, with_tag
from arena.web.rendering.replay_files import SCRIPTS, page_of
from arena.web.viewer.analysed import with_analysis
from arena.web.viewer.replay_cache import ReplayCache
from arena.web.viewer.schema import Document
from leaderboard.storage.match_queries import DatedMatch
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
MOST_CARDS: Final = 24
"""Other matches of a block on the page of one: more than any game of six has, but a block of solo play has one for every bot."""


def _find(request: Request, match: str) -> tuple[DatedMatch, StoredTournament, bool]:
    """Return the match, its tournament, and whether its seed and deck may be shown."""
    queries = queries_of(request)
    listed = queries.match(match)
    tournament = queries.tournament(listed.match.tournament)
    return listed, tournament, queries.is_block_over(tournament, listed.match)


def _replay_cache(request: Request) -> ReplayCache:
    cache: ReplayCache = request.app.state.replay_cache
    return cache


@router.get("/m/{match}")
def match(request: Request, match: str) -> Response:
    """Show the result of a match."""
    queries = queries_of(request)
    listed, tournament, is_over = _find(request, match)
    if listed.match.id != match:
        return RedirectResponse(f"/m/{listed.match.id}", 307)
    others = [each.id for each in queries.block(tournament, listed.match) if each.id != listed.match.id]
    return show(
        request,
        "match.html",
        tournament=tournament,
        match=listed.match,
        finished=listed.finished,
        is_over=is_over,
        changes=queries.changes(tournament, listed.match.id),
        others=queries.look_up(tuple(others[:MOST_CARDS])),
        more=max(0, len(others) - MOST_CARDS),
    )


@router.get("/m/{match}/replay")
def replay(request: Request, match: str) -> Response:
    """Show the match in the viewer."""
    listed, tournament, is_over = _find(request, match)
    tag = f'"{listed.match.digest[:24]}-{int(is_over)}"'
    if (answer := unchanged(request, tag)) is not None:
        return answer
    if not is_over:
        return with_tag(show(request, "later.html", tournament=tournament, match=listed.match, why=LATER), tag)
    document = Markup(_replay_cache(request).text(listed.match.id))  # noqa: S704  # our own JSON, with no < > &
    settings = request.app.state.settings
    play_on = f"/play?match={listed.match.id}&at={{d}}" if settings.allow_play and tournament.game in settings.games else ""
    values = {"document": document, "scripts": SCRIPTS, "continue_url": play_on}
    values["page_url"] = "" if settings.is_static else f"/m/{listed.match.id}/replay.html"
    return with_tag(show(request, "watch.html", tournament=tournament, match=listed.match, **values), tag)


@router.get("/m/{match}/viewer.json")
def document(request: Request, match: str) -> Response:
    """Return the viewer's document as JSON (docs/viewer.md)."""
    listed, _, is_over = _find(request, match)
    if not is_over:
        raise HTTPException(403, LATER)
    tag = f'"{listed.match.digest[:24]}"'
    if (answer := unchanged(request, tag)) is not None:
        return answer
    if "gzip" in request.headers.get("accept-encoding", ""):
        packed = _replay_cache(request).packed(listed.match.id)
        headers = {"content-encoding": "gzip", "vary": "accept-encoding"}
        return with_tag(Response(packed, media_type="application/json", headers=headers), tag)
    return with_tag(Response(_replay_cache(request).text(listed.match.id), media_type="application/json"), tag)


@router.get("/m/{match}/replay.html")
def page(request: Request, match: str) -> Response:
    """Return the replay as a page of one file, as 'arena replay --html' writes it; with its analysis, once somebody has asked for that."""
    listed, _, is_over = _find(request, match)
    if not is_over:
        raise HTTPException(403, LATER)
    document = msgspec.json.decode(_replay_cache(request).text(listed.match.id), type=Document)
    found = analyses_of(request).find(listed.match.id)
    if isinstance(found, MatchFound):
        document = with_analysis(document, found.analysis, found.evaluation)
    headers = {"content-disposition": f'attachment; filename="{listed.match.id}.html"'}
    return with_tag(HTMLResponse(page_of(document), headers=headers), f'"{listed.match.digest[:24]}-{int(document.analysis is not None)}"')


@router.get("/m/{match}/replay.json")
def file(request: Request, match: str) -> Response:
    """Return the replay as it is stored, for 'arena replay' and 'arena replay verify'."""
    listed, _, is_over = _find(request, match)
    if not is_over:
        raise HTTPException(403, LATER)
    text = queries_of(request).store.replay(listed.match.id)
    headers = {"content-disposition": f'attachment; filename="{listed.match.id}.json"'}
    return with_tag(Response(text, media_type="application/json", headers=headers), f'"{listed.match.digest[:24]}"')
