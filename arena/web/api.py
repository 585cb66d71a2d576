"""The JSON API for reading tournaments, standings, matches, replays and bots, and the page that describes the whole API."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from arena.run.results import Standing, placed
from arena.web.errors import UnusableError
from arena.web.pages.rounds import places
from arena.web.protection.limits import rate_limits
from arena.web.queries import Queries, queries_of
from arena.web.rendering.templates import render, without_folders
from arena.web.settings import site_url
from arena.web.submit.admission import LONGEST_NAME, SUFFIXES
from arena.web.submit.my_bots import with_own_words
from engine.records import Fault, FaultKind
from leaderboard.statistics.summary import HeadToHead
from leaderboard.storage.matches import ANY_FAULT, PAGE, DatedMatch, MatchFilter
from leaderboard.storage.store import StoredTournament

docs = APIRouter(include_in_schema=False)
PREFIX = "/api/v1"
_bearer = HTTPBearer(auto_error=False, description="an author's token (after the # of a personal link)")
Name = Annotated[str, Path(min_length=1, max_length=200, pattern=r"^[^\x00]+$")]


class Problem(BaseModel):
    """What went wrong, in one sentence."""

    error: str


class WrongField(BaseModel):
    """A field that can't be used, and why."""

    field: str
    message: str


class Refusal(Problem):
    """What was wrong with the request: each field that can't be used, and why."""

    fields: list[WrongField] = []


class Item(BaseModel):
    """A record as the API returns it."""

    @classmethod
    def of(cls, source: object, **more: object) -> Self:
        """Return an item with the attributes of the record ``source``; ``more`` adds or replaces attributes."""
        return cls.model_validate({name: getattr(source, name) for name in cls.model_fields if name not in more} | more)


class TournamentItem(Item):
    """A tournament; ``total`` is null while the number of its matches is not known."""

    name: str
    game: str
    bots: list[str]
    played: int
    total: int | None
    is_running: bool


class FaultItem(Item):
    """A bot's fault, and the decision at which it happened.

    ``detail`` is empty for visitors until the match's block is over; only the bot's author may see text that the bot wrote.
    """

    kind: str
    index: int
    detail: str


class SeatItem(Item):
    """The result of one seat."""

    bot: str
    score: int | float
    rank: int
    decisions: int
    seconds: float
    fault: FaultItem | None


class MatchItem(Item):
    """A match; ``seed`` is null until all matches on that seed have been played."""

    id: str
    tournament: str
    round: int
    block: int
    rotation: int
    seed: int | None
    end: str
    decisions: int
    seconds: float
    digest: str
    isolation: str
    finished: datetime
    seats: list[SeatItem]


class MatchPage(BaseModel):
    """A page of matches, newest first. Send ``after`` to get the next page; it is null on the last page."""

    matches: list[MatchItem]
    after: str | None


class VersionItem(Item):
    """A version of a bot, identified by its content hash; only submitted versions have a ``number``."""

    version: str
    number: int | None
    author: str | None
    submitted: datetime | None
    retired: bool


class BotItem(Item):
    """A bot with its versions, oldest first, and the tournaments it has entered."""

    name: str
    versions: list[VersionItem]
    tournaments: list[str]


class Limits(Item):
    """The limits of this server, and what visitors may do on it."""

    requests_per_minute: int
    upload_bytes: int
    uploads_per_hour: int
    check_seconds: float
    longest_name: int
    suffixes: list[str]
    allow_submissions: bool
    allow_play: bool


ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "Not found; the message says what exists."},
    422: {"model": Refusal, "description": "A field can't be used; the response names it."},
    429: {"description": "Too many requests."},
    503: {"model": Problem, "description": "The database can't be read at the moment."},
}
router = APIRouter(prefix=PREFIX, tags=["reading"], responses=ERRORS)


def _tournament(queries: Queries, tournament: StoredTournament) -> TournamentItem:
    state = queries.state(tournament)
    bots = [entrant.name for entrant in tournament.entrants]
    return TournamentItem.of(tournament, bots=bots, played=state.played, is_running=state.is_running)


