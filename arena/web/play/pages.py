"""The pages for playing: the lobby, creating and joining a table, and the table itself."""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from collections.abc import AsyncIterator
from math import inf
from typing import Annotated, Final
from urllib.parse import quote, unquote

from fastapi import APIRouter, Depends, Form, Path, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.sse import EventSourceResponse, format_sse_event
from limits import RateLimitItemPerHour, RateLimitItemPerMinute
from markupsafe import Markup
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from arena.web.errors import NotFoundError, TableError, UnusableError, as_sentence
from arena.web.games import LONGEST_NAME
from arena.web.live import PING_SECONDS, stream
from arena.web.play.lobby import (
    FormValues,
    Lobby,
    Prefix,
    bots_to_play,
    completed,
    default_values,
    game_of_form,
    most_seats,
    offered_games,
    opponents_of,
    play_now,
    prefix_of,
    seats_of,
)
from arena.web.play.move_picker.base import has_tray, image_of
from arena.web.play.seat_view import GUEST, seat_view, with_deadline
from arena.web.play.table import Table
from arena.web.play.tables import Tables
from arena.web.protection.limits import address_of, from_here, rate_limits
from arena.web.queries import queries_of
from arena.web.rendering.templates import render
from arena.web.settings import site_url
from arena.web.viewer.documents import write
from bots.clock import running_time
from engine.core import EngineError, OptionsError, State, View
from engine.render import drawing
from engine.render.svg import from_one
from engine.text import figure, plain_lines, short
from leaderboard.errors import StoreError
from leaderboard.storage.play_tables import Stage, human_matches

router = APIRouter(prefix="/play", include_in_schema=False, default_response_class=HTMLResponse)
images = APIRouter(prefix="/play", include_in_schema=False)
"""The routes of the images in a move picker's choices. A server on which people can't play has them too."""
NO_STORE: Final = {"cache-control": "no-store"}
TABLES_OF_ONE: Final = RateLimitItemPerHour(60)
_LINES: Final = RateLimitItemPerMinute(12)
_LINES_OF_ADDRESS: Final = RateLimitItemPerMinute(40)
_HINTS: Final = RateLimitItemPerMinute(20)
_SECRET: Final = "player"  # noqa: S105  # the name of a cookie
_NAME: Final = "player-name"
_PERSONS_NAME: Final = 20
"""The most characters in a person's name."""
_NEW_SECRET: Final = "arena.new_secret"  # noqa: S105  # a key of a request's ASGI scope
_IS_SECRET: Final = re.compile("[A-Za-z0-9_-]{32}")
_COOKIE_SECONDS: Final = 30 * 86400
"""How long a browser keeps the cookies."""
_LOBBY_SECONDS: Final = 1.0
"""The shortest time between two events about the lobby."""
_LAST_SECONDS: Final = 3600.0
"""How long after a match its page still receives events, such as a rematch."""


def _secret_of(request: Request) -> str:
    secret = request.cookies.get(_SECRET, "")
    return secret if _IS_SECRET.fullmatch(secret) else ""


def _key_of(request: Request, secret: str = "") -> str:
    """Return the key of the visitor's seats, which is the SHA-256 of the browser's secret, or an empty string if there is no secret."""
    secret = secret or _secret_of(request)  # 192 random bits, which nobody can guess from a plain digest
    return hashlib.sha256(secret.encode()).hexdigest() if secret else ""


def _new_key(request: Request) -> str:
    """Return the visitor's key; if the browser has no secret, create one, which ``_remember`` stores in the browser."""
    return _key_of(request) or _key_of(request, request.scope.setdefault(_NEW_SECRET, secrets.token_urlsafe(24)))


def _remember(request: Request, answer: Response, name: str) -> None:
    secret: str = request.scope.get(_NEW_SECRET, "") or _secret_of(request)
    path, secure = site_url(request, "/play"), request.url.scheme == "https"
    for cookie, value in ((_SECRET, secret), (_NAME, quote(_clean_name(name)) if name.strip() else "")):
        if value:
            answer.set_cookie(cookie, value, max_age=_COOKIE_SECONDS, path=path, httponly=True, samesite="lax", secure=secure)


