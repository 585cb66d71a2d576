"""The pages of one match: result, replay, analysis, final board. The seed is shown once all matches that use it are over."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from functools import partial
from types import MappingProxyType
from typing import Annotated, Final

import msgspec
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from markupsafe import Markup
from starlette.exceptions import HTTPException

from arena.spec.spec import SpecError
from arena.web.analyses import BUSY, SECONDS, analyses_of
from arena.web.analysis_worker import Failure, MatchAnswer, MatchJob
from arena.web.cache import Cache
from arena.web.errors import NotFoundError
from arena.web.play.explore import Place, explore_page
from arena.web.protection.limits import ANALYSES, Turns, address_of, from_here, rate_limits, site_of
from arena.web.queries import queries_of
from arena.web.rendering.replay_files import SharedReplay, embed_of, page_of
from arena.web.rendering.templates import show, unchanged, with_tag
from arena.web.settings import site_url
from arena.web.viewer.documents import Document, document_of, write
from arena.web.viewer.small_board import hidden_board, small_board
from engine.core import EngineError
from engine.records import decode
from engine.replay.format import read_replay
from engine.replay.verifier import state_at, timeline_of
from leaderboard.records import StoredMatch
from leaderboard.storage.matches import DatedMatch
from leaderboard.storage.play_tables import StoredTable, find_human_match, human_match_replay
from leaderboard.storage.store import Store, StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
MOST_DOCUMENTS: Final = 256
MOST_BOARDS: Final = 1024
"""How many viewer documents (``MOST_DOCUMENTS``) and final boards (``MOST_BOARDS``) are kept in memory at most."""
MOST_CARDS: Final = 24
"""A match's page lists at most this many other matches of its block, and gives the number of the rest."""
_HIDDEN_BOARD: Final = gzip.compress(hidden_board().encode(), mtime=0)


def _packed(request: Request, cache: Cache, match: str, draw: Callable[[Store, str], str]) -> bytes:
    """Return the output of ``draw``, compressed with gzip, from the cache or after waiting for a turn. Raises the errors of ``draw``."""
    turns: Turns = request.app.state.turns
    with nullcontext() if cache.is_made(match) else turns.turn(site_of(request)):
        return cache.get(match, None, lambda: gzip.compress(draw(queries_of(request).store, match).encode(), 6, mtime=0))


def _document(request: Request, match: str) -> bytes:
    """Return the viewer's document, JSON that is safe in HTML, compressed with gzip. Raises HTTPException (503) and StoreError."""
    return _packed(request, request.app.state.documents, match, _draw_document)


def _draw_document(store: Store, match: str) -> str:
    text = store.replay(match) if find_human_match(store, match) is None else human_match_replay(store, match)
    try:
        return write(document_of(timeline_of(read_replay(text))))
    except EngineError as error:
        raise HTTPException(503, f"The replay of match {match} can't be shown: {error}.") from None


def _draw_board(store: Store, match: str) -> str:
    replay = read_replay(store.replay(match))
    return small_board(state_at(replay, len(replay.decisions)))


def _find(request: Request, match: str) -> tuple[DatedMatch, StoredTournament, bool]:
    queries = queries_of(request)
    listed = queries.match(match)
    tournament = queries.tournament(listed.match.tournament)
    return listed, tournament, queries.is_block_over(tournament, listed.match)


def _find_open(request: Request, match: str) -> StoredMatch:
    listed, tournament, is_over = _find(request, match)
    if not is_over:
        raise HTTPException(403, queries_of(request).why_hidden(tournament))
    return listed.match