@router.get("/tournaments")
def list_tournaments(request: Request) -> list[TournamentItem]:
    """All tournaments, newest first."""
    queries = queries_of(request)
    return [_tournament(queries, queries.tournament(name)) for name in reversed(queries.tournament_names())]


@router.get("/tournaments/{name}")
def read_tournament(request: Request, name: Name) -> TournamentItem:
    """One tournament."""
    queries = queries_of(request)
    return _tournament(queries, queries.tournament(name))


@router.get("/tournaments/{name}/standings")
def read_standings(request: Request, name: Name) -> list[Standing]:
    """The leaderboard, best first: by ``place`` in a Swiss tournament, knockout or final; otherwise by ``rating`` (``place`` is null).

    ``rating`` is TrueSkill's mu - 3 sigma; its interval goes up to mu + 3 sigma.
    """
    queries = queries_of(request)
    tournament = queries.tournament(name)
    return list(placed(queries.standings(tournament), places(queries, tournament) or ()))


@router.get("/tournaments/{name}/head-to-head")
def read_head_to_head(
    request: Request, name: Name, bot: Annotated[str | None, Query(max_length=40, description="only this bot's contests")] = None
) -> list[HeadToHead]:
    """Every pair of bots that has met in a complete block, seen from both sides."""
    queries = queries_of(request)
    tournament = queries.tournament(name)
    if bot is not None:
        queries.entrant(tournament, bot)
    contests = queries.stats(tournament).contests.values()
    return [each for each in contests if bot in {None, each.bot}]


@router.get("/tournaments/{name}/matches")
def list_matches(
    request: Request,
    name: Name,
    bot: Annotated[str | None, Query(max_length=40, description="a bot that played")] = None,
    opponent: Annotated[str | None, Query(max_length=40, description="another bot that played")] = None,
    seat: Annotated[int | None, Query(ge=0, le=5, description="the seat of that bot")] = None,
    players: Annotated[int | None, Query(ge=1, le=6, description="number of seats")] = None,
    fault: Annotated[Literal["any"] | FaultKind | None, Query(description="a fault of that bot or, if no bot is given, of any bot")] = None,
    end: Annotated[str | None, Query(max_length=40, description="how it ended")] = None,
    block: Annotated[int | None, Query(ge=0, le=2**53, description="number of the block")] = None,
    after: Annotated[str | None, Query(max_length=64, pattern="^[0-9a-zA-Z]+$", description="the 'after' of the previous page")] = None,
) -> MatchPage:
    """Matches that meet all the given conditions, newest first, a page at a time."""
    queries = queries_of(request)
    tournament = queries.tournament(name)
    for each in (bot, opponent):
        if each is not None:
            queries.entrant(tournament, each)
    if seat is not None and bot is None:
        raise UnusableError("seat", "can only be given with 'bot', the bot in that seat")
    kind = None if fault is None else ANY_FAULT if fault == ANY_FAULT else str(fault)
    wanted = MatchFilter(bot=bot, opponent=opponent, seat=seat, fault=kind, players=players, end=end, block=block)
    page = queries.matches(tournament, wanted, after)
    return MatchPage(matches=[match_item(queries, tournament, each) for each in page.matches], after=page.after)


def match_item(queries: Queries, tournament: StoredTournament, listed: DatedMatch) -> MatchItem:
    """Return a match as an API item with all fault details in ``listed``; the caller must remove any that the reader may not see."""
    match = listed.match
    seats = [SeatItem.of(seat, fault=_fault(seat.fault) if seat.fault else None) for seat in match.seats]
    seed = match.seed if queries.is_block_over(tournament, match) else None
    return MatchItem.of(match, seed=seed, finished=listed.finished, seats=seats)


def _fault(fault: Fault) -> FaultItem:
    return FaultItem.of(fault, kind=fault.kind.value, detail=without_folders(fault.detail))