def _known_name(request: Request) -> str:
    return _clean_name(unquote(request.cookies.get(_NAME, "")[:400], errors="replace"))


def _clean_name(name: str) -> str:
    return short(name, _PERSONS_NAME) or GUEST


@router.get("")
def start(
    request: Request,
    match: Annotated[str, Query(max_length=64)] = "",
    at: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    game: Annotated[str, Query(max_length=LONGEST_NAME)] = "",
) -> HTMLResponse:
    """Show the lobby with the form for a new table, or the form for continuing from a position of a match."""
    return _form(request, match, at, game=game)


def _form(
    request: Request, match: str, at: int, *, game: str = "", given: FormValues | None = None, problem: str = "", status: int = 200
) -> HTMLResponse:
    prefix = prefix_of(request, match, at) if match else None
    store = queries_of(request).store
    games = offered_games(request).choices()
    mine, public = ([], []) if prefix or problem else lobby(request)
    return render(
        request,
        "play.html",
        status=status,
        headers=NO_STORE,
        match=match,
        at=at,
        prefix=prefix,
        problem=problem,
        bots=bots_to_play(store),
        games=games,
        given=completed(given or default_values(prefix, _known_name(request), game), games),
        most=most_seats(games),
        recent=human_matches(store, 10),
        mine=mine,
        public=public,
        titles={each.name: each.title for each in games},
        opponents={each.name: opponents_of(each.name) for each in games if not each.problem},
    )


def lobby(request: Request) -> Lobby:
    """Return the lobby for this visitor. Raises TableError and StoreError."""
    return tables_of(request).lobby(_key_of(request))


@router.get("/events")
async def changes(request: Request) -> EventSourceResponse:
    """Send an event whenever the lists in the lobby have changed; the page then requests them again."""
    return stream(request, _lobby_changes(request))


async def _lobby_changes(request: Request) -> AsyncIterator[bytes]:
    before = None
    tables = tables_of(request)
    while not tables.is_stopping:
        number = tables.changes.number
        try:
            now = await run_in_threadpool(lobby, request)
        except StoreError:  # the page reconnects
            return
        yield format_sse_event(comment="still here") if now == before else format_sse_event(event="changed", data_str=str(number))
        before = now
        await asyncio.sleep(_LOBBY_SECONDS)
        await tables.changes.after(number, PING_SECONDS)


async def _fields(request: Request) -> dict[str, str]:
    return {key: value for key, value in (await request.form()).items() if isinstance(value, str)}


@router.post("", dependencies=[Depends(from_here)])
def make(
    request: Request,
    fields: Annotated[dict[str, str], Depends(_fields)],
    name: Annotated[str, Form(max_length=200)] = "",
    game: Annotated[str, Form(max_length=LONGEST_NAME)] = "",
    seat: Annotated[list[str] | None, Form()] = None,
    against: Annotated[str | None, Form(max_length=100)] = None,
    match: Annotated[str, Form(max_length=64)] = "",
    at: Annotated[int, Form(ge=0, le=1_000_000)] = 0,
) -> Response:
    """Create a table and take a seat at it. With ``against``, as many copies of that bot as the game needs take the other seats."""
    if against is not None:
        return _open(request, play_now(offered_games(request), game, against, name or _known_name(request)), None, "", 0)
    prefix = prefix_of(request, match, at) if match else None
    return _open(request, FormValues(name, game, tuple(seat or ()), fields, is_private="private" in fields), prefix, match, at)