@router.get("/m/{match}")
def match(request: Request, match: str) -> Response:
    """Show a match: its replay in the viewer, its analysis and its details."""
    queries, settings = queries_of(request), request.app.state.settings
    if (played := find_human_match(queries.store, match)) is not None:
        return _match_of_people(request, played)
    listed, tournament, is_over = _find(request, match)
    if listed.match.id != match:
        return RedirectResponse(site_url(request, f"/m/{listed.match.id}"), 307)
    others = [each.id for each in queries.block(tournament, listed.match) if each.id != listed.match.id]
    answer = analyses_of(request).find(listed.match.id) if is_over else None
    document, problem = _embedded(request, listed.match.id) if is_over and settings.has_replays else ("", "")
    return show(
        request,
        "match.html",
        story=answer.story if isinstance(answer, MatchAnswer) else None,
        failure=answer.sentence if isinstance(answer, Failure) else "",
        tournament=tournament,
        match=listed.match,
        finished=listed.finished,
        is_over=is_over,
        document=document,
        problem=problem if is_over else queries.why_hidden(tournament),
        continue_url=_continue_url(request, listed.match.id, tournament.game),
        others=queries.look_up(tuple(others[:MOST_CARDS])),
        more=max(0, len(others) - MOST_CARDS),
    )


def _embedded(request: Request, match: str) -> tuple[Markup, str]:
    try:
        packed = _document(request, match)
    except HTTPException as error:
        return Markup(), str(error.detail)
    document = b64encode(packed) if request.app.state.settings.is_static else gzip.decompress(packed)
    return Markup(document.decode()), ""  # noqa: S704  # our own, with no < > &


def _match_of_people(request: Request, match: StoredTable) -> Response:
    document, problem = _embedded(request, match.ticket)
    if problem:
        raise HTTPException(503, problem)
    continue_url = _continue_url(request, match.ticket, match.game)
    return show(request, "human_match.html", match=match, document=document, continue_url=continue_url)


def _continue_url(request: Request, match: str, game: str) -> str:
    """Return the address for continuing a match from decision ``{d}``; empty if people can't play the game on this server."""
    settings = request.app.state.settings
    return site_url(request, f"/play?match={match}&at={{d}}") if settings.allow_play and game in settings.games else ""


def _shared_of(request: Request, match: StoredMatch | StoredTable) -> SharedReplay:
    queries = queries_of(request)
    if isinstance(match, StoredTable):
        names, read = tuple(seat.name for seat in match.seats), partial(human_match_replay, queries.store, match.ticket)
        return SharedReplay(f"/m/{match.ticket}", match.ticket, match.game, names, match.decisions, read)
    game, names = queries.tournament(match.tournament).game, tuple(seat.bot for seat in match.seats)
    return SharedReplay(f"/m/{match.id}", match.id, game, names, match.decisions, partial(queries.store.replay, match.id))


def _find_shared(request: Request, match: str) -> StoredMatch | StoredTable:
    """Return a match that people played, or a tournament's match whose seed and deck may be shown. Raises HTTPException."""
    return find_human_match(queries_of(request).store, match) or _find_open(request, match)


@router.get("/m/{match}/embed")
def embed(request: Request, match: str) -> Response:
    """Show the match in the viewer alone, for embedding on other sites."""
    shown = _find_shared(request, match)
    return embed_of(request, _shared_of(request, shown), gzip.decompress(_document(request, shown.id)).decode())


@router.get("/m/{match}/explore")
def explore(request: Request, match: str, place: Annotated[Place, Query()]) -> Response:
    """Show the explorer for a position of the match."""
    turns: Turns = request.app.state.turns
    with turns.turn(site_of(request)):
        return explore_page(request, _shared_of(request, _find_shared(request, match)), place)


def _sent(request: Request, packed: bytes, media_type: str, headers: Mapping[str, str] = MappingProxyType({})) -> Response:
    """Return a response with compressed content, decompressed for a browser that does not accept gzip."""
    headers = {"vary": "accept-encoding", **headers}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed, media_type=media_type, headers=headers | {"content-encoding": "gzip"})
    return Response(gzip.decompress(packed), media_type=media_type, headers=headers)


@router.get("/m/{match}/viewer.json")
def document(request: Request, match: str) -> Response:
    """Return the viewer's document as JSON (``web.viewer.documents``)."""
    shown = _find_open(request, match)
    tag = f'"{shown.digest[:24]}"'
    return unchanged(request, tag) or with_tag(_sent(request, _document(request, shown.id), "application/json"), tag)