def reader_of(request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]) -> str | None:
    """Return the id of the author whose token came with the request, or None if none came. Raises HTTPException (401) for a wrong token."""
    if credentials is None:
        return None
    author = rate_limits(request).author(request, credentials.credentials)
    if author is None:
        raise HTTPException(401, "This is not a token of this server, or it was revoked.", {"www-authenticate": "Bearer"})
    return author


Reader = Annotated[str | None, Depends(reader_of)]


@router.get("/matches/{match}", responses={401: {"model": Problem}})
def read_match(request: Request, match: Name, author: Reader) -> MatchItem:
    """One match, by its id or the beginning of its id; with an author's token, including the details of their bots' faults."""
    queries = queries_of(request)
    listed = queries.match(match)
    tournament = queries.tournament(listed.match.tournament)
    if author is not None:
        listed = replace(listed, match=with_own_words(queries, tournament, listed.match, author))
    return match_item(queries, tournament, listed)


@router.get(
    "/matches/{match}/replay",
    responses={200: {"content": {"application/json": {}}, "description": "A replay (docs/replay-format.md)."}, 403: {"model": Problem}},
    response_class=Response,
)
def read_replay(request: Request, match: Name) -> Response:
    """The replay of a match as it is stored, once all matches on its seed have been played."""
    queries = queries_of(request)
    stored = queries.match(match).match
    tournament = queries.tournament(stored.tournament)
    if not queries.is_block_over(tournament, stored):
        raise HTTPException(403, queries.why_hidden(tournament))
    return Response(queries.store.replay(stored.id), media_type="application/json")


@router.get("/bots")
def list_bots(request: Request) -> list[BotItem]:
    """All bots, each with its versions."""
    queries = queries_of(request)
    return [_bot(queries, name) for name in queries.bots()]


@router.get("/bots/{name}")
def read_bot(request: Request, name: Name) -> BotItem:
    """One bot with its versions."""
    queries = queries_of(request)
    queries.versions(name)
    return _bot(queries, name)


def _bot(queries: Queries, name: str) -> BotItem:
    submitted = queries.submissions(name)
    versions = [
        VersionItem(version=each.digest, number=own.number, author=own.by, submitted=own.sent, retired=own.is_retired)
        if (own := submitted.get(each.digest)) is not None
        else VersionItem(version=each.digest, number=None, author=None, submitted=None, retired=False)
        for each in queries.versions(name)
    ]
    tournaments = list(dict.fromkeys(tournament for tournament, _ in queries.tournaments_of(name)))
    return BotItem(name=name, versions=versions, tournaments=tournaments)


@router.get("/limits")
def read_limits(request: Request) -> Limits:
    """The limits of this server, and what visitors may do on it."""
    settings = request.app.state.settings
    return Limits.of(
        settings,
        upload_bytes=settings.upload_limit,
        check_seconds=settings.checks.seconds,
        longest_name=LONGEST_NAME,
        suffixes=list(SUFFIXES),
    )


@docs.get("/api/openapi.json")
def description(request: Request) -> JSONResponse:
    """The OpenAPI description of the API."""
    return JSONResponse(request.app.openapi())


@docs.get("/api")
def overview(request: Request) -> HTMLResponse:
    """The description of the API as a page."""
    schema = request.app.openapi()
    calls = [
        {"method": method.upper(), "path": path, "summary": call.get("description", ""), "parameters": call.get("parameters", [])}
        for path, methods in schema["paths"].items()
        for method, call in methods.items()
    ]
    models = {
        name: json.dumps(model.get("properties", {}), indent=1)
        for name, model in schema["components"]["schemas"].items()
        if not name.startswith("Body_")
    }
    return render(request, "api.html", calls=calls, models=models, PAGE=PAGE)


@docs.get("/api/{path:path}")
def nothing(request: Request, path: str) -> Response:
    """Answer an unknown address below the API with an error in JSON."""
    raise HTTPException(404, f"There is no '{site_url(request, '/api/')}{path:.80}'; {site_url(request, '/api')} lists the calls.")