def _open(request: Request, given: FormValues, prefix: Prefix | None, match: str, at: int) -> Response:
    """Create a table from the form and take a seat at it; errors are shown above the form."""
    rate_limits(request).count(TABLES_OF_ONE, "table", address_of(request), "You have made too many tables; try again later.")
    key, tables = _new_key(request), tables_of(request)
    try:
        game = prefix.game if prefix else game_of_form(offered_games(request), given.game, given.options)
        seats = seats_of(given.seats, queries_of(request).store, _clean_name(given.name), key)
        if prefix and len(seats) != prefix.players:
            raise UnusableError("seat", f"this match has {prefix.players} seats, and every one must be filled")
        table = tables.open(
            game,
            seats,
            browser=key,
            address=address_of(request),
            seed=prefix.seed if prefix else None,
            opening=prefix.moves if prefix else (),
            continues=f"{match}@{at}" if prefix else "",
            is_listed=not given.is_private,
        )
        if table.is_ready():
            tables.start(table)
    except (OptionsError, UnusableError) as error:
        return _form(request, match, at, given=given, problem=as_sentence(getattr(error, "detail", error)), status=422)
    except TableError as error:
        return _form(request, match, at, given=given, problem=as_sentence(error), status=error.status)
    answer = RedirectResponse(site_url(request, f"/play/t/{table.id}"), 303)
    _remember(request, answer, given.name)
    return answer


@router.get("/mine.json")
def my_tables(request: Request) -> Response:
    """Return the visitor's tables for the header of all pages; tables at which it is the visitor's turn come first."""
    root = site_url(request, "/play/t")
    tables = [{"address": f"{root}/{each.id}", "turn": each.is_turn} for each in lobby(request)[0]]
    return JSONResponse(tables, headers=NO_STORE)


@images.get("/images/{name}.svg")
def image(name: Annotated[str, Path(max_length=60)], game: Annotated[str, Query(max_length=LONGEST_NAME)]) -> Response:
    """Return an image that the game's choices refer to by this name, as SVG."""
    try:
        picture = image_of(game, name)
    except (ValueError, EngineError) as error:
        raise NotFoundError(f"{error}.") from None
    return Response(picture, media_type="image/svg+xml", headers={"cache-control": "public, max-age=86400"})


def tables_of(request: Request) -> Tables:
    """Return the ``Tables`` object of the application that handles the request."""
    tables: Tables = request.app.state.tables
    return tables


def _find(request: Request, table: str) -> Table:
    """Return the table with that id. Raises TableError, and HTTPException if there is no such table (404) or it is closed (410)."""
    open_table = tables_of(request).find(table)
    if open_table is not None:
        return open_table
    if match := tables_of(request).match_at(table):
        raise HTTPException(410, f"The match at this table is over; it can be watched at {site_url(request, '/m/')}{match}.")
    ended = tables_of(request).ended(table)
    if ended is None:
        raise NotFoundError("This table no longer exists.")
    raise HTTPException(410, f"This table is closed: {ended.problem}.")


AtTable = Annotated[Table, Depends(_find)]


def _seated(request: Request, table: AtTable) -> int:
    seat = table.seat_of_key(_key_of(request))
    if seat is None:
        raise HTTPException(403, "You don't have a seat at this table.")
    table.attend()
    return seat


Seated = Annotated[int, Depends(_seated)]


def _done(request: Request, path: str, script: Response | None = None) -> Response:
    """Return a redirect to ``path`` if a form was sent, or ``script`` (by default, no content) if a script made the request."""
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(site_url(request, path), 303)
    return script or Response(status_code=204)


@router.get("/t/{table}")
def at_table(request: Request, table: str) -> Response:
    """Show who sits at the table or, once the match has begun, the board. If the table is no longer in memory, redirect to its match."""
    if match := tables_of(request).match_at(table):
        return RedirectResponse(site_url(request, f"/m/{match}"), 303)
    open_table = _find(request, table)
    seat = open_table.seat_of_key(_key_of(request))
    if seat is not None:
        tables_of(request).wake(open_table)
    if open_table.stage is Stage.LOBBY:
        address = str(request.url.replace(query="", fragment=""))
        return render(request, "lobby.html", headers=NO_STORE, table=open_table, seat=seat, address=address, name=_known_name(request))
    position = Markup(_seen(request, open_table, seat).decode())  # noqa: S704  # our own JSON, with no < > &
    return render(request, "table.html", headers=NO_STORE, table=open_table, position=position, has_tray=has_tray(open_table.game.name))