@router.get("/m/{match}/board.svg")
def board(request: Request, match: str) -> Response:
    """Return a picture of the final board, or only of backs of tiles if the deck will be played again or the game can't be drawn."""
    queries = queries_of(request)
    shown = queries.match(match).match
    packed, keep = _HIDDEN_BOARD, "no-cache"
    with suppress(SpecError, EngineError):  # the match page reports what is missing; a card only lacks its picture
        if queries.is_block_over(queries.tournament(shown.tournament), shown):
            packed, keep = _packed(request, request.app.state.boards, shown.id, _draw_board), "public, max-age=86400"
    return _sent(request, packed, "image/svg+xml", {"cache-control": keep})


@router.get("/m/{match}/replay.html")
def page(request: Request, match: str) -> Response:
    """Return the replay as a single HTML file, as 'arena replay --html' writes it, with its analysis if there is one."""
    shown = _find_open(request, match)
    document = decode(gzip.decompress(_document(request, shown.id)).decode(), Document)
    result = analyses_of(request).find(shown.id)
    story = None
    if isinstance(result, MatchAnswer):
        document = msgspec.structs.replace(document, marks=result.marks, evaluation=result.evaluation)
        story = result.story
    answer = HTMLResponse(page_of(document, story=story), headers=_attachment(f"{shown.id}.html"))
    return with_tag(answer, f'"{shown.digest[:24]}-{int(story is not None)}"')


@router.get("/m/{match}/replay.json")
def file(request: Request, match: str) -> Response:
    """Return the replay as it is stored, for 'arena replay' and 'arena replay verify'."""
    shown = _find_open(request, match)
    text = queries_of(request).store.replay(shown.id)
    return with_tag(Response(text, media_type="application/json", headers=_attachment(f"{shown.id}.json")), f'"{shown.digest[:24]}"')


def _attachment(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}


@router.get("/m/{match}/analysis.json")
def analysis(request: Request, match: str) -> Response:
    """Return the match's analysis (status 200). The status is 202 while it is being computed, and 404 if it was not requested."""
    if (answer := _analysis(request, _find_analysable(request, match))) is not None:
        return answer
    raise NotFoundError("This match has not been analysed yet.")


@router.post("/m/{match}/analysis.json")
def analyse(request: Request, match: str, *, unasked: bool = False) -> Response:
    """Request an analysis of a match. The response is the same as for GET.

    ``unasked`` is whether the page requests it without a click; such a request is refused (503) while other analyses wait.
    """
    shown = _ask(request, match, unasked=unasked)
    return _analysis(request, shown) or JSONResponse({"state": "waiting"}, 202)


def _ask(request: Request, match: str, *, unasked: bool = False) -> StoredMatch:
    from_here(request)
    shown, analyses, who = _find_analysable(request, match), analyses_of(request), site_of(request)
    if analyses.find(shown.id) is not None or analyses.is_asked(shown.id):
        return shown
    if analyses.is_full(who) or (unasked and analyses.is_waited_for):  # refused requests don't count
        raise HTTPException(503, BUSY, {"retry-after": "60"})
    what = "unasked analysis" if unasked else "analysis"
    rate_limits(request).count(ANALYSES, what, address_of(request), "Too many analyses from your address; try again later.")
    if not analyses.ask(shown.id, MatchJob(queries_of(request).store.replay(shown.id), SECONDS), who):
        raise HTTPException(503, BUSY, {"retry-after": "60"})
    return shown


def _find_analysable(request: Request, match: str) -> StoredMatch:
    if not request.app.state.settings.has_analyses:
        raise NotFoundError("Matches are not analysed on this server; use 'arena analyse'.")
    return _find_open(request, match)


def _analysis(request: Request, shown: StoredMatch) -> Response | None:
    analyses = analyses_of(request)
    result = analyses.find(shown.id)
    if result is None:
        return JSONResponse({"state": "waiting"}, 202) if analyses.is_asked(shown.id) else None
    if isinstance(result, Failure):
        raise HTTPException(422, result.sentence)
    assert isinstance(result, MatchAnswer), "a match analysis was requested"
    return Response(write(msgspec.structs.replace(result, story=None)), media_type="application/json")