@router.post("/t/{table}/join", dependencies=[Depends(from_here)])
def join(
    request: Request,
    table: AtTable,
    name: Annotated[str, Form(max_length=200)] = "",
    seat: Annotated[int | None, Form(ge=0, le=100)] = None,
) -> Response:
    """Take a free seat, or change seats."""
    key = _new_key(request)
    if table.seat_of_key(key) is None or seat is not None:
        table.join(_clean_name(name), key, seat)
    answer = RedirectResponse(site_url(request, f"/play/t/{table.id}"), 303)
    _remember(request, answer, name)
    return answer


@router.post("/t/{table}/start", dependencies=[Depends(from_here)])
def begin(request: Request, table: AtTable) -> Response:
    """Start the match; only the person who created the table may do so."""
    if table.seat_of_key(_key_of(request)) != table.row.maker:
        raise HTTPException(403, "Only the person who made the table can start the match.")
    tables_of(request).start(table)
    return _done(request, f"/play/t/{table.id}")


@router.get("/t/{table}/state")
def state(request: Request, table: AtTable, at: Annotated[int | None, Query(ge=0, le=1_000_000)] = None) -> Response:
    """Return what the visitor's seat may see, as JSON; spectators see what is public.

    With ``at``, return what it could see after that many decisions; the status is 204 if that is no longer kept or not yet known.
    """
    seat = table.seat_of_key(_key_of(request))
    if seat is not None:
        table.attend()
    try:
        view = _seen(request, table, seat, at)
    except TableError:
        if at is None:
            raise
        return Response(status_code=204, headers=NO_STORE)
    return Response(view, media_type="application/json", headers=NO_STORE)


def _seen(request: Request, table: Table, seat: int | None, at: int | None = None) -> bytes:
    """Return the seat's view as JSON. Raises TableError if it is not kept."""
    root = site_url(request, "/play/t")
    key, number = (table.id, seat, at), table.changes.number
    view = tables_of(request).sent.get(key, number, lambda: write(seat_view(table.look(seat, at), root)).encode())
    return with_deadline(view, table.deadline())


@router.get("/t/{table}/text")
def text(request: Request, table: AtTable) -> Response:
    """Return the position and its legal moves as text, as far as this seat may know them; spectators see what is public."""
    seat = table.seat_of_key(_key_of(request))
    key, number = (table.id, seat, "text"), table.changes.number
    words = tables_of(request).sent.get(key, number, lambda: _words(table.look(seat).view).encode())
    return Response(words, media_type="text/plain; charset=utf-8", headers=NO_STORE)


def _words(view: View[State]) -> str:
    known = view.position
    summary = drawing.drawer(known).summarize(known)
    tally = [f"{title}: {', '.join(map(figure, numbers))}" for title, numbers in known.tally().items()]
    moves = [f"- {move}: {drawing.describe_move(known, move)}" for move in (view.legal_moves if view.actor == view.seat else ())]
    return from_one("\n".join([summary.status, *summary.facts, *tally, "", plain_lines(str(known)), *moves]))


class HintBody(BaseModel):
    """A request for a hint for decision number ``at``."""

    at: int = Field(ge=0, le=1_000_000)


class MoveBody(HintBody):
    """A person's move for decision number ``at``, in notation."""

    move: str = Field(max_length=200)


class ChatBody(BaseModel):
    """A chat message."""

    text: str = Field(max_length=2000)


@router.post("/t/{table}/move", dependencies=[Depends(from_here)])
def move(table: AtTable, seat: Seated, body: MoveBody) -> Response:
    """Play a person's move."""
    table.answer(seat, body.at, body.move)
    return Response(status_code=204)


@router.post("/t/{table}/hint", dependencies=[Depends(from_here)])
def hint(request: Request, table: AtTable, seat: Seated, body: HintBody) -> Response:
    """Return the move that a strong bot would play with what this seat knows, in notation and in words."""
    rate_limits(request).count(_HINTS, "hint", address_of(request), "You have requested too many hints; wait a minute.")
    best = table.hint(seat, body.at)
    position = table.look(seat).view.position
    words = drawing.describe_move(position, best)
    names = ["you" if number == seat else each.name for number, each in enumerate(table.seats)]
    bot = table.hint_bot.name if table.hint_bot else "a strong bot"
    why = f"{bot}, a strong reference bot, would play this, knowing only what you know."
    return JSONResponse({"move": str(best), "words": drawing.named(words, names), "why": why}, headers=NO_STORE)


@router.post("/t/{table}/resign", dependencies=[Depends(from_here)])
def resign(request: Request, table: AtTable, seat: Seated) -> Response:
    """Resign: a substitute plays the seat from now on, and the seat ranks last."""
    table.resign(seat)
    return _done(request, f"/play/t/{table.id}")


@router.post("/t/{table}/leave", dependencies=[Depends(from_here)])
def leave(request: Request, table: AtTable, seat: Seated) -> Response:
    """Leave the table for good."""
    table.leave(seat)
    return _done(request, "/play")


@router.post("/t/{table}/resume", dependencies=[Depends(from_here), Depends(_seated)])
def resume(request: Request, table: AtTable) -> Response:
    """Resume a paused match."""
    tables_of(request).wake(table)
    return _done(request, f"/play/t/{table.id}")


@router.post("/t/{table}/rematch", dependencies=[Depends(from_here)])
def rematch(request: Request, table: AtTable, seat: Seated) -> Response:
    """Create a table for the same game and people, or return the address of the one that already exists."""
    if not table.rematch:
        rate_limits(request).count(TABLES_OF_ONE, "table", address_of(request), "You have made too many tables; try again later.")
    path = f"/play/t/{tables_of(request).play_again(table, seat, address_of(request))}"
    return _done(request, path, JSONResponse({"address": site_url(request, path)}, headers=NO_STORE))


@router.post("/t/{table}/chat", dependencies=[Depends(from_here)])
def say(request: Request, table: AtTable, seat: Seated, body: ChatBody) -> Response:
    """Send a chat message to the players at the table and its spectators."""
    limits = rate_limits(request)
    limits.count(_LINES, "line", f"{table.id} {seat}", "Too many messages; wait a minute.")
    limits.count(_LINES_OF_ADDRESS, "lines", address_of(request), "Too many messages; wait a minute.")
    table.say(seat, body.text)
    return Response(status_code=204)


@router.get("/t/{table}/events")
async def events(request: Request, table: AtTable) -> EventSourceResponse:
    """Send an event whenever something at the table has changed; the page then requests the state."""
    is_seated = table.seat_of_key(_key_of(request)) is not None
    if is_seated:
        await run_in_threadpool(tables_of(request).wake, table)
    return stream(request, _table_changes(tables_of(request), table, is_seated=is_seated))


async def _table_changes(tables: Tables, table: Table, *, is_seated: bool) -> AsyncIterator[bytes]:
    """Yield an event for each change until no more can come. While a player's page is connected, the table is not idle."""
    shown, until = -1, inf
    while tables.holds(table):
        if is_seated:
            table.attend()
        number = table.changes.number
        if number != shown:
            shown, until = number, running_time() + _LAST_SECONDS
            yield format_sse_event(event="changed", data_str=table.news)
        else:
            yield format_sse_event(comment="still here")
        if table.stage is Stage.CLOSED or (table.stage is Stage.OVER and (table.rematch or running_time() > until)):
            return
        await table.changes.after(shown, PING_SECONDS)
